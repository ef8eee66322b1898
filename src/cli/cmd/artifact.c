/*
 * artifact.c - named files of a session, with versions
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/artifact.h"
#include "cli/cmd/session.h"
#include "cli/core/cursor.h"
#include "cli/core/each_word.h"

int artifact_fail(struct cli *cli, const quire_error *err)
{
    int code = cli_fail(cli, err);

    return err->status == QUIRE_INVALID ? EXIT_USAGE : code;
}

/* ---- rows --------------------------------------------------------------- */

/* What every form of an artifact has: size, digest, version, type. `size` and
 * `mime` are older names of `size_bytes` and `media_type`. */
static void add_content(struct json_writer *w, const quire_artifact *a)
{
    char hex[2 * sizeof a->digest.byte + 1];

    hex_encode(a->digest.byte, sizeof a->digest.byte, hex);
    json_put_uint(w, "size", a->size);
    json_put_uint(w, "size_bytes", a->size);
    json_put_str(w, "sha256", hex);
    json_put_int(w, "version", a->version);
    json_put_str(w, "mime", a->mime);
    json_put_str(w, "media_type", a->mime);
}

void artifact_add_members(struct json_writer *w, const quire_artifact *a)
{
    json_put_int(w, "id", a->id);
    json_put_str(w, "path", a->path);
    json_put_str(w, "session", a->session);
    add_content(w, a);
    json_put_optional(w, "purpose", a->purpose);
    json_put_optional(w, "source", a->source);
    json_put_optional(w, "agent", a->agent);
    json_put_optional(w, "source_agent_id", a->agent);
    json_put_raw(w, "tags", bytes_str(a->tags));
    json_put_raw(w, "metadata", bytes_str(a->meta));
    json_put_time(w, "created_at", a->created_us);
    json_put_time(w, "modified_at", a->updated_us);
    json_put_time(w, "deleted_at", a->deleted_us);
}

#define ROW_COLUMNS "id     modified                size  path"

void artifact_add_row(struct buf *line, const quire_artifact *a)
{
    char when[LOCAL_TIME_SIZE], size[32], id[24];

    size_text(a->size, size, sizeof size);
    snprintf(id, sizeof id, "#%lld", (long long)a->id);
    buf_addf(line, "%-6s %s  %10s  ", id, local_time(a->updated_us, when),
             size);
    term_add(line, bytes_str(a->path), true);
}

quire_status artifact_emit(struct cli *cli, const quire_artifact *a,
                           quire_error *err)
{
    struct row r;

    if (row_begin(&r, cli))
        artifact_add_members(&r.json, a);
    else
        artifact_add_row(&r.text, a);
    return row_emit(&r, err);
}

static quire_status list_one(void *ctx, const quire_artifact *a,
                             quire_error *err)
{
    struct cli *cli = ctx;
    struct row r;

    print_heading(cli, ROW_COLUMNS);
    if (row_begin(&r, cli)) {
        artifact_add_members(&r.json, a);
        cursor_add(&r.json, a->updated_us, a->id);
    } else {
        artifact_add_row(&r.text, a);
    }
    return row_emit(&r, err);
}

/* ---- put ---------------------------------------------------------------- */

#define PIECE ((size_t)64 * 1024)

quire_status input_read(const char *name, struct buf *out, quire_error *err)
{
    bool from_stdin = !name || !strcmp(name, "-");
    int fd = from_stdin ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    quire_status st = QUIRE_OK;
    ssize_t n = 1;

    if (fd < 0)
        return err_sys(err, errno, "cannot open %s", name);
    if (!name && isatty(fd))
        fputs("quire: reading from the terminal; end with Ctrl-D\n", stderr);
    while (!st && n != 0) {
        size_t want = out->max - out->len < PIECE ? out->max - out->len : PIECE;
        void *room = want ? buf_room(out, want) : NULL;

        if (!want) {
            st = err_fail(err, QUIRE_TOO_LARGE,
                          "store it as a blob, or in several parts",
                          "%s has more than %zu bytes",
                          from_stdin ? "standard input" : name, out->max - 1);
            break;
        }
        if (!room) {
            st = err_memory(err);
            break;
        }
        n = read(fd, room, want);
        if (n > 0)
            buf_grow(out, (size_t)n);
        else if (n < 0 && errno != EINTR)
            st = err_sys(err, errno, "cannot read %s",
                         from_stdin ? "standard input" : name);
    }
    if (!from_stdin)
        close(fd);
    return st;
}

static void print_put(struct cli *cli, const quire_artifact *a)
{
    struct row r;

    if (row_begin(&r, cli)) {
        json_put_int(&r.json, "id", a->id);
        json_put_str(&r.json, "path", a->path);
        add_content(&r.json, a);
        json_put_bool(&r.json, "created", a->created);
        json_put_time(&r.json, "created_at", a->created_us);
        json_put_time(&r.json, "modified_at", a->updated_us);
        json_put_uint(&r.json, "conversation_used_bytes", a->session_used);
        json_put_uint(&r.json, "tenant_used_bytes", a->tenant_used);
    } else {
        buf_addf(&r.text, "#%lld ", (long long)a->id);
        term_add(&r.text, bytes_str(a->path), true);
        buf_addf(&r.text, ", version %lld", (long long)a->version);
    }
    row_print(&r);
}

const char *media_type_option(const struct args *args)
{
    const char *type = args_text(args, "media-type");

    return type ? type : args_text(args, "mime");
}

/* The tags of the command line, ended by NULL; NULL when there are none. */
static const char **take_tags(const struct args *args)
{
    size_t n = 0, i;
    const char **tags;

    while (args_list(args, "tag", n))
        n++;
    tags = n ? calloc(n + 1, sizeof *tags) : NULL;
    for (i = 0; tags && i < n; i++)
        tags[i] = args_list(args, "tag", i);
    return tags;
}

/* How much to read: a little more than quota.file, so that the library's error
 * has the size, but not an endless input. */
static size_t input_max(struct cli *cli)
{
    const size_t more = (size_t)1 << 20, most = (size_t)1 << 30;
    quire_setting s = {.value = "0"};
    uint64_t limit;

    if (quire_config_get(cli->q, "quota.file", &s, NULL))
        return 16 * more;
    limit = strtoull(s.value, NULL, 10);
    return limit < most - more ? (size_t)limit + more : most;
}

static int artifact_put(struct cli *cli, const struct args *args)
{
    quire_artifact_options o = QUIRE_ARTIFACT_OPTIONS_INIT;
    struct buf content = BUF_INIT(input_max(cli));
    const char **tags = take_tags(args);
    const char *session;
    quire_artifact a;
    quire_error err = {0};
    int code = EXIT_DONE;

    if (args->words[0][0] == '#' && args->words[0][1] &&
        !args->words[0][1 + strspn(args->words[0] + 1, "0123456789")]) {
        free(tags);
        return cli_usage(cli, "choose a path that is not # and digits",
                         "`%s` is an id, not a path", args->words[0]);
    }
    o.mime = media_type_option(args);
    o.purpose = args_text(args, "purpose");
    o.source = args_text(args, "source");
    o.agent = args_text(args, "agent");
    o.meta = args_text(args, "meta");
    o.tags = tags;
    if (input_read(args->n_words > 1 ? args->words[1] : NULL, &content, &err))
        code = artifact_fail(cli, &err);
    if (!code)
        code = session_default(cli, args, true, &session);
    if (!code && quire_artifact_put(cli->q, session, args->words[0],
                                    buf_bytes(&content), &o, &a, &err))
        code = artifact_fail(cli, &err);
    else if (!code)
        print_put(cli, &a);
    buf_release(&content);
    free(tags);
    return code;
}

static const struct opt put_opts[] = {
    {.name = "media-type",
     .kind = OPT_TEXT,
     .value = "M",
     .help = "its media type; found by name or content unless given"},
    {.name = "mime",
     .kind = OPT_TEXT,
     .value = "M",
     .help = "the same as --media-type"},
    {.name = "purpose",
     .kind = OPT_TEXT,
     .value = "P",
     .help = "its purpose, in a few words"},
    {.name = "tag",
     .kind = OPT_LIST,
     .value = "T",
     .help = "a tag; may be given again"},
    {.name = "source",
     .kind = OPT_TEXT,
     .value = "S",
     .help = "where it comes from"},
    {.name = "agent",
     .kind = OPT_TEXT,
     .value = "ID",
     .help = "the agent that made it"},
    {.name = "meta",
     .kind = OPT_TEXT,
     .value = "JSON",
     .help = "other metadata, a JSON object"},
    {0},
};

const struct cmd cmd_artifact_put = {
    .name = "artifact put",
    .args = "PATH [FILE]",
    .summary = "store a file under a path",
    .about =
        "Reads FILE, or standard input. An existing path gets a new version and "
        "keeps its id. At most 16 MiB a file, 1 GiB a session and 10 GiB in all; "
        "for tenants but `default` 1 MiB, 50 MiB and 500 MiB. `quire config` "
        "changes these quotas. With --json "
        "one object: id, path, size_bytes, sha256, version, media_type, created "
        "(whether the path is new), created_at, modified_at, "
        "conversation_used_bytes, tenant_used_bytes; `size` and `mime` are "
        "older names of size_bytes and media_type.",
    .opts = put_opts,
    .examples = "echo 'remember the milk' | quire artifact put notes/today.md\n"
                "quire artifact put notes/today.md notes.txt --tag home",
    .store = STORE_WRITE,
    .run = artifact_put,
};

/* ---- ls, versions ------------------------------------------------------- */

static int artifact_ls(struct cli *cli, const struct args *args)
{
    quire_artifact_list_options o = QUIRE_ARTIFACT_LIST_OPTIONS_INIT;
    const char *session;
    quire_error err = {0};
    int code;

    o.all_sessions = args_flag(args, "all-sessions");
    o.deleted = args_flag(args, "deleted");
    o.limit = args_number(args, "limit", 0);
    if (cursor_read(cli, args, &o.before_us, &o.before_id))
        return EXIT_USAGE;
    code = session_default(cli, args, false, &session);
    if (code)
        return code;
    if (!quire_artifact_list(cli->q, session, &o, list_one, cli, &err))
        return EXIT_DONE;
    return cli->out.error ? EXIT_DONE /* out_close() reports it */
                          : artifact_fail(cli, &err);
}

static const struct opt ls_opts[] = {
    {.name = "all-sessions",
     .letter = 'a',
     .kind = OPT_FLAG,
     .help = "those of every session"},
    {.name = "deleted",
     .kind = OPT_FLAG,
     .help = "soft-deleted artifacts instead"},
    {.name = "limit",
     .letter = 'n',
     .kind = OPT_NUMBER,
     .value = "N",
     .help = "at most N; 0, the default, for all"},
    {.name = "cursor",
     .kind = OPT_TEXT,
     .value = "C",
     .help = "continue after the artifact with this `cursor`"},
    {0},
};

const struct cmd cmd_artifact_ls = {
    .name = "artifact ls",
    .args = "",
    .summary = "list artifacts, the last changed first",
    .about =
        "Those of --session, or of the last session of the current directory. "
        "With --json an object each, as `artifact "
        "stat` prints it, and its `cursor`: --cursor with the cursor of the "
        "last row prints the next page.",
    .opts = ls_opts,
    .examples = "quire artifact ls\nquire artifact ls --all-sessions --json",
    .store = STORE_READ,
    .paged = true,
    .run = artifact_ls,
};

static quire_status version_one(void *ctx, const quire_artifact *a,
                                quire_error *err)
{
    struct row r;

    print_heading(ctx, "vers  " ROW_COLUMNS);
    if (row_begin(&r, ctx)) {
        add_content(&r.json, a);
        json_put_time(&r.json, "created_at", a->updated_us);
    } else {
        buf_addf(&r.text, "%4lld  ", (long long)a->version);
        artifact_add_row(&r.text, a);
    }
    return row_emit(&r, err);
}

static int artifact_versions(struct cli *cli, const struct args *args)
{
    const char *session;
    quire_error err = {0};
    int code = session_default(cli, args, false, &session);

    if (code)
        return code;
    if (!quire_artifact_versions(cli->q, session, args->words[0], version_one,
                                 cli, &err))
        return EXIT_DONE;
    return cli->out.error ? EXIT_DONE /* out_close() reports it */
                          : artifact_fail(cli, &err);
}

const struct cmd cmd_artifact_versions = {
    .name = "artifact versions",
    .args = "PATH|#ID",
    .summary = "list the versions of an artifact, the newest first",
    .about = "The last twenty are kept. With --json an object each: version, "
             "size_bytes, sha256, media_type, created_at.",
    .examples = "quire artifact versions notes/today.md",
    .store = STORE_READ,
    .paged = true,
    .run = artifact_versions,
};

/* ---- search ------------------------------------------------------------- */

static quire_status emit_hit(void *ctx, const quire_hit *hit, quire_error *err)
{
    char score[32];
    struct row r;

    print_heading(ctx, ROW_COLUMNS);
    if (row_begin(&r, ctx)) {
        snprintf(score, sizeof score, "%.6f", hit->score);
        json_put_int(&r.json, "id", hit->artifact.id);
        json_put_str(&r.json, "path", hit->artifact.path);
        json_put_str(&r.json, "session", hit->artifact.session);
        json_put_raw(&r.json, "score", bytes_str(score));
        json_put_str(&r.json, "snippet", hit->snippet);
        json_put_bool(&r.json, "part", hit->part);
    } else {
        artifact_add_row(&r.text, &hit->artifact);
        if (*hit->snippet) {
            buf_add_str(&r.text, "\n       ");
            term_add(&r.text, bytes_str(hit->snippet), true);
        }
    }
    return row_emit(&r, err);
}

static int artifact_search(struct cli *cli, const struct args *args)
{
    quire_artifact_search_options o = QUIRE_ARTIFACT_SEARCH_OPTIONS_INIT;
    const char *session;
    quire_error err = {0};
    int partial = 0, code;

    o.all_sessions = args_flag(args, "all-sessions");
    o.fts = args_flag(args, "fts");
    o.tag = args_text(args, "tag");
    o.mime = media_type_option(args);
    o.limit = args_number(args, "limit", 20);
    if (cursor_time(cli, args, "since", &o.since_us) ||
        cursor_time(cli, args, "until", &o.until_us))
        return EXIT_USAGE;
    code = session_default(cli, args, false, &session);
    if (code)
        return code;
    if (quire_artifact_search(cli->q, session, args->words[0], &o, emit_hit,
                              cli, &partial, &err))
        return cli->out.error ? EXIT_DONE : artifact_fail(cli, &err);
    if (partial)
        session_warn(cli, "partial",
                     "too many matches: only the newest were ranked");
    return EXIT_DONE;
}

static const struct opt search_opts[] = {
    {.name = "all-sessions",
     .letter = 'a',
     .kind = OPT_FLAG,
     .help = "search every session"},
    {.name = "fts",
     .kind = OPT_FLAG,
     .help = "accepted for old scripts, without effect"},
    {.name = "tag", .kind = OPT_TEXT, .value = "T", .help = "with this tag"},
    {.name = "media-type",
     .kind = OPT_TEXT,
     .value = "M",
     .help = "with a media type that begins with M, such as text/"},
    {.name = "mime",
     .kind = OPT_TEXT,
     .value = "M",
     .help = "the same as --media-type"},
    {.name = "since",
     .kind = OPT_TEXT,
     .value = "TIME",
     .help = "changed after TIME"},
    {.name = "until",
     .kind = OPT_TEXT,
     .value = "TIME",
     .help = "changed before TIME"},
    {.name = "limit",
     .letter = 'n',
     .kind = OPT_NUMBER,
     .value = "N",
     .help = "at most N; 20 unless given, 0 for all"},
    {0},
};

const struct cmd cmd_artifact_search = {
    .name = "artifact search",
    .args = "QUERY",
    .summary = "find artifacts by words in their path, tags and text",
    .about =
        "Finds artifacts with all words of QUERY in path, purpose, tags or "
        "text; words in double quotes must stand together. AND, OR and AND NOT "
        "between words, in capitals, are operators. Case and accents are "
        "ignored. Parts of identifiers, and of Chinese, Japanese and Korean "
        "text, match as well. In a word such as C++, C# or $HOME the signs must "
        "match, too. The best match comes first, matches of the "
        "beginning of a word last. With --json an object each: id, path, "
        "session, score, snippet, part. Exits with 1 without a match.",
    .opts = search_opts,
    .examples = "quire artifact search today",
    .store = STORE_READ,
    .paged = true,
    .run = artifact_search,
};

/* ---- rm, restore -------------------------------------------------------- */

static int remove_one(struct cli *cli, const struct args *args,
                      const char *word)
{
    const char *session;
    quire_error err = {0};
    int code = session_default(cli, args, false, &session);

    if (code)
        return code;
    if (quire_artifact_remove(cli->q, session, word, args_flag(args, "purge"),
                              &err))
        return artifact_fail(cli, &err);
    return EXIT_DONE;
}

static int artifact_rm(struct cli *cli, const struct args *args)
{
    return each_word(cli, args, remove_one);
}

static const struct opt rm_opts[] = {
    {.name = "purge",
     .kind = OPT_FLAG,
     .help =
         "delete them and their versions permanently; a soft-deleted one by "
         "its #ID"},
    {0},
};

const struct cmd cmd_artifact_rm = {
    .name = "artifact rm",
    .args = "PATH|#ID...",
    .summary = "soft-delete artifacts",
    .about =
        "They are no longer listed and do not count against quotas; `quire "
        "artifact restore` restores them. Of several, all or none.",
    .opts = rm_opts,
    .examples = "quire artifact rm notes/today.md",
    .store = STORE_WRITE,
    .run = artifact_rm,
};

static int artifact_restore(struct cli *cli, const struct args *args)
{
    const char *session;
    quire_artifact a;
    quire_error err = {0};
    int code = session_default(cli, args, false, &session);

    if (code)
        return code;
    if (quire_artifact_restore(cli->q, session, args->words[0], &a, &err))
        return artifact_fail(cli, &err);
    artifact_emit(cli, &a, &err);
    return EXIT_DONE;
}

const struct cmd cmd_artifact_restore = {
    .name = "artifact restore",
    .args = "PATH",
    .summary = "restore the artifact soft-deleted last under a path",
    .examples = "quire artifact restore notes/today.md",
    .store = STORE_WRITE,
    .run = artifact_restore,
};

/* ---- path --------------------------------------------------------------- */

static void print_path(struct cli *cli, quire_bytes path)
{
    const char *reason;
    char clean[257];
    bool ok = !quire_artifact_path(path, clean, &reason, NULL);
    struct row r;

    row_begin_json(&r, cli);
    json_put_bool(&r.json, "ok", ok);
    json_put_str(&r.json, ok ? "path" : "reason", ok ? clean : reason);
    row_print(&r);
}

static int artifact_path(struct cli *cli, const struct args *args)
{
    int separator = args_flag(args, "null") ? '\0' : '\n';
    char *path = NULL;
    size_t cap = 0;
    ssize_t n;

    while ((n = getdelim(&path, &cap, separator, stdin)) > 0) {
        if (path[n - 1] == (char)separator)
            n--;
        print_path(cli, bytes_of(path, (size_t)n));
    }
    free(path);
    return EXIT_DONE;
}

static const struct opt path_opts[] = {
    {.name = "null",
     .letter = '0',
     .kind = OPT_FLAG,
     .help = "paths end with NUL, not with a newline"},
    {0},
};

const struct cmd cmd_artifact_path = {
    .name = "artifact path",
    .args = "",
    .summary = "print the canonical form of paths, or why they are refused",
    .about =
        "Reads paths from standard input and prints an object for each: ok, "
        "and path, its canonical form, or reason: empty, path_too_long, "
        "absolute, component_too_long, traversal, hidden, nul_byte, "
        "control_char, colon, reserved_name, invalid_utf8.",
    .opts = path_opts,
    .examples = "printf 'a//b/\\n../c\\n' | quire artifact path",
    .store = STORE_NONE,
    .run = artifact_path,
};

static int artifact_recount(struct cli *cli, const struct args *args)
{
    quire_error err = {0};
    uint64_t wrong;
    struct row r;

    (void)args;
    if (quire_artifact_recount(cli->q, &wrong, &err))
        return artifact_fail(cli, &err);
    if (row_begin(&r, cli)) {
        json_put_uint(&r.json, "wrong", wrong);
    } else if (wrong) {
        add_count(&r.text, wrong, "counter was wrong and is",
                  "counters were wrong and are");
        buf_add_str(&r.text, " corrected");
    } else {
        buf_add_str(&r.text, "all counters are right");
    }
    row_print(&r);
    return wrong ? EXIT_DAMAGED : EXIT_DONE;
}

const struct cmd cmd_artifact_recount = {
    .name = "artifact recount",
    .args = "",
    .summary = "recount the bytes that sessions and tenants use",
    .about = "Compares the counters behind quotas with the artifacts of all "
             "tenants, and corrects them. Exits with 4 if one was wrong. With "
             "--json an object: wrong (how many were).",
    .examples = "quire artifact recount",
    .store = STORE_WRITE,
    .run = artifact_recount,
};
