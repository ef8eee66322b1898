/* memory.c - see memory.h */
#include "support/memory.h"

#include "base/buf.h"
#include "base/bytes.h"
#include "support/test.h"

int64_t memories_now_us;

static int64_t step_us; /* how fast the clock goes */

int64_t memories_clock(void *ctx)
{
    (void)ctx;
    return memories_now_us += step_us;
}

quire *memories_home(unsigned flags)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    if (memories_now_us == 0) {
        memories_now_us = 1000000;
        step_us = 1000;
    }
    o.home = test_path("home");
    o.flags = flags;
    o.busy_ms = 20000;
    o.now_us = memories_clock;
    OK(quire_open(&o, &q, &test_err));
    return q;
}

quire_memory_options memories_entry(const char *title)
{
    quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;

    o.type = QUIRE_MEMORY_PROJECT;
    o.title = bytes_str(title);
    o.content = bytes_str("");
    return o;
}

quire_memory memories_add(quire *q, const char *session, const char *title)
{
    quire_memory_options o = memories_entry(title);
    quire_memory m;

    OK(quire_memory_add(q, session, &o, &m, &test_err));
    SAME(bytes_str(title), m.title);
    return m;
}

void memories_gone(quire *q, int64_t id)
{
    quire_memory m;

    IS(QUIRE_NOT_FOUND, quire_memory_get(q, id, 0, &m, &test_err));
    YES(test_err.what[0] && test_err.next[0]);
}

quire_status memories_add_id(void *ctx, const quire_memory *m, quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%lld ", (long long)m->id);
    return QUIRE_OK;
}

void memories_list(quire *q, const quire_memory_list_options *o,
                   const char *wanted)
{
    struct buf got = BUF_INIT(1 << 20);

    OK(quire_memory_list(q, o, memories_add_id, &got, &test_err));
    SAME(bytes_str(wanted), buf_bytes(&got));
    buf_release(&got);
}

void memories_find(quire *q, const char *query, const quire_recall_options *o,
                   const char *wanted)
{
    struct buf got = BUF_INIT(1 << 20);

    IS(*wanted ? QUIRE_OK : QUIRE_NOT_FOUND,
       quire_memory_search(q, bytes_str(query), o, memories_add_id, &got, NULL,
                           &test_err));
    SAME(bytes_str(wanted), buf_bytes(&got));
    buf_release(&got);
}

quire_status memories_add_relation(void *ctx, const quire_relation *r,
                                   quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%lld:%lld-%s-%lld ", (long long)r->id, (long long)r->source,
             quire_relation_name(r->kind), (long long)r->target);
    return QUIRE_OK;
}

void memories_relations(quire *q, const quire_relation_list_options *o,
                        const char *wanted)
{
    struct buf got = BUF_INIT(1 << 20);

    OK(quire_relation_list(q, o, memories_add_relation, &got, &test_err));
    SAME(bytes_str(wanted), buf_bytes(&got));
    buf_release(&got);
}

int64_t memories_put_artifact(quire *q, const char *session, const char *path)
{
    quire_artifact a;

    OK(quire_artifact_put(q, session, path, bytes_str("x"), NULL, &a,
                          &test_err));
    return a.id;
}
