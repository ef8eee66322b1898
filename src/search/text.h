/*
 * text.h - a searchable text and what it can be filtered by
 *
 * Modules with content of their own report it as texts of this form. The index
 * of everything takes texts and does not depend on where they come from. The
 * names are those of the query language, the command line and HTTP.
 */
#ifndef SEARCH_TEXT_H
#define SEARCH_TEXT_H

#include <stdbool.h>

#include "quire.h"

/* The numbers are stored: add at the end. */
enum text_kind {
    TEXT_MESSAGE,     /* of a user, an assistant or the system */
    TEXT_THINKING,    /* of an assistant                       */
    TEXT_TOOL_INPUT,  /* the arguments of a call               */
    TEXT_TOOL_RESULT, /* what the tool returned                */
    TEXT_SUMMARY,     /* of a compaction or a branch           */
    TEXT_TITLE,       /* of a session or conversation          */
    TEXT_LABEL,       /* of an entry                           */
    TEXT_OUTPUT,      /* the full output of a tool             */
    TEXT_ARTIFACT,
    TEXT_MEMORY,
    TEXT_HISTORY, /* a prompt of the prompt history */
    N_TEXT_KINDS
};

enum text_role {
    TEXT_ROLE_NONE, /* unknown, or the text is not part of a message */
    TEXT_ROLE_USER,
    TEXT_ROLE_ASSISTANT,
    TEXT_ROLE_TOOL,
    TEXT_ROLE_SYSTEM,
    N_TEXT_ROLES
};

/* One text of an entry (a session's line, an event of a conversation). All of
 * it is borrowed, and valid UTF-8. */
struct entry_text {
    enum text_kind kind;
    enum text_role role;
    quire_bytes text;  /* may be empty: the rest can still be searched for */
    quire_bytes tool;  /* name of the tool; empty: none                    */
    quire_bytes model; /* of an assistant's message; empty: none           */
    bool is_error;
    bool has_image;
    unsigned part; /* from 0 within the entry: the same entry always has the
                    * same parts */
};

/* "message", "thinking", "tool_input", … */
const char *text_kind_name(enum text_kind kind);

/* False: no kind has this name. */
bool text_kind_of(quire_bytes name, enum text_kind *out);

/* "user", "assistant", "tool", "system"; "" for TEXT_ROLE_NONE, which no name
 * stands for. */
const char *text_role_name(enum text_role role);
bool text_role_of(quire_bytes name, enum text_role *out);

#endif
