/* Which call may be done next. */
#include <stdlib.h>

#include "mcp/priv.h"
#include "mcp/queue.h"
#include "support/test.h"

static struct mcp_call looks = {.state = MCP_LOOK},
                       changes = {.state = MCP_CHANGE},
                       runs = {.state = MCP_LONG};

static void add(struct queue *q, struct mcp_call *c)
{
    YES(queue_add(q, c, 10));
}

TEST(a_queue_lets_looks_go_together)
{
    struct queue q;
    struct job *a, *b;

    queue_init(&q, 2);
    YES(queue_take(&q) == NULL);
    add(&q, &looks);
    add(&q, &looks);
    a = queue_take(&q);
    b = queue_take(&q);
    YES(a && b && a != b);
    YES(queue_take(&q) == NULL);
    queue_drop(&q, b);
    queue_drop(&q, a);
    EQ(0, q.n);
    EQ(0, q.bytes);
    add(&q, &looks);
    queue_drop(&q, queue_take(&q));
}

TEST(a_queue_keeps_the_order_of_looks_and_changes)
{
    struct queue q;
    struct job *look, *change, *after;

    queue_init(&q, 2);
    add(&q, &looks);
    add(&q, &changes);
    add(&q, &looks);
    add(&q, &changes);
    look = queue_take(&q);
    YES(look->kind == MCP_LOOK);
    YES(queue_take(&q) == NULL);
    queue_drop(&q, look);
    change = queue_take(&q);
    YES(change->kind == MCP_CHANGE);
    YES(queue_take(&q) == NULL);
    queue_drop(&q, change);
    after = queue_take(&q);
    YES(after->kind == MCP_LOOK);
    YES(queue_take(&q) == NULL);
    queue_drop(&q, after);
    queue_drop(&q, queue_take(&q));
    EQ(0, q.n);
}

TEST(nobody_waits_for_a_run_and_runs_leave_room)
{
    struct queue q;
    struct job *first, *second, *write;

    queue_init(&q, 2);
    add(&q, &runs);
    add(&q, &runs);
    add(&q, &runs);
    add(&q, &changes);
    first = queue_take(&q);
    second = queue_take(&q);
    write = queue_take(&q);
    YES(write->kind == MCP_CHANGE);
    queue_drop(&q, write);
    YES(queue_take(&q) == NULL);
    queue_drop(&q, first);
    first = queue_take(&q);
    YES(first->kind == MCP_LONG);
    queue_drop(&q, first);
    queue_drop(&q, second);
    EQ(0, q.n_long);
}

TEST(a_run_sees_what_was_written_before_it)
{
    struct queue q;
    struct job *write;

    queue_init(&q, 2);
    add(&q, &changes);
    add(&q, &runs);
    write = queue_take(&q);
    YES(queue_take(&q) == NULL);
    queue_drop(&q, write);
    queue_drop(&q, queue_take(&q));
}
