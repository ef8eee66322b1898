/* Work done by several threads and told by one: the same as if one did it. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/parallel.h"
#include "support/test.h"

struct number {
    struct parallel_result note;
    size_t heap, n;
};

struct job {
    pthread_t caller;
    size_t heaps, next_heap, next_n; /* what is to be told next           */
    size_t told;
    size_t fail_at, stop_at; /* of notes; SIZE_MAX: never                 */
    atomic_int open, refused;
    bool refuse;
};

/* Some heaps have nothing to tell, some much. */
static size_t notes_of(size_t heap)
{
    return heap % 50 == 7 ? 200 : heap % 3;
}

static quire_status open_tools(void *ctx, void **tools, quire_error *err)
{
    struct job *j = ctx;

    (void)err;
    j->refused += j->refuse;
    if (j->refuse)
        return QUIRE_IO;
    j->open++;
    *tools = j;
    return QUIRE_OK;
}

static void close_tools(void *ctx, void *tools)
{
    struct job *j = ctx;

    YES(tools == j);
    j->open--;
}

static quire_status work(void *ctx, void *tools, size_t heap,
                         struct parallel_chunk *turn, quire_error *err)
{
    struct job *j = ctx;
    quire_status st = QUIRE_OK;
    size_t i;

    (void)tools;
    for (i = 0; !st && i < notes_of(heap) && !parallel_is_stopped(turn); i++) {
        struct number *n = malloc(sizeof *n);

        if (!n)
            return err_memory(err);
        n->heap = heap;
        n->n = i;
        st = parallel_emit(turn, &n->note, err);
    }
    if (!st && heap == j->fail_at)
        st = err_set(err, QUIRE_IO, "heap %zu", heap);
    return st;
}

static void skip_empty(struct job *j)
{
    while (j->next_heap < j->heaps && j->next_n == notes_of(j->next_heap)) {
        j->next_heap++;
        j->next_n = 0;
    }
}

static quire_status tell(void *ctx, const struct parallel_result *note,
                         quire_error *err)
{
    const struct number *n = (const struct number *)note;
    struct job *j = ctx;

    (void)err;
    skip_empty(j);
    YES(pthread_equal(j->caller, pthread_self()));
    EQ(j->next_heap, n->heap);
    EQ(j->next_n, n->n);
    j->next_n++;
    return j->told++ == j->stop_at ? QUIRE_STOPPED : QUIRE_OK;
}

static quire_status told(void *ctx, size_t heap, quire_error *err)
{
    struct job *j = ctx;

    (void)err;
    EQ(j->next_heap, heap);
    EQ(j->next_n, notes_of(heap));
    j->next_heap++;
    j->next_n = 0;
    return QUIRE_OK;
}

static struct job run(struct job j, unsigned hands, quire_status want)
{
    struct parallel_work w = {.n_chunks = j.heaps,
                              .n_workers_max = hands,
                              .ctx = &j,
                              .open = open_tools,
                              .close = close_tools,
                              .own = &j,
                              .work = work,
                              .emit = tell,
                              .chunk_done = told};

    j.caller = pthread_self();
    IS(want, parallel_run(&w, &test_err));
    EQ(0, j.open);
    return j;
}

#define NEVER .fail_at = SIZE_MAX, .stop_at = SIZE_MAX

TEST(a_team_tells_everything_in_order_however_many_work)
{
    unsigned hands;

    for (hands = 0; hands <= 9; hands++) {
        struct job j = run((struct job){.heaps = 2000, NEVER}, hands, QUIRE_OK);

        EQ(2000, j.next_heap);
        EQ(0, run((struct job){.heaps = 0, NEVER}, hands, QUIRE_OK).told);
        EQ(1, run((struct job){.heaps = 1, NEVER}, hands, QUIRE_OK).next_heap);
    }
}

TEST(a_team_without_tools_leaves_the_work_to_the_caller)
{
    struct job j = run((struct job){.heaps = 700, NEVER, .refuse = true}, 4,
                       QUIRE_OK);

    EQ(4, j.refused);
    EQ(700, j.next_heap);
}

TEST(a_team_tells_what_came_before_a_failure_and_then_the_failure)
{
    unsigned hands;

    for (hands = 0; hands <= 4; hands += 4) {
        struct job j = run((struct job){.heaps = 2000,
                                        .fail_at = 1107,
                                        .stop_at = SIZE_MAX},
                           hands, QUIRE_IO);

        SAME_TEXT("heap 1107", test_err.what);
        EQ(1107, j.next_heap);
        EQ(notes_of(1107), j.next_n);
    }
}

TEST(a_team_ends_when_who_listens_has_heard_enough)
{
    static const size_t stops[] = {0, 1, 10, 333, 1000};
    size_t i;

    for (i = 0; i < 5; i++) {
        struct job j = {.heaps = 2000,
                        .fail_at = SIZE_MAX,
                        .stop_at = stops[i]};

        EQ(stops[i] + 1, run(j, 4, QUIRE_STOPPED).told);
        EQ(stops[i] + 1, run(j, 0, QUIRE_STOPPED).told);
    }
}
