/*
 * memory_relate.c - relations between memory entries
 */
#include "base/bytes.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/memory.h"

/* ---- relate, unrelate --------------------------------------------------- */

static void add_relation(struct json_writer *w, const quire_relation *r)
{
    json_put_int(w, "id", r->id);
    json_put_int(w, "source_id", r->source);
    json_put_str(w, "relation", quire_relation_name(r->kind));
    json_put_int(w, "target_id", r->target);
}

static void add_arrow(struct buf *out, const quire_relation *r)
{
    buf_addf(out, "#%lld --[%s]--> #%lld", (long long)r->source,
             quire_relation_name(r->kind), (long long)r->target);
}

static int memory_relate(struct cli *cli, const struct args *args)
{
    quire_relation_kind kind = QUIRE_RELATES_TO;
    quire_relation relation;
    quire_error err = {0};
    struct row r;
    int64_t source = 0, target = 0;
    int code = memory_id(cli, args->words[0], &source);

    if (!code)
        code = memory_id(cli, args->words[2], &target);
    if (!code && quire_relation_of(bytes_str(args->words[1]), &kind, &err))
        code = memory_fail(cli, &err);
    if (code)
        return code;
    if (quire_relation_add(cli->q, source, kind, target, &relation, &err))
        return memory_fail(cli, &err);
    if (row_begin(&r, cli))
        add_relation(&r.json, &relation);
    else
        add_arrow(&r.text, &relation);
    row_print(&r);
    return EXIT_DONE;
}

const struct cmd cmd_memory_relate = {
    .name = "memory relate",
    .args = "A REL B",
    .summary = "relate two entries",
    .about = "REL is relates_to, refines, contradicts, supersedes or supports, "
             "and leads from A to B. With --json one object: id, source_id, "
             "relation, target_id. Exits with 1 if it exists already.",
    .examples = "quire memory relate 1 supports 2",
    .store = STORE_WRITE,
    .run = memory_relate,
};

static int memory_unrelate(struct cli *cli, const struct args *args)
{
    quire_error err = {0};
    int64_t id = 0;
    int code = memory_id(cli, args->words[0], &id);

    if (!code && quire_relation_remove(cli->q, id, &err))
        code = memory_fail(cli, &err);
    return code;
}

const struct cmd cmd_memory_unrelate = {
    .name = "memory unrelate",
    .args = "ID",
    .summary = "remove a relation",
    .about =
        "ID is the relation's, as `memory relate --json` and `memory graph "
        "--json` print it.",
    .examples = "quire memory unrelate 1",
    .store = STORE_WRITE,
    .run = memory_unrelate,
};

/* ---- graph -------------------------------------------------------------- */

static quire_status emit_entry(void *ctx, const quire_memory *entry,
                               quire_error *err)
{
    struct row r;

    print_heading(ctx, MEMORY_COLUMNS);
    if (row_begin(&r, ctx)) {
        json_key(&r.json, "entry");
        json_object(&r.json);
        memory_add_members(&r.json, entry);
        json_object_end(&r.json);
    } else {
        memory_add_row(&r.text, entry);
    }
    return row_emit(&r, err);
}

static quire_status emit_relation(void *ctx, const quire_relation *relation,
                                  quire_error *err)
{
    struct row r;

    if (row_begin(&r, ctx)) {
        json_key(&r.json, "relation");
        json_object(&r.json);
        add_relation(&r.json, relation);
        json_object_end(&r.json);
    } else {
        add_arrow(&r.text, relation);
    }
    return row_emit(&r, err);
}

static int memory_graph(struct cli *cli, const struct args *args)
{
    quire_graph_options o = QUIRE_GRAPH_OPTIONS_INIT;
    const char *around = args_text(args, "around");
    uint64_t depth = args_number(args, "depth", 1);
    quire_error err = {0};
    int code = memory_types(cli, args, &o.types);

    if (!code && around)
        code = memory_id(cli, around, &o.around);
    if (code)
        return code;
    o.depth = depth < UINT16_MAX ? (unsigned)depth : UINT16_MAX;
    o.max_nodes = args_number(args, "limit", 0);
    if (!quire_memory_graph(cli->q, &o, emit_entry, emit_relation, cli, &err))
        return EXIT_DONE;
    return cli->out.error ? EXIT_DONE : memory_fail(cli, &err);
}

static const struct opt graph_opts[] = {
    {.name = "type",
     .kind = OPT_TEXT,
     .value = "T,...",
     .help = "entries of these types only"},
    {.name = "around",
     .kind = OPT_TEXT,
     .value = "ID",
     .help = "only what this entry is related to"},
    {.name = "depth",
     .kind = OPT_NUMBER,
     .value = "N",
     .help = "up to N steps from it; 1 unless given"},
    {.name = "limit",
     .letter = 'n',
     .kind = OPT_NUMBER,
     .value = "N",
     .help = "at most N entries; 0, the default, for all"},
    {0},
};

const struct cmd cmd_memory_graph = {
    .name = "memory graph",
    .args = "",
    .summary = "print entries and the relations between them",
    .about =
        "First the valid entries, then the relations between them. With --json a line each: {\"entry\":{...}} as "
        "`memory add` prints it, {\"relation\":{...}} as `memory relate` "
        "does.",
    .opts = graph_opts,
    .examples = "quire memory graph --around 1 --depth 2",
    .store = STORE_READ,
    .paged = true,
    .run = memory_graph,
};
