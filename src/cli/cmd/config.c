/*
 * config.c - settings
 */
#include <string.h>

#include "base/bytes.h"
#include "base/json.h"
#include "cli/core/cli.h"
#include "cli/cmd/session.h"

extern const struct noun noun_config;

static quire_status emit_setting(void *ctx, const quire_setting *s,
                                 quire_error *err)
{
    struct row r;

    print_heading(ctx, "key             value         from         meaning");
    if (row_begin(&r, ctx)) {
        json_put_str(&r.json, "key", s->key);
        json_put_str(&r.json, "value", s->value);
        json_put_str(&r.json, "from", s->from);
        json_put_str(&r.json, "default", s->otherwise);
    } else {
        buf_addf(&r.text, "%-14s  ", s->key);
        term_add_cell(&r.text, bytes_str(s->value), 12);
        buf_addf(&r.text, "  %-11s  %s", s->from, s->about);
    }
    return row_emit(&r, err);
}

static int fail(struct cli *cli, const quire_error *err)
{
    int code = cli_fail(cli, err);

    return err->status == QUIRE_INVALID ? EXIT_USAGE : code;
}

static int config_ls(struct cli *cli, const struct args *args)
{
    quire_error err = {0};

    (void)args;
    return quire_config_list(cli->q, emit_setting, cli, &err) ? fail(cli, &err)
                                                              : EXIT_DONE;
}

static const struct cmd cmd_config_ls = {
    .name = "config ls",
    .args = "",
    .summary = "list all settings, and where their values come from",
    .about =
        "A value is the `default`, or from `quire.db` (`config set`), or from "
        "the `environment`: quota.file from QUIRE_QUOTA_FILE. With --json an "
        "object each: key, value, from, default.",
    .examples = "quire config ls",
    .store = STORE_READ,
    .run = config_ls,
};

static int config_get(struct cli *cli, const struct args *args)
{
    quire_setting s;
    quire_error err = {0};

    if (quire_config_get(cli->q, args->words[0], &s, &err))
        return fail(cli, &err);
    if (cli->json) {
        emit_setting(cli, &s, &err);
    } else {
        out_str(cli, s.value);
        out_str(cli, "\n");
    }
    return EXIT_DONE;
}

static const struct cmd cmd_config_get = {
    .name = "config get",
    .args = "KEY",
    .summary = "print the value of a setting",
    .examples = "quire config get quota.file",
    .store = STORE_READ,
    .run = config_get,
};

static int config_set(struct cli *cli, const struct args *args)
{
    const char *value = args->n_words > 1 ? args->words[1] : NULL;
    quire_error err = {0};

    return quire_config_set(cli->q, args->words[0], value, &err)
               ? fail(cli, &err)
               : EXIT_DONE;
}

static const struct cmd cmd_config_set = {
    .name = "config set",
    .args = "KEY [VALUE]",
    .summary = "change a setting of the home",
    .about = "Without VALUE the default applies again.",
    .examples = "quire config set versions.kept 50\n"
                "quire config set versions.kept",
    .store = STORE_WRITE,
    .run = config_set,
};

static const struct cmd *const verbs[] = {&cmd_config_get, &cmd_config_set,
                                          &cmd_config_ls, NULL};

const struct noun noun_config = {
    .name = "config",
    .summary = "settings of the home",
    .about = "Quotas of artifacts, how many versions to keep, where blobs are "
             "stored and what a write waits for. Each has a default.",
    .verbs = verbs,
};
