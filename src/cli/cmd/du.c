/* du.c - what uses the space of a home */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/map.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/session.h"

struct part {
    const char *kind, *name;
    uint64_t bytes, reclaimable;
    int64_t modified_us;
    const char *title; /* of a session, else "" */
};

struct report {
    struct cli *cli;
    struct arena arena; /* what parts point to */
    struct part *parts;
    size_t n, cap;
    struct map wanted; /* ids, and their titles */
    bool chosen;       /* only those sessions   */
    const char *cwd, *agent;
    struct map of_agent; /* ids, with --agent */
};

static quire_status keep_part(void *ctx, const quire_du_row *row,
                              quire_error *err)
{
    struct report *r = ctx;
    const uint64_t *title = map_get(&r->wanted, bytes_str(row->name));
    struct part *p;

    if (r->chosen && (!title || strcmp(row->kind, "session") != 0))
        return QUIRE_OK;
    if (r->n == r->cap) {
        size_t cap = r->cap ? 2 * r->cap : 64;
        struct part *more = realloc(r->parts, cap * sizeof *more);

        if (!more)
            return err_memory(err);
        r->parts = more;
        r->cap = cap;
    }
    p = &r->parts[r->n];
    *p = (struct part){.kind = arena_text(&r->arena, bytes_str(row->kind)),
                       .name = arena_text(&r->arena, bytes_str(row->name)),
                       .bytes = row->bytes,
                       .reclaimable = row->reclaimable_bytes,
                       .modified_us = row->modified_us,
                       .title = title && !strcmp(row->kind, "session")
                                    ? (const char *)(uintptr_t)*title
                                    : ""};
    r->n++;
    return p->kind && p->name ? QUIRE_OK : err_memory(err);
}

static quire_status add_agent(void *ctx, const quire_import_file *f,
                              quire_error *err)
{
    struct report *r = ctx;
    const char *id;

    if (!f->is_main || strcmp(f->agent, r->agent) != 0)
        return QUIRE_OK;
    id = arena_text(&r->arena, bytes_str(f->session));
    return id && map_put(&r->of_agent, bytes_str(id), 1, NULL)
               ? QUIRE_OK
               : err_memory(err);
}

static quire_status add_session(void *ctx, const quire_session_info *info,
                                quire_error *err)
{
    struct report *r = ctx;
    const char *id, *title = info->title && *info->title ? info->title
                             : info->first               ? info->first
                                                         : "";

    if (r->agent && !map_get(&r->of_agent, bytes_str(info->id)))
        return QUIRE_OK;
    id = arena_text(&r->arena, bytes_str(info->id));
    title = arena_text(&r->arena, bytes_str(title));
    return id && title &&
                   map_put(&r->wanted, bytes_str(id),
                           (uint64_t)(uintptr_t)title, NULL)
               ? QUIRE_OK
               : err_memory(err);
}

/* The sessions, with their titles, that the options choose. */
static quire_status find_sessions(struct report *r, const char *which,
                                  quire_error *err)
{
    quire_list_options o = QUIRE_LIST_OPTIONS_INIT;
    quire_session_row row;
    quire_status st = QUIRE_OK;

    r->chosen = which || r->cwd || r->agent;
    if (which) {
        st = quire_session_row_of(r->cli->q, which, &row, err);
        return st ? st : add_session(r, row.info, err);
    }
    if (r->agent)
        st = quire_import_list(r->cli->q, NULL, add_agent, r, err);
    o.cwd = r->cwd;
    for (o.archived = 0; o.archived < 2 && !st; o.archived++)
        st = quire_session_list(r->cli->q, &o, add_session, r, err);
    return st;
}

static int by_size(const void *a, const void *b)
{
    const struct part *x = a, *y = b;

    return x->bytes != y->bytes ? (x->bytes < y->bytes) - (x->bytes > y->bytes)
                                : strcmp(x->name, y->name);
}

/* The oldest first. */
static int by_age(const void *a, const void *b)
{
    const struct part *x = a, *y = b;

    return x->modified_us != y->modified_us
               ? (x->modified_us > y->modified_us) -
                     (x->modified_us < y->modified_us)
               : strcmp(x->name, y->name);
}

static void print_part(struct cli *cli, const struct part *p)
{
    char size[32], free_size[32];
    struct row r;

    if (row_begin(&r, cli)) {
        json_put_str(&r.json, "kind", p->kind);
        json_put_str(&r.json, "name", p->name);
        json_put_uint(&r.json, "bytes", p->bytes);
        json_put_uint(&r.json, "reclaimable_bytes", p->reclaimable);
        if (p->modified_us)
            json_put_time(&r.json, "modified_at", p->modified_us);
        if (*p->title)
            json_put_str(&r.json, "title", p->title);
    } else {
        size_text(p->bytes, size, sizeof size);
        size_text(p->reclaimable, free_size, sizeof free_size);
        buf_addf(&r.text, "%10s  %10s  %-9s  ", size, free_size, p->kind);
        term_add(&r.text, bytes_str(p->name), true);
        if (*p->title) {
            buf_add_str(&r.text, "  ");
            term_add(&r.text, bytes_str(p->title), true);
        }
    }
    row_print(&r);
}

static void print_parts(struct report *r, bool age)
{
    struct part total = {.kind = "total", .name = "", .title = ""};
    size_t i;

    if (r->n)
        qsort(r->parts, r->n, sizeof *r->parts, age ? by_age : by_size);
    for (i = 0; i < r->n; i++) {
        total.bytes += r->parts[i].bytes;
        total.reclaimable += r->parts[i].reclaimable;
        print_part(r->cli, &r->parts[i]);
    }
    print_part(r->cli, &total);
}

static int du(struct cli *cli, const struct args *args)
{
    struct report r = {.cli = cli,
                       .cwd = args_text(args, "project"),
                       .agent = args_text(args, "agent")};
    const char *sort = args_text(args, "sort");
    quire_error err = {0};
    quire_status st;
    int code = EXIT_DONE;

    map_init(&r.wanted, (uint64_t)clock_us(&clock_system), (uintptr_t)&r);
    map_init(&r.of_agent, (uintptr_t)&r, (uint64_t)clock_us(&clock_system));
    st = find_sessions(&r, args->n_words ? args->words[0] : NULL, &err);
    if (!st)
        st = quire_du(cli->q, keep_part, &r, &err);
    if (st)
        code = session_fail(cli, &err);
    else
        print_parts(&r, sort && !strcmp(sort, "age"));
    free(r.parts);
    map_release(&r.wanted);
    map_release(&r.of_agent);
    arena_release(&r.arena);
    return code;
}

static const struct opt opts_du[] = {
    {.name = "sort",
     .kind = OPT_CHOICE,
     .value = "size|age",
     .help = "the largest first, the default, or the oldest first"},
    {.name = "project",
     .kind = OPT_PATH,
     .value = "DIR",
     .help = "only sessions of the project directory DIR"},
    {.name = "agent",
     .kind = OPT_TEXT,
     .value = "A",
     .help = "only sessions imported from this agent"},
    {0},
};

const struct cmd cmd_du = {
    .name = "du",
    .args = "[S]",
    .summary = "show what uses the space of the home, and what could be free",
    .about =
        "A line for each part: bytes on the disk, bytes that could be free, "
        "kind, name. A session counts with its outputs, the originals of "
        "repairs and its workspace, and is free when it is removed for good, "
        "unless it is held; one in the trash when that is emptied; blobs when "
        "`quire gc` removes those that nothing refers to. The content of "
        "artifacts and images is among the blobs, and shared. The last line is "
        "the sum: what `du` says of the home. Other tenants are included.\n\n"
        "With `--json`: kind, name, bytes, reclaimable_bytes, modified_at, "
        "title.",
    .opts = opts_du,
    .examples = "quire du",
    .store = STORE_READ,
    .run = du,
};
