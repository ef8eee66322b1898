/*
 * config.c - settings
 */
#include <string.h>

#include "base/bytes.h"
#include "base/json.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/session.h"

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

const struct cmd cmd_config_ls = {
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

const struct cmd cmd_config_get = {
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

const struct cmd cmd_config_set = {
    .name = "config set",
    .args = "KEY [VALUE]",
    .summary = "change a setting of the home",
    .about = "Without VALUE the default applies again. A size may have a unit: "
             "64K, 10M, 1G. A setting is for all tenants of the home.",
    .examples = "quire config set quota.file 32M\n"
                "quire config set versions.kept 50\n"
                "quire config set versions.kept",
    .store = STORE_WRITE,
    .run = config_set,
};
