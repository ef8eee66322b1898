/* converted.c - see converted.h */
#include "import/convert.h"

#include "converted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"

#define CEILING ((size_t)1 << 30)

void converted_init(struct converted *r, bool payloads)
{
    memset(r, 0, sizeof *r);
    r->text.max = r->problems.max = r->counts.max = r->links.max = CEILING;
    r->payloads = payloads;
}

void converted_release(struct converted *r)
{
    import_converter_free(r->converter);
    buf_release(&r->text);
    buf_release(&r->problems);
    buf_release(&r->counts);
    buf_release(&r->links);
}

/* ---- the sink ----------------------------------------------------------- */

static quire_status on_entry(void *ctx, const struct import_entry *e,
                             quire_error *err)
{
    struct converted *r = ctx;

    (void)err;
    YES(r->n < CONVERTED_MAX);
    r->at[r->n++] = r->text.len;
    r->n_settled += !e->provisional;
    YES(e->provisional || r->n == r->n_settled);
    buf_add(&r->text, e->json.data, e->json.len);
    buf_add_char(&r->text, '\n');
    r->at[r->n] = r->text.len;
    return QUIRE_OK;
}

static quire_status on_payload(void *ctx, const struct import_payload *p,
                               struct buf *out, quire_error *err)
{
    struct converted *r = ctx;

    (void)err;
    YES(json_check(p->json, 0, NULL));
    if (r->payloads)
        buf_addf(out, "\"payload:%d:%zu\"", (int)p->kind, p->json.len);
    return QUIRE_OK;
}

static quire_status on_link(void *ctx, const struct import_link *l,
                            quire_error *err)
{
    struct converted *r = ctx;

    (void)err;
    buf_addf(&r->links, "%d %.*s\n", (int)l->kind, (int)l->target.len,
             (const char *)l->target.data);
    return QUIRE_OK;
}

static enum import_usage_answer
on_usage(void *ctx, const struct import_usage *u, struct import_cost *cost)
{
    struct converted *r = ctx;

    r->input += u->input + u->cache_read + u->cache_write_5m +
                u->cache_write_1h;
    r->output += u->output;
    cost->output = (double)u->output * 0.000001;
    return IMPORT_USAGE_PRICED;
}

static void on_problem(void *ctx, const struct import_problem *p)
{
    struct converted *r = ctx;

    buf_addf(&r->problems, "line %llu byte %llu %s\n",
             (unsigned long long)p->line, (unsigned long long)p->byte, p->kind);
}

static void on_count(void *ctx, const char *name, uint64_t n)
{
    struct converted *r = ctx;

    buf_addf(&r->counts, "%s %llu\n", name, (unsigned long long)n);
}

static struct import_sink sink_of(struct converted *r)
{
    return (struct import_sink){.ctx = r,
                                .entry = on_entry,
                                .payload = on_payload,
                                .link = on_link,
                                .usage = on_usage,
                                .problem = on_problem};
}

/* ---- running ------------------------------------------------------------ */

static void feed(struct import_converter *c, quire_bytes bytes, size_t chunk)
{
    size_t at, n;

    for (at = 0; at < bytes.len; at += n) {
        n = chunk && chunk < bytes.len - at ? chunk : bytes.len - at;
        OK(import_converter_feed(c, bytes_sub(bytes, at, at + n), &test_err));
    }
}

static void end(struct converted *r)
{
    OK(import_converter_finish(r->converter, &test_err));
    import_converter_facts(r->converter, &r->facts);
    import_converter_counts(r->converter, on_count, r);
    YES(buf_text(&r->problems) && buf_text(&r->counts) && buf_text(&r->links));
}

void converted_run(struct converted *r, const struct import_format *format,
                   quire_bytes file, size_t chunk)
{
    struct import_sink sink = sink_of(r);

    OK(import_converter_new(format, &sink, &r->options, &r->converter,
                            &test_err));
    feed(r->converter, file, chunk);
    end(r);
}

void converted_resume(struct converted *r, const struct import_format *format,
                      quire_bytes file, size_t cut)
{
    struct import_sink sink = sink_of(r);
    struct buf state = BUF_INIT(CEILING);
    uint64_t input, output, offset;
    size_t settled;

    OK(import_converter_new(format, &sink, NULL, &r->converter, &test_err));
    feed(r->converter, bytes_sub(file, 0, cut), 0);
    OK(import_converter_save(r->converter, &state, &test_err));
    offset = import_converter_offset(r->converter);
    YES(offset <= cut);
    settled = r->n;
    input = r->input;
    output = r->output;
    OK(import_converter_finish(r->converter, &test_err));
    import_converter_free(r->converter);

    r->n = r->n_settled = settled;
    r->text.len = r->at[settled];
    r->input = input;
    r->output = output;
    buf_clear(&r->problems);
    OK(import_converter_restore(format, &sink, NULL, buf_bytes(&state),
                                &r->converter, &test_err));
    EQ(offset, import_converter_offset(r->converter));
    feed(r->converter, bytes_sub(file, (size_t)offset, file.len), 0);
    end(r);
    buf_release(&state);
}

void converted_text(struct converted *r, const struct import_format *format,
                    const char *file)
{
    converted_init(r, false);
    converted_run(r, format, bytes_str(file), 0);
    converted_check(r);
}

/* ---- looking ------------------------------------------------------------ */

quire_bytes converted_entry(const struct converted *r, size_t i)
{
    YES(i < r->n);
    return bytes_of(r->text.data + r->at[i], r->at[i + 1] - r->at[i] - 1);
}

static quire_bytes element(quire_bytes array, size_t i)
{
    struct json_scan it;

    json_iter_init(&it, array);
    while (json_next(&it))
        if (!i--)
            return it.value;
    return bytes_of(NULL, 0);
}

const char *converted_get(const struct converted *r, size_t i, const char *path)
{
    quire_bytes value = converted_entry(r, i);
    char key[64];
    char *copy;

    while (*path && value.data) {
        size_t len = strcspn(path, ".");

        snprintf(key, sizeof key, "%.*s", (int)len, path);
        value = json_kind(value) == JSON_ARRAY
                    ? element(value, (size_t)atoi(key))
                    : json_get(value, key);
        path += len + (path[len] == '.');
    }
    if (!value.data)
        return "";
    if (json_kind(value) == JSON_STRING && value.len > 2) {
        struct buf text = BUF_INIT(CEILING);

        json_decode(value, &text);
        copy = test_alloc(text.len + 1);
        memcpy(copy, text.data, text.len);
        copy[text.len] = '\0';
        buf_release(&text);
        return copy;
    }
    copy = test_alloc(value.len + 1);
    memcpy(copy, value.data, value.len);
    copy[value.len] = '\0';
    return copy;
}

static void check_entry(const struct converted *r, size_t i, struct map *ids)
{
    struct json_want w[] = {JSON_WANT("id"), JSON_WANT("parentId"),
                            JSON_WANT("type"), JSON_WANT("timestamp")};
    quire_bytes json = converted_entry(r, i);
    bool fresh = false;

    YES(json_check(json, JSON_UTF8, NULL));
    EQ(0, bytes_count(json, '\n'));
    YES(json_pick(json, w, 4, NULL));
    YES(json_kind(w[0].value) == JSON_STRING && w[0].value.len > 2);
    YES(json_kind(w[2].value) == JSON_STRING);
    YES(w[3].value.len == 26);
    YES(bytes_is(w[1].value, "null") || map_get(ids, w[1].value));
    YES(map_put(ids, w[0].value, i, &fresh));
    YES(fresh);
}

void converted_check(const struct converted *r)
{
    struct map ids;
    size_t i;

    map_init(&ids, 1, 2);
    for (i = 0; i < r->n; i++)
        check_entry(r, i, &ids);
    map_release(&ids);
}
