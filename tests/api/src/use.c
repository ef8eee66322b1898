/* A program of somebody else's, in C11: puts content into the home named by
 * its argument and takes it out again, in every way there is. */
#include <quire.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static quire_error err;

static void must(quire_status status, const char *what)
{
    if (status == QUIRE_OK)
        return;
    fprintf(stderr, "%s: %s: %s (%s)\n", what, quire_status_name(status),
            err.what, err.next);
    exit(1);
}

struct text {
    const char *at;
    char got[64];
    size_t n;
};

static quire_status give(void *ctx, void *buf, size_t cap, size_t *n,
                         quire_error *e)
{
    struct text *t = ctx;

    (void)e;
    *n = strlen(t->at);
    if (*n > cap)
        *n = cap;
    memcpy(buf, t->at, *n);
    t->at += *n;
    return QUIRE_OK;
}

static quire_status take(void *ctx, quire_bytes bytes, quire_error *e)
{
    struct text *t = ctx;

    (void)e;
    if (bytes.len > sizeof t->got - t->n)
        return QUIRE_STOPPED;
    memcpy(t->got + t->n, bytes.data, bytes.len);
    t->n += bytes.len;
    return QUIRE_OK;
}

static quire_status count(void *ctx, const quire_blob_info *info,
                          quire_error *e)
{
    (void)info;
    (void)e;
    ++*(int *)ctx;
    return QUIRE_OK;
}

static quire_status complain(void *ctx, const quire_problem *problem,
                             quire_error *e)
{
    (void)e;
    fprintf(stderr, "%s: %s\n", problem->kind, problem->what);
    ++*(int *)ctx;
    return QUIRE_OK;
}

int main(int argc, char **argv)
{
    quire_options options = QUIRE_OPTIONS_INIT;
    quire_bytes content = {"hello", 5}, back;
    struct text text = {"a stream", "", 0};
    int n = 0, problems = 0;
    quire_check_hooks hooks = {.size = sizeof hooks,
                               .problem = complain,
                               .ctx = &problems};
    quire_blob_info info, streamed;
    quire_digest digest;
    char ref[QUIRE_REF_SIZE];
    quire *q = NULL;

    if (argc != 2 || strcmp(quire_version(), QUIRE_VERSION) != 0)
        return 2;
    options.home = argv[1];
    must(quire_open(&options, &q, &err), "open");
    must(quire_begin(q, &err), "begin");
    must(quire_blob_put(q, content, 0, &info, &err), "put");
    must(quire_blob_put_stream(q, give, &text, 0, &streamed, &err), "stream");
    must(quire_commit(q, &err), "commit");

    quire_ref_format(&info.digest, ref);
    must(quire_ref_parse(ref, &digest, &err), "parse");
    must(quire_blob_get(q, &digest, &back, &err), "get");
    if (back.len != content.len || memcmp(back.data, content.data, back.len))
        return 3;
    must(quire_blob_read(q, &streamed.digest, 2, UINT64_MAX, take, &text, &err),
         "read");
    if (text.n != 6 || memcmp(text.got, "stream", 6))
        return 4;
    must(quire_blob_list(q, count, &n, &err), "list");
    must(quire_blob_check(q, NULL, &hooks, &err), "check");
    memset(&digest, 0, sizeof digest);
    if (quire_blob_get(q, &digest, &back, &err) != QUIRE_NOT_FOUND)
        return 5;
    quire_close(q);
    if (n != 2 || problems)
        return 6;
    puts("it works");
    return 0;
}
