/*
 * help.h - text derived from the command table
 *
 * Help for the screen, man pages (as scdoc source), completions for three
 * shells, and JSON. None of them names a command itself.
 */
#ifndef CLI_CORE_HELP_H
#define CLI_CORE_HELP_H

#include <stdbool.h>

#include "base/buf.h"

struct cmd;
struct noun;
struct opt;

extern const char help_exit_status[];

/* At most 80 columns, the examples last. */
void help_all(struct buf *out, bool bold);
void help_noun(struct buf *out, const struct noun *noun, bool bold);
void help_cmd(struct buf *out, const struct cmd *cmd, bool bold);

/* One line, without a newline: {"command","usage","summary","options":[…]}. */
void help_json(struct buf *out, const struct cmd *cmd);

/* "quire blob put [--verify] [FILE...]". HELP_BLANK is a blank that must not
 * become a line break. */
#define HELP_BLANK '\1'
void help_usage(struct buf *out, const struct cmd *cmd);

/* The scdoc source of quire-<noun>(1), else of quire-<command>(1), else of
 * quire(1). */
void man_page(struct buf *out, const struct noun *noun, const struct cmd *cmd);

/* The names of all manual pages, one a line. */
void man_names(struct buf *out);

void complete_bash(struct buf *out);
void complete_zsh(struct buf *out);
void complete_fish(struct buf *out);

#endif
