/*
 * session_default.c - the session a command works on without --session
 *
 * One rule for all commands that need one: the last session of the current
 * directory; a command that writes creates it if there is none. A command that
 * only reads then reads what was stored without a session.
 */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "cli/core/cli.h"
#include "cli/cmd/session.h"

static quire_status create_session(struct cli *cli, quire_error *err)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    quire_session_info info;
    quire_session *s = NULL;
    quire_status st;

    o.flags = QUIRE_SESSION_AT_ONCE;
    st = quire_session_new(cli->q, &o, &s, err);
    if (!st)
        st = quire_session_flush(s, err);
    if (!st) {
        quire_session_describe(s, &info);
        snprintf(cli->session, sizeof cli->session, "%s", info.id);
    }
    quire_session_close(s);
    return st;
}

/* The id in the name of a session's file, which messages show; else its path. */
static void keep_id(struct cli *cli, const char *path)
{
    const char *base = strrchr(path, '_');
    const char *end = base ? strstr(base, ".jsonl") : NULL;

    if (end && !strchr(base, '/'))
        snprintf(cli->session, sizeof cli->session, "%.*s",
                 (int)(end - base - 1), base + 1);
    else
        snprintf(cli->session, sizeof cli->session, "%s", path);
}

/* The session that was named: it is the last one from now on. */
static void use_named(struct cli *cli, const char *which)
{
    quire_error ignored = {0};

    if (strcmp(which, "user") != 0 && strcmp(which, "temp") != 0)
        quire_session_use(cli->q, which, &ignored);
}

int session_default(struct cli *cli, const struct args *args, bool writes,
                    const char **out)
{
    const char *path;
    quire_error err = {0};
    quire_status st;

    *out = args_text(args, "session");
    if (*out && writes)
        use_named(cli, *out);
    if (*out || !cli->q || quire_home_kind(cli->q) == QUIRE_KIND_JP)
        return EXIT_DONE;
    st = quire_session_find(cli->q, "last", &path, &err);
    if (!st) {
        keep_id(cli, path);
        *out = cli->session;
        return EXIT_DONE;
    }
    if (st != QUIRE_NOT_FOUND)
        return session_fail(cli, &err);
    if (!writes)
        return EXIT_DONE;
    if (create_session(cli, &err))
        return session_fail(cli, &err);
    *out = cli->session;
    return EXIT_DONE;
}
