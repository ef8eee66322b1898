/*
 * generated_test.c - made-up sessions with every kind of record
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "converted.h"
#include "generate.h"

typedef void (*generate_fn)(struct generated *g, uint64_t seed, size_t bytes,
                            bool large);

enum { SEEDS = 120, FILE_BYTES = 30000 };

static quire_bytes member(const struct converted *r, size_t i, const char *key)
{
    return json_get(converted_entry(r, i), key);
}

static size_t count_role(const struct converted *r, const char *role)
{
    size_t i, n = 0;

    for (i = 0; i < r->n; i++) {
        quire_bytes message = member(r, i, "message");

        n += message.data && json_is(json_get(message, "role"), role);
    }
    return n;
}

static size_t count_type(const struct converted *r, const char *type)
{
    size_t i, n = 0;

    for (i = 0; i < r->n; i++)
        n += json_is(member(r, i, "type"), type);
    return n;
}

static void expect_all(const struct converted *r, const struct generated *g)
{
    converted_check(r);
    EQ(g->users, count_role(r, "user"));
    EQ(g->assistants, count_role(r, "assistant"));
    EQ(g->results, count_role(r, "toolResult"));
    EQ(g->compactions, count_type(r, "compaction"));
    EQ(g->input, r->input);
    EQ(g->output, r->output);
    SAME_TEXT("", r->problems.data ? r->problems.data : "");
}

static void generate_all(generate_fn generate, const struct import_format *f)
{
    uint64_t seed;

    for (seed = 1; seed <= SEEDS; seed++) {
        struct generated g;
        struct converted r;

        generate(&g, seed, FILE_BYTES, false);
        converted_init(&r, seed % 2);
        converted_run(&r, f, bytes_of(g.file.data, g.file.len), 0);
        expect_all(&r, &g);
        converted_release(&r);
        buf_release(&g.file);
    }
}

TEST(every_record_of_a_claude_code_session_has_its_entry)
{
    generate_all(generate_claude, &import_claude_code);
}

TEST(every_record_of_a_codex_session_has_its_entry)
{
    generate_all(generate_codex, &import_codex);
}

/* ---- paths -------------------------------------------------------------- */

static struct map index_ids(const struct converted *r)
{
    struct map ids;
    size_t i;

    map_init(&ids, 3, 4);
    for (i = 0; i < r->n; i++)
        YES(map_put(&ids, member(r, i, "id"), i, NULL));
    return ids;
}

/* Add the ids of the calls in an answer, or of the call of a result. */
static void note_calls(struct map *calls, struct map *results,
                       quire_bytes message)
{
    struct json_scan it;

    if (!message.data)
        return;
    if (json_is(json_get(message, "role"), "toolResult"))
        map_put(results, json_get(message, "toolCallId"), 1, NULL);
    if (!json_is(json_get(message, "role"), "assistant"))
        return;
    json_iter_init(&it, json_get(message, "content"));
    while (json_next(&it))
        if (json_is(json_get(it.value, "type"), "toolCall"))
            map_put(calls, json_get(it.value, "id"), 1, NULL);
}

/* Walk from the leaf to the root: every call there has its result there. */
static void check_path(const struct converted *r, const char *must_have)
{
    struct map ids = index_ids(r), calls, results;
    char want[64], leaf[64];
    quire_bytes id;
    size_t i, steps = 0;
    bool found = false;

    map_init(&calls, 5, 6);
    map_init(&results, 7, 8);
    snprintf(want, sizeof want, "\"%s\"", must_have);
    snprintf(leaf, sizeof leaf, "\"%s\"", r->facts.leaf);
    found = !map_get(&ids, bytes_str(want));
    for (id = bytes_str(leaf); id.len > 4 && steps <= r->n; steps++) {
        const uint64_t *at = map_get(&ids, id);

        YES(at);
        found |= bytes_is(id, want);
        note_calls(&calls, &results, member(r, (size_t)*at, "message"));
        id = member(r, (size_t)*at, "parentId");
    }
    YES(steps <= r->n);
    YES(found);
    EQ(calls.n, results.n);
    for (i = 0; i < calls.n_slots; i++)
        if (calls.slots[i].key)
            YES(map_get(&results,
                        bytes_of(calls.slots[i].key, calls.slots[i].len)));
    map_release(&ids);
    map_release(&calls);
    map_release(&results);
}

/* The last entry of the file is where readers of our format continue. */
static void check_leaf(const struct converted *r)
{
    const char *last = converted_get(r, r->n - 1, "id");
    const char *type = converted_get(r, r->n - 1, "customType");

    if (!strcmp(type, "quire/head"))
        last = converted_get(r, r->n - 1, "parentId");
    SAME_TEXT(r->facts.leaf, last);
}

TEST(the_path_to_the_leaf_has_every_result_of_its_calls)
{
    uint64_t seed;

    for (seed = 1; seed <= SEEDS; seed++) {
        struct generated g;
        struct converted r;

        generate_claude(&g, seed, FILE_BYTES, false);
        converted_init(&r, false);
        converted_run(&r, &import_claude_code,
                      bytes_of(g.file.data, g.file.len), 0);
        check_path(&r, g.leaf);
        check_leaf(&r);
        converted_release(&r);
        buf_release(&g.file);
    }
}

TEST(a_rolled_back_codex_session_continues_on_another_branch)
{
    uint64_t seed;

    for (seed = 1; seed <= SEEDS; seed++) {
        struct generated g;
        struct converted r;

        generate_codex(&g, seed, FILE_BYTES, false);
        converted_init(&r, false);
        converted_run(&r, &import_codex, bytes_of(g.file.data, g.file.len), 0);
        check_path(&r, "");
        check_leaf(&r);
        converted_release(&r);
        buf_release(&g.file);
    }
}

/* ---- chunks and continuing ---------------------------------------------- */

static void same_entries(const struct converted *a, const struct converted *b)
{
    EQ(a->n, b->n);
    EQ(a->n_settled, b->n_settled);
    EQ(a->input, b->input);
    EQ(a->output, b->output);
    SAME(bytes_of(a->text.data, a->text.len),
         bytes_of(b->text.data, b->text.len));
}

static void compare_runs(const struct import_format *f, quire_bytes file,
                         uint64_t seed)
{
    static const size_t chunks[] = {1, 7, 100, 4096};
    struct converted whole, other;
    size_t i;

    converted_init(&whole, seed % 2);
    converted_run(&whole, f, file, 0);
    converted_check(&whole);
    for (i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        converted_init(&other, seed % 2);
        converted_run(&other, f, file, chunks[i]);
        same_entries(&whole, &other);
        SAME_TEXT(buf_text(&whole.problems), buf_text(&other.problems));
        SAME_TEXT(buf_text(&whole.counts), buf_text(&other.counts));
        converted_release(&other);
    }
    for (i = 0; i < 12; i++) {
        size_t cut = (size_t)(seed * 7919 + i * 104729) % (file.len + 1);

        converted_init(&other, seed % 2);
        converted_resume(&other, f, file, cut);
        same_entries(&whole, &other);
        converted_release(&other);
    }
    converted_release(&whole);
}

static void compare_all(generate_fn generate, const struct import_format *f,
                        bool damage)
{
    uint64_t seed;

    for (seed = 1; seed <= SEEDS / 4; seed++) {
        struct generated g;

        generate(&g, seed, FILE_BYTES, false);
        if (damage)
            generate_damage(&g.file, seed);
        compare_runs(f, bytes_of(g.file.data, g.file.len), seed);
        buf_release(&g.file);
    }
}

TEST(claude_code_in_chunks_or_continued_is_claude_code_at_once)
{
    compare_all(generate_claude, &import_claude_code, false);
}

TEST(codex_in_chunks_or_continued_is_codex_at_once)
{
    compare_all(generate_codex, &import_codex, false);
}

TEST(a_damaged_claude_code_file_is_read_the_same_in_chunks)
{
    compare_all(generate_claude, &import_claude_code, true);
}

TEST(a_damaged_codex_file_is_read_the_same_in_chunks)
{
    compare_all(generate_codex, &import_codex, true);
}

TEST(a_state_that_is_damaged_is_refused_or_harmless)
{
    struct import_sink sink = {.ctx = NULL};
    struct import_converter *c;
    struct generated g;
    struct converted r;
    struct buf state = BUF_INIT((size_t)1 << 24);
    size_t i;

    generate_claude(&g, 5, 8000, false);
    converted_init(&r, false);
    converted_run(&r, &import_claude_code, bytes_of(g.file.data, g.file.len),
                  0);
    OK(import_converter_new(&import_claude_code, &sink, NULL, &c, &test_err));
    import_converter_free(c);
    OK(import_converter_save(r.converter, &state, &test_err));
    for (i = 0; i < state.len; i += 1 + i / 256) {
        IS(QUIRE_DAMAGED,
           import_converter_restore(&import_claude_code, &sink, NULL,
                                    bytes_of(state.data, i), &c, &test_err));
        state.data[i] ^= 0x40;
        if (!import_converter_restore(&import_claude_code, &sink, NULL,
                                      bytes_of(state.data, state.len), &c,
                                      &test_err))
            import_converter_free(c);
        state.data[i] ^= 0x40;
    }
    IS(QUIRE_DAMAGED, import_converter_restore(&import_codex, &sink, NULL,
                                               bytes_of(state.data, state.len),
                                               &c, &test_err));
    buf_release(&state);
    converted_release(&r);
    buf_release(&g.file);
}

/* ---- faults ------------------------------------------------------------- */

static quire_status add_entry(void *ctx, const struct import_entry *e,
                              quire_error *err)
{
    struct buf *text = ctx;

    (void)err;
    if (text->cap - text->len < e->json.len)
        return QUIRE_STOPPED;
    memcpy(text->data + text->len, e->json.data, e->json.len);
    text->len += e->json.len;
    return QUIRE_OK;
}

/* Memory for all entries is there already, so that faults are the converter's. */
static quire_status run_once(const struct import_format *f, quire_bytes file,
                             struct buf *text)
{
    struct import_sink sink = {.ctx = text, .entry = add_entry};
    struct import_converter *c;
    quire_status st = import_converter_new(f, &sink, NULL, &c, &test_err);

    text->len = 0;
    if (st)
        return st;
    st = import_converter_feed(c, bytes_sub(file, 0, file.len / 2), &test_err);
    if (!st)
        st = import_converter_feed(c, bytes_sub(file, file.len / 2, file.len),
                                   &test_err);
    if (!st)
        st = import_converter_finish(c, &test_err);
    import_converter_free(c);
    return st;
}

static void sweep(generate_fn generate, const struct import_format *f)
{
    struct buf text = BUF_INIT((size_t)1 << 24),
               want = BUF_INIT((size_t)1 << 24);
    struct generated g;
    quire_status st;
    long n;

    generate(&g, 3, 20000, false);
    YES(buf_room(&text, (size_t)1 << 20) && buf_room(&want, (size_t)1 << 20));
    OK(run_once(f, bytes_of(g.file.data, g.file.len), &want));
    for (n = 1;; n++) {
        fault_arm(n, ENOMEM, false);
        st = run_once(f, bytes_of(g.file.data, g.file.len), &text);
        if (!fault_disarm())
            break;
        if (st == QUIRE_OK)
            SAME(bytes_of(want.data, want.len), bytes_of(text.data, text.len));
        else
            EQ(QUIRE_NO_MEMORY, st);
    }
    OK(st);
    YES(n > 20);
    buf_release(&text);
    buf_release(&want);
    buf_release(&g.file);
}

TEST(without_memory_claude_code_is_converted_in_full_or_not_at_all)
{
    sweep(generate_claude, &import_claude_code);
}

TEST(without_memory_codex_is_converted_in_full_or_not_at_all)
{
    sweep(generate_codex, &import_codex);
}
