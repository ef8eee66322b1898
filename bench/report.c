/* report.c - medians, and the table they end up in */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/json.h"
#include "bench.h"

double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void bench_fail(const char *fmt, ...)
{
    va_list ap;

    fflush(stdout);
    fputs("bench: ", stderr);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    exit(3);
}

void bench_ok(quire_status status, const quire_error *err)
{
    if (status)
        bench_fail("%s: %s", quire_status_name(status), err->what);
}

bool bench_wants(const struct bench *b, const char *name)
{
    int i;

    for (i = 0; i < b->n_words; i++) {
        if (strstr(name, b->words[i]))
            return true;
    }
    return b->n_words == 0;
}

/* ---- numbers ------------------------------------------------------------ */

void readings_add(struct readings *r, double value, double limit)
{
    if (r->n == READINGS_MAX)
        bench_fail("more than %d readings", READINGS_MAX);
    r->value[r->n] = value;
    r->limit[r->n] = limit;
    r->n++;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(const double *of, int n)
{
    double sorted[READINGS_MAX];

    memcpy(sorted, of, (size_t)n * sizeof *of);
    qsort(sorted, (size_t)n, sizeof *sorted, ascending);
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/* What came of it. */
struct result {
    double value, limit;
    double compared;  /* ratio or difference of the medians      */
    double low, high; /* the same of single pairs: how noisy     */
    bool met;
};

static double compare(enum need need, double value, double limit)
{
    if (need == NEED_WITHIN)
        return value - limit;
    return limit > 0 ? value / limit : 0;
}

static struct result judge(const struct line *line, const struct readings *r)
{
    struct result result = {
        .value = median(r->value, r->n),
        .limit = median(r->limit, r->n),
    };
    int i;

    result.compared = compare(line->need, result.value, result.limit);
    for (i = 0; i < r->n; i++) {
        double one = compare(line->need, r->value[i], r->limit[i]);

        if (i == 0 || one < result.low)
            result.low = one;
        if (i == 0 || one > result.high)
            result.high = one;
    }
    result.met = line->need == NEED_RATIO ? result.compared >= line->needed
                                          : result.compared <= line->needed;
    return result;
}

/* ---- the two spellings -------------------------------------------------- */

static void number(struct json_writer *w, const char *key, double v)
{
    char text[40];

    snprintf(text, sizeof text, "%.6g", v);
    json_put_raw(w, key, bytes_str(text));
}

static void print_json(struct buf *out)
{
    buf_add_char(out, '\n');
    if (!out->failed)
        fwrite(out->data, 1, out->len, stdout);
    buf_release(out);
    fflush(stdout);
}

static void report_json(const struct line *line, const struct result *r, int n)
{
    static const char *const words[] = {"", "at_least", "at_most", "within"};
    struct buf out = BUF_INIT(1 << 16);
    struct json_writer w;

    json_begin(&w, &out);
    json_object(&w);
    json_put_str(&w, "name", line->name);
    number(&w, "value", r->value);
    json_put_str(&w, "unit", line->unit);
    json_put_int(&w, "readings", n);
    if (line->limit_is) {
        number(&w, "limit", r->limit);
        json_put_str(&w, "limit_is", line->limit_is);
        number(&w, line->need == NEED_WITHIN ? "difference" : "ratio",
               r->compared);
        number(&w, "lowest", r->low);
        number(&w, "highest", r->high);
    }
    if (line->need != NEED_NOTHING) {
        number(&w, words[line->need], line->needed);
        json_put_bool(&w, "met", r->met);
    }
    json_object_end(&w);
    print_json(&out);
}

/* Three digits that count, whatever the size. */
static const char *three(double v, char out[24])
{
    snprintf(out, 24, v >= 100 ? "%.0f" : v >= 10 ? "%.1f" : "%.2f", v);
    return out;
}

static void report_text(struct bench *b, const struct line *line,
                        const struct result *r)
{
    static const char *const signs[] = {"", ">= ", "<= ", "<= +"};
    char value[24], limit[24], spread[40] = "", needed[32] = "";

    if (!b->had_head)
        printf("%-36s %9s %-7s %8s  %5s %-11s %-8s\n", "", "value", "", "limit",
               "ratio", "(spread)", "needed");
    b->had_head = true;
    if (line->need != NEED_NOTHING)
        snprintf(needed, sizeof needed, "%s%.3g", signs[line->need],
                 line->needed);
    printf("%-36s %9s %-7s", line->name, three(r->value, value), line->unit);
    if (line->limit_is) {
        snprintf(spread, sizeof spread, "%.2f-%.2f", r->low, r->high);
        printf(" %8s  %5.2f %-11s %-8s %-8s %s", three(r->limit, limit),
               r->compared, spread, needed,
               line->need == NEED_NOTHING ? ""
               : r->met                   ? "met"
                                          : "NOT met",
               line->limit_is);
    }
    putchar('\n');
    fflush(stdout);
}

void report(struct bench *b, struct line line, const struct readings *r)
{
    struct result result;

    if (!bench_wants(b, line.name) || r->n == 0)
        return;
    result = judge(&line, r);
    if (b->json)
        report_json(&line, &result, r->n);
    else
        report_text(b, &line, &result);
}

void report_note(struct bench *b, const char *name, const char *fmt, ...)
{
    struct buf out = BUF_INIT(1 << 16);
    struct json_writer w;
    char text[512];
    va_list ap;

    if (!bench_wants(b, name))
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (!b->json) {
        printf("    %s\n", text);
        fflush(stdout);
        return;
    }
    json_begin(&w, &out);
    json_object(&w);
    json_put_str(&w, "name", name);
    json_put_str(&w, "note", text);
    json_object_end(&w);
    print_json(&out);
}
