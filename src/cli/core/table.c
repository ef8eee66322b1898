/*
 * table.c - look up commands; the table is cmd/commands.c
 */
#include <string.h>

#include "cli/core/cli.h"

const struct noun *cli_noun(const char *name)
{
    size_t i;

    for (i = 0; cli_nouns[i]; i++) {
        const struct noun *noun = cli_nouns[i];

        if (!strcmp(noun->name, name) ||
            (noun->alias && !strcmp(noun->alias, name)))
            return noun;
    }
    return NULL;
}

const char *cmd_verb(const struct cmd *cmd)
{
    const char *space = strchr(cmd->name, ' ');

    return space ? space + 1 : cmd->name;
}

void cmd_about(const struct cmd *cmd, struct buf *out)
{
    if (cmd->about)
        buf_add_str(out, cmd->about);
    if (cmd->about && cmd->add_about)
        buf_add_str(out, "\n\n");
    if (cmd->add_about)
        cmd->add_about(out);
}

const struct cmd *cli_verb(const struct noun *noun, const char *verb)
{
    size_t i;

    for (i = 0; noun->verbs[i]; i++) {
        if (!strcmp(cmd_verb(noun->verbs[i]), verb))
            return noun->verbs[i];
    }
    return NULL;
}

const struct cmd *cli_plain_cmd(const char *name)
{
    size_t i;

    for (i = 0; cli_plain[i]; i++) {
        if (!strcmp(cli_plain[i]->name, name))
            return cli_plain[i];
    }
    for (i = 0; cli_hidden[i]; i++) {
        if (!strcmp(cli_hidden[i]->name, name))
            return cli_hidden[i];
    }
    return NULL;
}

const struct cmd *cli_cmd_at(size_t index)
{
    size_t n, v;

    for (n = 0; cli_nouns[n]; n++) {
        for (v = 0; cli_nouns[n]->verbs[v]; v++) {
            if (!index--)
                return cli_nouns[n]->verbs[v];
        }
    }
    for (n = 0; cli_plain[n]; n++) {
        if (!index--)
            return cli_plain[n];
    }
    return NULL;
}
