/*
 * tenant.c - tenants and their tokens
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/json.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/session.h"

/* `invalid` is the exit status for QUIRE_INVALID: 2 for a bad name, 1 for a
 * tenant that cannot be changed. */
static int fail(struct cli *cli, const quire_error *err, int invalid)
{
    int code = cli_fail(cli, err);

    return err->status == QUIRE_INVALID ? invalid : code;
}

/* ---- tokens ------------------------------------------------------------- */

/* The token alone is on standard output, for scripts. */
static void print_token(struct cli *cli, const quire_tenant *t,
                        const char *token)
{
    struct buf name = BUF_INIT(4096);
    struct row r;

    if (row_begin(&r, cli)) {
        json_put_int(&r.json, "id", t->id);
        json_put_str(&r.json, "name", t->name);
        json_put_str(&r.json, "token", token);
    } else {
        buf_add_str(&r.text, token);
        term_add(&name, bytes_str(t->name), true);
        if (!cli->quiet && buf_text(&name))
            fprintf(stderr,
                    "the token of tenant %s, #%lld; it is not shown again\n",
                    name.data, (long long)t->id);
    }
    row_print(&r);
    buf_release(&name);
}

static int tenant_add(struct cli *cli, const struct args *args)
{
    char token[QUIRE_TOKEN_SIZE];
    quire_error err = {0};
    quire_tenant t;

    if (quire_tenant_add(cli->q, args->words[0], token, &t, &err))
        return fail(cli, &err, EXIT_USAGE);
    print_token(cli, &t, token);
    return EXIT_DONE;
}

const struct cmd cmd_tenant_add = {
    .name = "tenant add",
    .args = "NAME",
    .summary = "add a tenant and print its token",
    .about = "The tenant authenticates to a server with its token. It is "
             "printed once; the home stores a hash. `tenant rotate` replaces a "
             "lost token. With `--json`: id, name, token.\n\n"
             "With `--tenant NAME` other commands work on the tenant's data.",
    .examples = "quire tenant add acme\n"
                "quire --tenant acme artifact ls",
    .store = STORE_WRITE,
    .run = tenant_add,
};

static int tenant_rotate(struct cli *cli, const struct args *args)
{
    char token[QUIRE_TOKEN_SIZE];
    quire_error err = {0};
    quire_tenant t;

    if (quire_tenant_rotate(cli->q, args->words[0], token, &t, &err))
        return fail(cli, &err, EXIT_NO);
    print_token(cli, &t, token);
    return EXIT_DONE;
}

const struct cmd cmd_tenant_rotate = {
    .name = "tenant rotate",
    .args = "NAME|#ID",
    .summary = "replace the token of a tenant and print the new one",
    .about = "The old token is refused from then on. Printed as by `tenant "
             "add`.",
    .examples = "quire tenant rotate acme --json",
    .store = STORE_WRITE,
    .run = tenant_rotate,
};

/* ---- further tokens ----------------------------------------------------- */

static void add_token_members(struct json_writer *w, const quire_token *t)
{
    json_put_int(w, "id", t->id);
    json_put_str(w, "label", t->label);
    json_put_bool(w, "read_only", t->flags & QUIRE_TOKEN_READ_ONLY);
    json_put_bool(w, "local", t->flags & QUIRE_TOKEN_LOCAL);
    json_put_time(w, "created_at", t->created_us);
    json_put_time(w, "expires_at", t->expires_us);
}

static quire_status list_token(void *ctx, const quire_token *t,
                               quire_error *err)
{
    char added[LOCAL_TIME_SIZE], until[LOCAL_TIME_SIZE];
    struct row r;

    print_heading(ctx, "id    added                until                may    "
                       "label");
    if (row_begin(&r, ctx)) {
        add_token_members(&r.json, t);
    } else {
        buf_addf(&r.text, "%-5lld %-19s  %-19s  %-5s  ", (long long)t->id,
                 local_time(t->created_us, added),
                 t->expires_us ? local_time(t->expires_us, until) : "-",
                 t->flags & QUIRE_TOKEN_READ_ONLY ? "read" : "write");
        term_add(&r.text, bytes_str(t->label), true);
    }
    return row_emit(&r, err);
}

static int token_ls(struct cli *cli, const char *tenant)
{
    quire_error err = {0};

    if (!quire_token_list(cli->q, tenant, list_token, cli, &err))
        return EXIT_DONE;
    return cli->out.error ? EXIT_FAILED : fail(cli, &err, EXIT_NO);
}

static int token_add(struct cli *cli, const struct args *args)
{
    const char *label = args_text(args, "label");
    uint64_t keep_ms = args_number(args, "expires", 0);
    char token[QUIRE_TOKEN_SIZE];
    quire_token t = {.label = label ? label : "token"};
    quire_error err = {0};
    struct row r;

    t.flags = (args_flag(args, "read-only") ? QUIRE_TOKEN_READ_ONLY : 0u) |
              (args_flag(args, "local") ? QUIRE_TOKEN_LOCAL : 0u);
    if (keep_ms)
        t.expires_us = clock_us(&clock_system) + (int64_t)keep_ms * 1000;
    if (quire_token_add(cli->q, args->words[1], &t, token, &err))
        return fail(cli, &err, EXIT_USAGE);
    if (row_begin(&r, cli)) {
        add_token_members(&r.json, &t);
        json_put_str(&r.json, "token", token);
    } else {
        buf_add_str(&r.text, token);
    }
    row_print(&r);
    return EXIT_DONE;
}

static int token_rm(struct cli *cli, const struct args *args)
{
    const char *id = args->n_words > 2 ? args->words[2] : "";
    quire_error err = {0};

    if (!*id || strspn(id, "0123456789") != strlen(id))
        return cli_usage(cli, "quire tenant token ls NAME",
                         "a token is removed by its id, not `%s`", id);
    if (quire_token_remove(cli->q, args->words[1], strtoll(id, NULL, 10), &err))
        return fail(cli, &err, EXIT_NO);
    return EXIT_DONE;
}

static int tenant_token(struct cli *cli, const struct args *args)
{
    const char *verb = args->words[0];

    if (!strcmp(verb, "add") && args->n_words == 2)
        return token_add(cli, args);
    if (!strcmp(verb, "ls") && args->n_words == 2)
        return token_ls(cli, args->words[1]);
    if (!strcmp(verb, "rm") && args->n_words == 3)
        return token_rm(cli, args);
    return cli_usage(cli, "quire tenant token add NAME, ls NAME, or rm NAME ID",
                     "`tenant token` needs add, ls or rm, and a tenant");
}

static const struct opt token_opts[] = {
    {.name = "read-only", .kind = OPT_FLAG, .help = "add: it may only read"},
    {.name = "local",
     .kind = OPT_FLAG,
     .help = "add: it is valid only on the server's machine"},
    {.name = "label",
     .kind = OPT_TEXT,
     .value = "TEXT",
     .help = "add: its name in lists"},
    {.name = "expires",
     .kind = OPT_TIME,
     .value = "DUR",
     .help = "add: how long it is valid; for ever unless given"},
    {0},
};

const struct cmd cmd_tenant_token = {
    .name = "tenant token",
    .args = "add|ls|rm NAME|#ID [ID]",
    .summary = "further tokens of a tenant, such as read-only ones",
    .about =
        "`add` prints a new token, once. A tenant can have any number, each "
        "with its own rights and end; `tenant rotate` replaces only the "
        "first one. `ls` lists them: id, when it was added, until when it "
        "is valid, what it may do, its label. `rm` ends the one with this id. "
        "As JSON: id, label, read_only, local, created_at, "
        "expires_at, and of `add` the token.",
    .opts = token_opts,
    .examples = "quire tenant token add default --read-only --label dashboard\n"
                "quire tenant token ls default",
    .store = STORE_WRITE,
    .run = tenant_token,
};

/* ---- ls ----------------------------------------------------------------- */

static void add_members(struct json_writer *w, const quire_tenant *t)
{
    json_put_int(w, "id", t->id);
    json_put_str(w, "name", t->name);
    json_put_bool(w, "disabled", t->disabled);
    json_put_time(w, "created_at", t->created_us);
    json_put_uint(w, "used_bytes", t->used);
    json_put_uint(w, "artifacts", t->artifacts);
}

static void add_row(struct buf *line, const quire_tenant *t)
{
    char when[LOCAL_TIME_SIZE], size[32], id[24];

    size_text(t->used, size, sizeof size);
    snprintf(id, sizeof id, "#%lld", (long long)t->id);
    buf_addf(line, "%-6s %-16s  %10s in %-6llu  ", id,
             t->created_us ? local_time(t->created_us, when) : "-", size,
             (unsigned long long)t->artifacts);
    term_add(line, bytes_str(t->name), true);
    if (t->disabled)
        buf_add_str(line, "  (disabled)");
}

static quire_status list_one(void *ctx, const quire_tenant *t, quire_error *err)
{
    struct row r;

    print_heading(ctx, "id     created                 used in files   name");
    if (row_begin(&r, ctx))
        add_members(&r.json, t);
    else
        add_row(&r.text, t);
    return row_emit(&r, err);
}

static int tenant_ls(struct cli *cli, const struct args *args)
{
    quire_error err = {0};

    (void)args;
    if (!quire_tenant_list(cli->q, list_one, cli, &err))
        return EXIT_DONE;
    return cli->out.error ? EXIT_FAILED : cli_fail(cli, &err);
}

const struct cmd cmd_tenant_ls = {
    .name = "tenant ls",
    .args = "",
    .summary = "list the tenants",
    .about = "A line a tenant: its id, when it was added, the bytes of its "
             "artifacts and how many there are, its name. With `--json`: id, "
             "name, disabled, created_at (null for `default`), used_bytes, "
             "artifacts.",
    .examples = "quire tenant ls",
    .store = STORE_READ,
    .paged = true,
    .run = tenant_ls,
};

/* ---- disable, rm -------------------------------------------------------- */

static int tenant_disable(struct cli *cli, const struct args *args)
{
    quire_error err = {0};

    if (quire_tenant_disable(cli->q, args->words[0], !args_flag(args, "enable"),
                             NULL, &err))
        return fail(cli, &err, EXIT_NO);
    return EXIT_DONE;
}

static const struct opt disable_opts[] = {
    {.name = "enable",
     .kind = OPT_FLAG,
     .help = "enable it again, as `tenant enable`"},
    {0},
};

const struct cmd cmd_tenant_disable = {
    .name = "tenant disable",
    .args = "NAME|#ID",
    .summary = "disable a tenant, and keep its data",
    .about = "Its token is refused like an unknown one, and its data cannot be "
             "read or changed, also by running processes, until it is enabled. "
             "An open session stays open until it is closed.",
    .opts = disable_opts,
    .examples = "quire tenant disable acme",
    .store = STORE_WRITE,
    .run = tenant_disable,
};

static int tenant_enable(struct cli *cli, const struct args *args)
{
    quire_error err = {0};

    if (quire_tenant_disable(cli->q, args->words[0], false, NULL, &err))
        return fail(cli, &err, EXIT_NO);
    return EXIT_DONE;
}

const struct cmd cmd_tenant_enable = {
    .name = "tenant enable",
    .args = "NAME|#ID",
    .summary = "enable a disabled tenant again",
    .about = "Its token is valid again, and its data can be read and changed. "
             "`tenant disable --enable` does the same.",
    .examples = "quire tenant enable acme",
    .store = STORE_WRITE,
    .run = tenant_enable,
};

static int tenant_rm(struct cli *cli, const struct args *args)
{
    quire_error err = {0};

    if (quire_tenant_remove(cli->q, args->words[0], args_flag(args, "yes"),
                            &err))
        return fail(cli, &err, EXIT_NO);
    return EXIT_DONE;
}

static const struct opt rm_opts[] = {
    {.name = "yes",
     .kind = OPT_FLAG,
     .help = "also if it has sessions, artifacts or other data"},
    {0},
};

const struct cmd cmd_tenant_rm = {
    .name = "tenant rm",
    .args = "NAME|#ID",
    .summary = "remove a tenant and its data permanently",
    .about = "A tenant with data needs --yes; without it the error lists the "
             "data, and the exit status is 1. Running processes of the tenant "
             "are refused from then on.",
    .opts = rm_opts,
    .examples = "quire tenant rm acme --yes",
    .store = STORE_WRITE,
    .run = tenant_rm,
};
