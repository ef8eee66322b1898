/*
 * memory.c - facts that outlive their session
 */
#include "cli/cmd/memory.h"
#include "cli/core/cursor.h"
#include "cli/core/each_word.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/artifact.h"
#include "cli/cmd/session.h"

int memory_fail(struct cli *cli, const quire_error *err)
{
    int code = cli_fail(cli, err);

    return err->status == QUIRE_INVALID ? EXIT_USAGE : code;
}

/* ---- arguments ---------------------------------------------------------- */

/* Parse an id at the start of *text, and advance it. */
static bool read_id(const char **text, int64_t *id)
{
    const char *at = *text;
    char *end;

    if (!strncmp(at, "mem:", 4))
        at += 4;
    if (*at == '#')
        at++;
    if (*at < '0' || *at > '9')
        return false;
    *id = strtoll(at, &end, 10);
    *text = end;
    return *id > 0 && *id < INT64_MAX;
}

int memory_id(struct cli *cli, const char *text, int64_t *id)
{
    const char *at = text;

    if (read_id(&at, id) && !*at)
        return EXIT_DONE;
    return cli_usage(cli, "an id looks like 12, #12 or mem:12",
                     "`%s` is not an id", text);
}

/* "3,#4,mem:5". The caller frees *ids. */
static int read_ids(struct cli *cli, const char *text, int64_t **ids, size_t *n)
{
    const char *at = text ? text : "";

    *ids = NULL;
    *n = 0;
    if (!text)
        return EXIT_DONE;
    *ids = calloc(strlen(text) + 1, sizeof **ids);
    while (*ids && read_id(&at, &(*ids)[*n])) {
        ++*n;
        if (*at != ',')
            break;
        at++;
    }
    if (*ids && *n && !*at)
        return EXIT_DONE;
    return cli_usage(cli, "give ids such as 3,#4,mem:5",
                     "`%s` is not a list of ids", text);
}

int memory_types(struct cli *cli, const struct args *args, unsigned *types)
{
    const char *at = args_text(args, "type");
    quire_memory_type type;
    quire_error err = {0};

    *types = 0;
    while (at && *at) {
        size_t len = strcspn(at, ",");

        if (len > 0) {
            if (quire_memory_type_of(bytes_of(at, len), &type, &err))
                return memory_fail(cli, &err);
            *types |= 1u << type;
        }
        at += len + (at[len] == ',');
    }
    return EXIT_DONE;
}

/* "12" or "#12", the id of an artifact. */
static int artifact_id(struct cli *cli, const char *text, int64_t *id)
{
    if (strncmp(text, "mem:", 4) != 0)
        return memory_id(cli, text, id);
    return cli_usage(cli, "an artifact's id looks like 12 or #12",
                     "`%s` is a memory entry, not an artifact", text);
}

/* ---- rows --------------------------------------------------------------- */

void memory_add_members(struct json_writer *w, const quire_memory *entry)
{
    json_put_int(w, "id", entry->id);
    json_put_str(w, "type", quire_memory_type_name(entry->type));
    json_put_bytes(w, "title", entry->title);
    json_put_bytes(w, "content", entry->content);
    json_put_bytes(w, "source", entry->source);
    json_put_raw(w, "tags", bytes_str(entry->tags));
    if (entry->artifact)
        json_put_int(w, "artifact_id", entry->artifact);
    else
        json_put_null(w, "artifact_id");
    json_put_optional(w, "session", entry->session);
    json_put_time(w, "created_at", entry->created_us);
    json_put_time(w, "modified_at", entry->updated_us);
    json_put_time(w, "updated_at", entry->updated_us); /* its older name */
    json_put_time(w, "valid_from", entry->valid_from_us);
    json_put_time(w, "valid_to", entry->valid_to_us);
}

void memory_add_row(struct buf *line, const quire_memory *entry)
{
    char when[LOCAL_TIME_SIZE], id[24];
    struct json_scan it;

    snprintf(id, sizeof id, "#%lld", (long long)entry->id);
    buf_addf(line, "%-6s %.10s  [%s] ", id, local_time(entry->updated_us, when),
             quire_memory_type_name(entry->type));
    term_add(line, entry->title, true);
    json_iter_init(&it, bytes_str(entry->tags));
    while (json_next(&it)) {
        buf_add_str(line, " +");
        term_add_json(line, it.value, SIZE_MAX, true);
    }
    if (entry->artifact)
        buf_addf(line, "  (artifact #%lld)", (long long)entry->artifact);
}

/* The whole of an entry. */
static void add_page(struct buf *line, const quire_memory *entry)
{
    memory_add_row(line, entry);
    if (entry->source.len) {
        buf_add_str(line, "\nsource: ");
        term_add(line, entry->source, true);
    }
    if (entry->content.len) {
        buf_add_str(line, "\n\n");
        term_add(line, entry->content, false);
    }
}

static void print_entry(struct cli *cli, const quire_memory *entry)
{
    struct row r;

    if (row_begin(&r, cli))
        memory_add_members(&r.json, entry);
    else
        memory_add_row(&r.text, entry);
    row_print(&r);
}

/* ---- add, edit ---------------------------------------------------------- */

/* An entry from the command line. */
struct input {
    quire_memory_options o;
    struct buf content; /* from standard input */
    quire_bytes *tags;
    int64_t *supersedes;
};

static void input_release(struct input *s)
{
    buf_release(&s->content);
    free(s->tags);
    free(s->supersedes);
}

static int take_tags(struct input *s, const struct args *args)
{
    size_t n = 0, i;

    while (args_list(args, "tag", n))
        n++;
    s->tags = calloc(n + 1, sizeof *s->tags);
    for (i = 0; s->tags && i < n; i++)
        s->tags[i] = bytes_str(args_list(args, "tag", i));
    s->o.tags = n ? s->tags : NULL;
    s->o.n_tags = n;
    return s->tags ? EXIT_DONE : EXIT_FAILED;
}

static int take_content(struct cli *cli, struct input *s,
                        const struct args *args)
{
    const char *content = args_text(args, "content");
    quire_error err = {0};

    if (!content)
        return EXIT_DONE;
    s->o.content = bytes_str(content);
    if (strcmp(content, "-") != 0)
        return EXIT_DONE;
    if (input_read("-", &s->content, &err))
        return memory_fail(cli, &err);
    s->o.content = bytes_of(s->content.len ? s->content.data : "",
                            s->content.len);
    return EXIT_DONE;
}

/* All but --artifact and --supersedes, which `add` and `edit` have differently.
 * Release it in both cases. */
static int read_input(struct cli *cli, const struct args *args, struct input *s)
{
    const char *type = args_text(args, "type");
    const char *title = args_text(args, "title");
    const char *source = args_text(args, "source");
    quire_error err = {0};

    *s = (struct input){.o = QUIRE_MEMORY_OPTIONS_INIT,
                        .content = BUF_INIT((size_t)1 << 20)};
    if (type && quire_memory_type_of(bytes_str(type), &s->o.type, &err))
        return memory_fail(cli, &err);
    s->o.set_type = type != NULL;
    if (title)
        s->o.title = bytes_str(title);
    if (source)
        s->o.source = bytes_str(source);
    return cli_worse(take_tags(s, args), take_content(cli, s, args));
}

static int memory_add(struct cli *cli, const struct args *args)
{
    const char *artifact = args_text(args, "artifact");
    struct input s;
    quire_memory entry;
    quire_error err = {0};
    int code = read_input(cli, args, &s);

    if (!code && (!args_text(args, "type") || !args_text(args, "title")))
        code = cli_usage(cli, "give --type and --title", "%s is missing",
                         args_text(args, "type") ? "--title" : "--type");
    if (!code && artifact)
        code = artifact_id(cli, artifact, &s.o.artifact);
    if (!code)
        code = read_ids(cli, args_text(args, "supersedes"), &s.supersedes,
                        &s.o.n_supersedes);
    s.o.supersedes = s.supersedes;
    if (!code && quire_memory_add(cli->q, args_text(args, "session"), &s.o,
                                  &entry, &err))
        code = memory_fail(cli, &err);
    else if (!code)
        print_entry(cli, &entry);
    input_release(&s);
    return code;
}

#define TEXT_OPTS                                         \
    {.name = "content",                                   \
     .kind = OPT_TEXT,                                    \
     .value = "TEXT",                                     \
     .help = "the text; - reads standard input"},         \
        {.name = "tag",                                   \
         .kind = OPT_LIST,                                \
         .value = "T",                                    \
         .help = "a tag; may be given again"},            \
    {                                                     \
        .name = "source", .kind = OPT_TEXT, .value = "S", \
        .help = "where the fact comes from"               \
    }

static const struct opt add_opts[] = {
    {.name = "type",
     .kind = OPT_TEXT,
     .value = "T",
     .help = "user, feedback, project, reference, learning or context"},
    {.name = "title",
     .kind = OPT_TEXT,
     .value = "X",
     .help = "the fact in a line"},
    TEXT_OPTS,
    {.name = "artifact",
     .kind = OPT_TEXT,
     .value = "ID",
     .help = "link the artifact with this id"},
    {.name = "supersedes",
     .kind = OPT_TEXT,
     .value = "ID,...",
     .help = "entries that this one replaces"},
    {0},
};

const struct cmd cmd_memory_add = {
    .name = "memory add",
    .args = "",
    .summary = "remember a fact",
    .about =
        "The entry belongs to the tenant, and is pinned to the session of "
        "--session or QUIRE_SESSION, if given. A title has up to 200 bytes, "
        "content up to 64 KiB. In a session, only its own artifacts and those "
        "that an entry links already can be linked; without one, any of the "
        "tenant's. With --json one object: id, type, title, content, source, "
        "tags, artifact_id, session, created_at, modified_at, valid_from, "
        "valid_to; `updated_at` is an older name of modified_at.",
    .opts = add_opts,
    .examples = "quire memory add --type project --title 'the cache is on disk'"
                " --tag build\n"
                "quire memory add --type user --title 'prefers short answers'"
                " --source review",
    .store = STORE_WRITE,
    .run = memory_add,
};

static bool is_change(const struct args *args)
{
    return args_text(args, "type") || args_text(args, "title") ||
           args_text(args, "content") || args_text(args, "source") ||
           args_text(args, "artifact") || args_list(args, "tag", 0) ||
           args_flag(args, "no-tags");
}

static int memory_edit(struct cli *cli, const struct args *args)
{
    const char *artifact = args_text(args, "artifact");
    struct input s;
    quire_memory entry;
    quire_error err = {0};
    int64_t id = 0;
    int code = read_input(cli, args, &s);

    if (!code)
        code = memory_id(cli, args->words[0], &id);
    if (!code && artifact && !strcmp(artifact, "none"))
        s.o.artifact = -1;
    else if (!code && artifact)
        code = artifact_id(cli, artifact, &s.o.artifact);
    if (!code && !is_change(args))
        code = cli_usage(cli, "see `quire memory edit --help`",
                         "no change was given");
    if (!code && args_flag(args, "no-tags"))
        s.o.tags = s.tags; /* with none of them */
    if (!code && quire_memory_edit(cli->q, args_text(args, "session"), id, &s.o,
                                   &entry, &err))
        code = memory_fail(cli, &err);
    else if (!code)
        print_entry(cli, &entry);
    input_release(&s);
    return code;
}

static const struct opt edit_opts[] = {
    {.name = "type", .kind = OPT_TEXT, .value = "T", .help = "a new type"},
    {.name = "title", .kind = OPT_TEXT, .value = "X", .help = "a new title"},
    TEXT_OPTS,
    {.name = "no-tags", .kind = OPT_FLAG, .help = "remove all tags"},
    {.name = "artifact",
     .kind = OPT_TEXT,
     .value = "ID",
     .help = "link another artifact; `none` removes the link"},
    {0},
};

const struct cmd cmd_memory_edit = {
    .name = "memory edit",
    .args = "ID",
    .summary = "change an entry",
    .about = "Fields that are not given stay; given tags replace all tags. To "
             "replace a fact and keep its history, use `quire memory add "
             "--supersedes`.",
    .opts = edit_opts,
    .examples = "quire memory edit 1 --content 'under ~/.cache' --tag disk",
    .store = STORE_WRITE,
    .run = memory_edit,
};

/* ---- show --------------------------------------------------------------- */

/* The entry's text is valid until the artifact is looked up, so it is written
 * first. */
static void add_linked(struct cli *cli, struct json_writer *w, int64_t id)
{
    quire_artifact_get_options o = QUIRE_ARTIFACT_GET_OPTIONS_INIT;
    quire_artifact a;
    char which[32];

    snprintf(which, sizeof which, "#%lld", (long long)id);
    o.any_session = 1;
    /* It may have been purged since the entry was read. */
    if (!id || quire_artifact_stat(cli->q, NULL, which, &o, &a, NULL))
        return;
    json_key(w, "artifact");
    json_object(w);
    artifact_add_members(w, &a);
    json_object_end(w);
}

static int memory_show(struct cli *cli, const struct args *args)
{
    quire_memory entry;
    quire_error err = {0};
    struct row r;
    int64_t id = 0, as_of_us = 0;
    int code = memory_id(cli, args->words[0], &id);

    if (!code)
        code = cursor_time(cli, args, "as-of", &as_of_us);
    if (code)
        return code;
    if (quire_memory_get(cli->q, id, as_of_us, &entry, &err))
        return memory_fail(cli, &err);
    if (row_begin(&r, cli)) {
        memory_add_members(&r.json, &entry);
        add_linked(cli, &r.json, entry.artifact);
    } else {
        add_page(&r.text, &entry);
    }
    row_print(&r);
    return EXIT_DONE;
}

#define AS_OF                                                       \
    {                                                               \
        .name = "as-of", .kind = OPT_TEXT, .value = "TIME",         \
        .help = "what was valid then, such as 2026-02-16T10:20:30Z" \
    }

static const struct opt show_opts[] = {
    AS_OF,
    {0},
};

const struct cmd cmd_memory_show = {
    .name = "memory show",
    .args = "ID",
    .summary = "show an entry",
    .about = "With --json the object that `memory add` prints, and `artifact`, "
             "the metadata of the linked artifact.",
    .opts = show_opts,
    .examples = "quire memory show 1 --json",
    .store = STORE_READ,
    .run = memory_show,
};

/* ---- ls ----------------------------------------------------------------- */

static quire_status list_one(void *ctx, const quire_memory *entry,
                             quire_error *err)
{
    struct row r;

    print_heading(ctx, MEMORY_COLUMNS);
    if (row_begin(&r, ctx)) {
        memory_add_members(&r.json, entry);
        cursor_add(&r.json, entry->updated_us, entry->id);
    } else {
        memory_add_row(&r.text, entry);
    }
    return row_emit(&r, err);
}

static int memory_ls(struct cli *cli, const struct args *args)
{
    quire_memory_list_options o = QUIRE_MEMORY_LIST_OPTIONS_INIT;
    quire_error err = {0};
    int code = memory_types(cli, args, &o.types);

    if (!code)
        code = cursor_time(cli, args, "as-of", &o.as_of_us);
    if (!code)
        code = cursor_read(cli, args, &o.before_us, &o.before_id);
    if (code)
        return code;
    o.tag = args_text(args, "tag");
    o.session = args_text(args, "session");
    o.limit = args_limit(args, 50);
    if (!quire_memory_list(cli->q, &o, list_one, cli, &err))
        return EXIT_DONE;
    return cli->out.error ? EXIT_DONE : memory_fail(cli, &err);
}

static const struct opt ls_opts[] = {
    {.name = "type",
     .kind = OPT_TEXT,
     .value = "T,...",
     .help = "only entries of these types"},
    {.name = "tag",
     .kind = OPT_TEXT,
     .value = "T",
     .help = "only entries with this tag, ignoring case"},
    AS_OF,
    {.name = "limit",
     .letter = 'n',
     .kind = OPT_NUMBER,
     .value = "N",
     .help = "at most N; 50 unless given, 0 for all"},
    {.name = "cursor",
     .kind = OPT_TEXT,
     .value = "C",
     .help = "continue after the entry with this `cursor`"},
    {0},
};

const struct cmd cmd_memory_ls = {
    .name = "memory ls",
    .args = "",
    .summary = "list entries, the last changed first",
    .about =
        "All entries of the tenant; with --session or QUIRE_SESSION those "
        "pinned to that session or to none. With --json an object each, as "
        "`memory add` prints it, and its `cursor`: --cursor with the cursor "
        "of the last row prints the next page.",
    .opts = ls_opts,
    .examples = "quire memory ls --type project,user\n"
                "quire memory ls --as-of 2026-02-16T10:20:30Z --json",
    .store = STORE_READ,
    .paged = true,
    .run = memory_ls,
};

/* ---- search ------------------------------------------------------------- */

static quire_status emit_hit(void *ctx, const quire_memory *entry,
                             quire_error *err)
{
    char score[32];
    struct row r;

    print_heading(ctx, MEMORY_COLUMNS);
    if (row_begin(&r, ctx)) {
        snprintf(score, sizeof score, "%.9f", entry->score);
        memory_add_members(&r.json, entry);
        json_put_raw(&r.json, "score", bytes_str(score));
    } else {
        memory_add_row(&r.text, entry);
    }
    return row_emit(&r, err);
}

static int memory_search(struct cli *cli, const struct args *args)
{
    quire_recall_options o = QUIRE_RECALL_OPTIONS_INIT;
    quire_error err = {0};
    int partial = 0;
    int code = memory_types(cli, args, &o.types);

    if (!code)
        code = cursor_time(cli, args, "as-of", &o.as_of_us);
    if (code)
        return code;
    o.tag = args_text(args, "tag");
    o.session = args_text(args, "session");
    o.no_intent = args_flag(args, "no-intent");
    o.no_decay = args_flag(args, "no-decay");
    o.limit = args_limit(args, 20);
    if (quire_memory_search(cli->q, bytes_str(args->words[0]), &o, emit_hit,
                            cli, &partial, &err))
        return cli->out.error ? EXIT_DONE : memory_fail(cli, &err);
    if (partial)
        session_warn(cli, "partial",
                     "too many matches: only the newest were ranked");
    return EXIT_DONE;
}

static const struct opt search_opts[] = {
    {.name = "type",
     .kind = OPT_TEXT,
     .value = "T,...",
     .help = "rank these types higher"},
    {.name = "tag",
     .kind = OPT_TEXT,
     .value = "T",
     .help = "rank entries with this tag higher"},
    AS_OF,
    {.name = "no-intent",
     .kind = OPT_FLAG,
     .help = "do not guess types from words such as `where` and `why`"},
    {.name = "no-decay", .kind = OPT_FLAG, .help = "ignore age in the ranking"},
    {.name = "limit",
     .letter = 'n',
     .kind = OPT_NUMBER,
     .value = "N",
     .help = "at most N; 20 unless given, 0 for all that are ranked, 200"},
    {0},
};

const struct cmd cmd_memory_search = {
    .name = "memory search",
    .args = "QUERY",
    .summary = "find entries by the words of a question",
    .about =
        "Finds entries with at least one word of QUERY; all words, words near "
        "each other and words in the title rank higher. Entries follow in "
        "which a word only begins like one of QUERY, or like its stem: "
        "`deployments` finds `deployment`; in double quotes a word stands for "
        "itself. Words such as `the` are ignored. Entries of the session of --session or QUIRE_SESSION come "
        "first, old entries later. With --json an object each, as `memory add` "
        "prints it, and its score. Exits with 1 without a match.",
    .opts = search_opts,
    .examples = "quire memory search 'where is the cache?'",
    .store = STORE_READ,
    .paged = true,
    .run = memory_search,
};

/* ---- invalidate, rm ----------------------------------------------------- */

static int invalidate_one(struct cli *cli, const struct args *args,
                          const char *word)
{
    quire_error err = {0};
    int64_t id = 0, when_us = 0;
    int code = memory_id(cli, word, &id);

    if (!code)
        code = cursor_time(cli, args, "when", &when_us);
    if (code)
        return code;
    /* The beginning of the millisecond: see cursor_time(). */
    when_us -= when_us % 1000;
    if (quire_memory_invalidate(cli->q, id, when_us, &err))
        return memory_fail(cli, &err);
    return EXIT_DONE;
}

static int memory_invalidate(struct cli *cli, const struct args *args)
{
    return each_word(cli, args, invalidate_one);
}

static const struct opt invalidate_opts[] = {
    {.name = "when",
     .kind = OPT_TEXT,
     .value = "TIME",
     .help = "when it stopped being valid; now unless given"},
    {0},
};

const struct cmd cmd_memory_invalidate = {
    .name = "memory invalidate",
    .args = "ID...",
    .summary = "mark entries as no longer valid",
    .about = "They are kept, and --as-of still shows them; lists and searches "
             "leave them out. Of several, all or none.",
    .opts = invalidate_opts,
    .examples = "quire memory invalidate 2",
    .store = STORE_WRITE,
    .run = memory_invalidate,
};

static int remove_one(struct cli *cli, const struct args *args,
                      const char *word)
{
    quire_error err = {0};
    int64_t id = 0;
    int code = memory_id(cli, word, &id);

    (void)args;

    if (!code && quire_memory_remove(cli->q, id, &err))
        code = memory_fail(cli, &err);
    return code;
}

static int memory_rm(struct cli *cli, const struct args *args)
{
    return each_word(cli, args, remove_one);
}

const struct cmd cmd_memory_rm = {
    .name = "memory rm",
    .args = "ID...",
    .summary = "delete entries permanently, valid or not",
    .about =
        "Deletes their relations, too. Of several, all or none. To keep its history, use `quire "
        "memory invalidate`.",
    .examples = "quire memory rm '#2'",
    .store = STORE_WRITE,
    .run = memory_rm,
};
