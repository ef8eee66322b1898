/* session_keep.c - pin and hold sessions */
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/session.h"

static int pin_one(struct cli *cli, const char *which)
{
    quire_error err = {0};

    return quire_session_pin(cli->q, which, 1, &err) ? session_fail(cli, &err)
                                                     : EXIT_DONE;
}

static int session_pin(struct cli *cli, const struct args *args)
{
    return each_session(cli, args, pin_one);
}

const struct cmd cmd_session_pin = {
    .name = "session pin",
    .args = "[S...]",
    .summary = "pin sessions: no retention rule removes them",
    .about =
        "In a search `is:pinned` finds what is in pinned sessions. A copy of "
        "a pinned session is not pinned.",
    .examples = "quire session pin last",
    .store = STORE_WRITE,
    .run = session_pin,
};

static int unpin_one(struct cli *cli, const char *which)
{
    quire_error err = {0};

    return quire_session_pin(cli->q, which, 0, &err) ? session_fail(cli, &err)
                                                     : EXIT_DONE;
}

static int session_unpin(struct cli *cli, const struct args *args)
{
    return each_session(cli, args, unpin_one);
}

const struct cmd cmd_session_unpin = {
    .name = "session unpin",
    .args = "[S...]",
    .summary = "undo session pin",
    .about = "Retention rules apply to them again.",
    .examples = "quire session unpin $(quire session ls --pinned --ids)",
    .store = STORE_WRITE,
    .run = session_unpin,
};

static int session_hold(struct cli *cli, const struct args *args)
{
    const char *reason = args_text(args, "reason"), *which;
    quire_error err = {0};
    int code = session_named(cli, args, &which);

    if (code)
        return code;
    if (!reason)
        return cli_usage(cli, "usage: quire session hold S --reason TEXT",
                         "--reason is missing");
    return quire_session_hold(cli->q, which, reason, &err)
               ? session_fail(cli, &err)
               : EXIT_DONE;
}

static const struct opt hold_opts[] = {
    {.name = "reason",
     .kind = OPT_TEXT,
     .value = "TEXT",
     .help = "the reason, shown when a removal is refused"},
    {0},
};

const struct cmd cmd_session_hold = {
    .name = "session hold",
    .args = "[S]",
    .summary = "hold a session: nothing of it is removed",
    .about =
        "Until `session release` neither `session rm` nor a retention rule nor "
        "a collection removes the session, its artifacts or their versions, "
        "and its tenant cannot be removed. It can be read and written as "
        "before. The hold and its end are in the audit log.",
    .opts = hold_opts,
    .examples = "quire session hold last --reason 'case 12'",
    .store = STORE_WRITE,
    .run = session_hold,
};

static int release_one(struct cli *cli, const char *which)
{
    quire_error err = {0};

    return quire_session_release(cli->q, which, &err) ? session_fail(cli, &err)
                                                      : EXIT_DONE;
}

static int session_release(struct cli *cli, const struct args *args)
{
    return each_session(cli, args, release_one);
}

const struct cmd cmd_session_release = {
    .name = "session release",
    .args = "[S...]",
    .summary = "end the hold of sessions",
    .about = "A session that is not held stays as it is.",
    .examples = "quire session release last",
    .store = STORE_WRITE,
    .run = session_release,
};
