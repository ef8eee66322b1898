/* myers.c - see myers.h */
#include "diff/myers.h"

/* A part of both sequences: a[x0..x1) and b[y0..y1). */
struct box {
    ptrdiff_t x0, x1, y0, y1;
};

struct place {
    ptrdiff_t x, y;
};

/* How far one direction has come, by diagonal: x, for the diagonals lo, lo + 2 ... hi. */
struct front {
    ptrdiff_t *x;
    ptrdiff_t lo, hi;
};

struct search {
    struct myers_side *a, *b;
    struct front down, up;
};

size_t myers_room(size_t n, size_t m)
{
    return 2 * (n + m + 3);
}

static bool is_equal(const struct search *s, ptrdiff_t x, ptrdiff_t y)
{
    return s->a->item[x] == s->b->item[y];
}

/* ---- the middle --------------------------------------------------------- */

/* One more edit reaches one more diagonal on each side, within the box. `edge` is
 * what no path reaches. */
static void widen(struct front *f, const struct box *q, ptrdiff_t edge)
{
    if (f->lo > q->x0 - q->y1)
        f->x[--f->lo - 1] = edge;
    else
        f->lo++;
    if (f->hi < q->x1 - q->y0)
        f->x[++f->hi + 1] = edge;
    else
        f->hi--;
}

/* True: the fronts have met, at *out. With `check`, in this direction. */
static bool step_down(struct search *s, const struct box *q, bool check,
                      struct place *out)
{
    struct front *f = &s->down;
    ptrdiff_t k;

    widen(f, q, -1);
    for (k = f->hi; k >= f->lo; k -= 2) {
        ptrdiff_t right = f->x[k - 1] + 1, below = f->x[k + 1];
        ptrdiff_t x = right > below ? right : below;

        while (x < q->x1 && x - k < q->y1 && is_equal(s, x, x - k))
            x++;
        f->x[k] = x;
        if (check && k >= s->up.lo && k <= s->up.hi && s->up.x[k] <= x) {
            *out = (struct place){x, x - k};
            return true;
        }
    }
    return false;
}

static bool step_up(struct search *s, const struct box *q, bool check,
                    struct place *out)
{
    struct front *f = &s->up;
    ptrdiff_t k;

    widen(f, q, PTRDIFF_MAX);
    for (k = f->hi; k >= f->lo; k -= 2) {
        ptrdiff_t above = f->x[k - 1], left = f->x[k + 1] - 1;
        ptrdiff_t x = above < left ? above : left;

        while (x > q->x0 && x - k > q->y0 && is_equal(s, x - 1, x - k - 1))
            x--;
        f->x[k] = x;
        if (check && k >= s->down.lo && k <= s->down.hi && x <= s->down.x[k]) {
            *out = (struct place){x, x - k};
            return true;
        }
    }
    return false;
}

/* Where the search down has come furthest, or the middle of the box. */
static struct place furthest(const struct search *s, const struct box *q)
{
    struct place best = {q->x0 + (q->x1 - q->x0) / 2,
                         q->y0 + (q->y1 - q->y0) / 2};
    ptrdiff_t most = q->x0 + q->y0, k;

    for (k = s->down.hi; k >= s->down.lo; k -= 2) {
        ptrdiff_t x = s->down.x[k] < q->x1 ? s->down.x[k] : q->x1;
        ptrdiff_t y = x - k;

        if (y >= q->y0 && y <= q->y1 && x + y > most && x + y < q->x1 + q->y1) {
            most = x + y;
            best = (struct place){x, y};
        }
    }
    return best;
}

/* A place on a shortest path, not a corner of the box: neither side is empty, and
 * first and last elements differ. */
static struct place find_middle(struct search *s, const struct box *q)
{
    ptrdiff_t from = q->x0 - q->y0, to = q->x1 - q->y1;
    bool odd = ((from - to) & 1) != 0;
    struct place at;
    int d;

    s->down.lo = s->down.hi = from;
    s->down.x[from] = q->x0;
    s->up.lo = s->up.hi = to;
    s->up.x[to] = q->x1;
    for (d = 0; d < MYERS_STEPS_MAX; d++)
        if (step_down(s, q, odd, &at) || step_up(s, q, !odd, &at))
            return at;
    return furthest(s, q);
}

/* ---- both halves -------------------------------------------------------- */

static void mark(struct myers_side *side, ptrdiff_t from, ptrdiff_t to)
{
    for (; from < to; from++)
        side->changed[from] = true;
}

/* The smaller half by recursion, the larger one in the loop: the depth is at most the
 * logarithm of the size. */
static void compare(struct search *s, struct box q)
{
    for (;;) {
        struct place m;
        struct box first, rest;

        while (q.x0 < q.x1 && q.y0 < q.y1 && is_equal(s, q.x0, q.y0)) {
            q.x0++;
            q.y0++;
        }
        while (q.x0 < q.x1 && q.y0 < q.y1 && is_equal(s, q.x1 - 1, q.y1 - 1)) {
            q.x1--;
            q.y1--;
        }
        if (q.x0 == q.x1 || q.y0 == q.y1)
            break;
        m = find_middle(s, &q);
        first = (struct box){q.x0, m.x, q.y0, m.y};
        rest = (struct box){m.x, q.x1, m.y, q.y1};
        if (m.x - q.x0 + m.y - q.y0 > q.x1 - m.x + q.y1 - m.y) {
            compare(s, rest);
            q = first;
        } else {
            compare(s, first);
            q = rest;
        }
    }
    mark(s->a, q.x0, q.x1);
    mark(s->b, q.y0, q.y1);
}

void myers_diff(struct myers_side *a, struct myers_side *b, ptrdiff_t *room)
{
    ptrdiff_t n = (ptrdiff_t)a->n, m = (ptrdiff_t)b->n;
    struct search s = {.a = a, .b = b};

    s.down.x = room + m + 1; /* diagonals from -m - 1 to n + 1 */
    s.up.x = s.down.x + n + m + 3;
    compare(&s, (struct box){0, n, 0, m});
}
