/* workspace.c - a workspace, as its three users see it */
#include "support/workspace.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/json.h"

/* What a buffer has, until the test ends. */
static const char *keep(struct buf *b)
{
    char *text = test_alloc(b->len + 1);

    if (b->len)
        memcpy(text, b->data, b->len);
    text[b->len] = '\0';
    buf_release(b);
    return text;
}

quire_workspace *fixture_open(quire *q, const char *session)
{
    quire_workspace *w;

    OK(quire_workspace_open(q, session, &w, &test_err));
    return w;
}

/* ---- the tool ----------------------------------------------------------- */

const char *fixture_ask(quire_workspace *w, const char *request)
{
    struct buf text = BUF_INIT((size_t)1 << 30);
    quire_bytes answer, data, error;
    bool done = false;

    OK(quire_workspace_call(w, bytes_str(request), &answer, &test_err));
    YES(json_check(answer, JSON_UTF8, NULL));
    NO(memchr(answer.data, '\n', answer.len) != NULL);
    YES(json_read_bool(json_get(answer, "success"), &done));
    data = json_get(answer, "data");
    error = json_get(answer, "error");
    YES(done == (data.data != NULL) && done == (error.data == NULL));
    buf_add(&text, answer.data, answer.len);
    return keep(&text);
}

const char *fixture_does(quire_workspace *w, const char *request)
{
    const char *answer = fixture_ask(w, request);

    HAS(answer, "{\"success\":true,\"data\":{");
    return answer;
}

/* Text of a member, or the member as it is. */
static const char *text_of(quire_bytes value)
{
    struct buf out = BUF_INIT((size_t)1 << 30);

    if (!value.data)
        return NULL;
    if (json_kind(value) == JSON_STRING)
        json_decode(value, &out);
    else
        buf_add(&out, value.data, value.len);
    return keep(&out);
}

void fixture_refuses(quire_workspace *w, const char *code, const char *request)
{
    const char *answer = fixture_ask(w, request);
    quire_bytes error = json_get(bytes_str(answer), "error");

    if (!error.data || strcmp(text_of(json_get(error, "code")), code) != 0)
        fprintf(stderr, "%s\n%s\n", request, answer);
    YES(error.data != NULL);
    SAME_TEXT(code, text_of(json_get(error, "code")));
    YES(*text_of(json_get(error, "message")));
    YES(*text_of(json_get(error, "suggestion")));
    YES(json_get(error, "retryable").data != NULL);
}

void fixture_write(quire_workspace *w, const char *path, const char *text)
{
    struct buf request = BUF_INIT((size_t)1 << 30);

    buf_add_str(&request, "{\"action\":\"write\",\"filename\":");
    json_add_quoted(&request, bytes_str(path));
    buf_add_str(&request, ",\"content\":");
    json_add_quoted(&request, bytes_str(text));
    buf_add_char(&request, '}');
    fixture_does(w, keep(&request));
}

const char *fixture_read(quire_workspace *w, const char *path)
{
    struct buf request = BUF_INIT(4096);
    const char *answer;

    buf_add_str(&request, "{\"action\":\"read\",\"filename\":");
    json_add_quoted(&request, bytes_str(path));
    buf_add_char(&request, '}');
    answer = fixture_ask(w, keep(&request));
    if (strstr(answer, "\"code\":\"not_found\""))
        return NULL;
    return fixture_value(answer, "content");
}

const char *fixture_value(const char *answer, const char *key)
{
    return text_of(json_get(json_get(bytes_str(answer), "data"), key));
}

const char *fixture_keys(const char *answer)
{
    struct buf out = BUF_INIT(4096);
    struct json_scan it;

    json_iter_init(&it, json_get(bytes_str(answer), "data"));
    while (json_next(&it)) {
        json_decode(it.key, &out);
        buf_add_char(&out, ' ');
    }
    return keep(&out);
}

/* ---- files -------------------------------------------------------------- */

const char *fixture_path(quire_workspace *w, int scratchpad, const char *name)
{
    struct buf out = BUF_INIT(8192);

    buf_addf(&out, "%s/%s", quire_workspace_dir(w, scratchpad), name);
    return keep(&out);
}

const char *fixture_file(quire_workspace *w, const char *name)
{
    const char *path = fixture_path(w, 0, name);
    struct buf out = BUF_INIT((size_t)1 << 30);
    quire_bytes bytes;
    struct stat st;

    if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode))
        return NULL;
    bytes = test_read_file(path);
    buf_add(&out, bytes.data, bytes.len);
    return keep(&out);
}

void fixture_edit(quire_workspace *w, const char *name, const char *text)
{
    test_write_file(fixture_path(w, 0, name), bytes_str(text));
}

static void add_word(void *ctx, const char *what, const char *path,
                     const char *why)
{
    buf_addf(ctx, *why ? "%s %s (%s), " : "%s %s, ", what, path, why);
}

const char *fixture_sync(quire_workspace *w)
{
    struct buf out = BUF_INIT(1 << 20);
    quire_workspace_report report;

    OK(quire_workspace_sync(w, NULL, add_word, &out, &report, &test_err));
    return keep(&out);
}

/* ---- artifacts ---------------------------------------------------------- */

static quire_status add_bytes(void *ctx, quire_bytes bytes, quire_error *err)
{
    (void)err;
    buf_add(ctx, bytes.data, bytes.len);
    return QUIRE_OK;
}

const char *fixture_artifact(quire *q, const char *session, const char *path)
{
    struct buf out = BUF_INIT((size_t)1 << 30);
    quire_artifact a;
    quire_status st = quire_artifact_get(q, session, path, NULL, add_bytes,
                                         &out, &a, &test_err);

    if (st == QUIRE_NOT_FOUND)
        return NULL;
    OK(st);
    return keep(&out);
}

struct agreeing {
    quire *q;
    quire_workspace *w;
    int n;
};

static quire_status has_file(void *ctx, const quire_artifact *a,
                             quire_error *err)
{
    struct buf path = BUF_INIT(4096);
    struct agreeing *g = ctx;
    const char *file;

    (void)err;
    buf_add_str(&path, a->path);
    file = fixture_file(g->w, keep(&path));
    if (!file || strlen(file) != a->size)
        fprintf(stderr, "%s is not the artifact\n", a->path);
    YES(file != NULL && strlen(file) == a->size);
    g->n++;
    return QUIRE_OK;
}

void fixture_agrees(quire *q, quire_workspace *w)
{
    struct agreeing g = {q, w, 0};

    OK(quire_artifact_list(q, quire_workspace_session(w), NULL, has_file, &g,
                           &test_err));
    EQ(g.n, test_count_files(quire_workspace_dir(w, 0)));
    SAME_TEXT("", fixture_sync(w));
}
