/*
 * blob_put.c - store files as blobs
 *
 * A sync is most of the cost of a small file, so small files share one: they
 * are put in one transaction and acknowledged after its commit. Larger files,
 * and streams, are put one by one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/blob.h"

enum {
    SMALL_BYTES = 1024 * 1024,
    BATCH_FILES = 256,
    BATCH_BYTES = 16 * 1024 * 1024,
};

/* From this size on progress is shown. */
#define LONG_BYTES (64ULL * 1024 * 1024)

struct put {
    struct cli *cli;
    unsigned flags;
    int code;
    bool stop;  /* the store itself failed: do not continue       */
    bool batch; /* one is open                                     */
    quire_blob_info infos[BATCH_FILES];
    const char *names[BATCH_FILES];
    size_t n;
    size_t bytes;
    char *content; /* SMALL_BYTES + 1, to see that there is more */
};

static void acknowledge(struct put *p, const char *name,
                        const quire_blob_info *info)
{
    char ref[QUIRE_REF_SIZE];
    struct row r;

    if (row_begin(&r, p->cli)) {
        blob_add_members(&r.json, info);
        json_put_bool(&r.json, "existed", info->existed);
        blob_add_path(p->cli, &r.json, info);
        json_put_str(&r.json, "file", name);
    } else {
        quire_ref_format(&info->digest, ref);
        buf_add_str(&r.text, ref);
    }
    row_print(&r);
}

static void put_failed(struct put *p, const quire_error *err)
{
    cli_fail(p->cli, err);
    /* Exit 3 also for an absent file: it was not stored. */
    p->code = cli_worse(p->code, err->status == QUIRE_DAMAGED ? EXIT_DAMAGED
                                                              : EXIT_FAILED);
}

static void store_failed(struct put *p, const quire_error *err)
{
    put_failed(p, err);
    p->stop = true;
}

/* Commit the batch, then acknowledge its files. */
static void put_commit(struct put *p)
{
    quire_error err = {0};
    size_t i;

    if (!p->batch)
        return;
    p->batch = false;
    if (quire_transaction_end(p->cli->q, NULL, &err)) {
        store_failed(p, &err);
    } else {
        for (i = 0; i < p->n; i++)
            acknowledge(p, p->names[i], &p->infos[i]);
        /* out_close() reports a failed write, once. */
        if (out_flush(p->cli, &err))
            p->stop = true;
    }
    p->n = 0;
    p->bytes = 0;
}

static void put_small(struct put *p, const char *name, quire_bytes content)
{
    quire_error err = {0};

    if (!p->batch) {
        if (quire_transaction_begin(p->cli->q, &err)) {
            store_failed(p, &err);
            return;
        }
        p->batch = true;
    }
    if (quire_blob_put(p->cli->q, content, p->flags, &p->infos[p->n], &err)) {
        /* The batch is lost with it: none of it has been acknowledged. */
        quire_transaction_rollback(p->cli->q);
        p->batch = false;
        store_failed(p, &err);
        return;
    }
    p->names[p->n++] = name;
    p->bytes += content.len;
    if (p->n == BATCH_FILES || p->bytes >= BATCH_BYTES)
        put_commit(p);
}

struct source {
    struct cli *cli;
    const char *name;
    int fd;
    uint64_t done, total; /* total 0: not known */
};

static quire_status read_source(void *ctx, void *buf, size_t cap, size_t *n,
                                quire_error *err)
{
    struct source *s = ctx;
    ssize_t got;

    do
        got = read(s->fd, buf, cap);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return err_sys(err, errno, "cannot read %s", s->name);
    *n = (size_t)got;
    s->done += *n;
    progress_at(s->cli, s->done, s->total);
    return QUIRE_OK;
}

static void put_alone(struct put *p, const char *name, int fd,
                      const struct stat *file)
{
    struct cli *cli = p->cli;
    struct source source = {.cli = cli, .name = name, .fd = fd};
    struct progress all = cli->out.progress;
    quire_blob_info info;
    quire_error err = {0};
    quire_status st;

    put_commit(p);
    if (p->stop)
        return;
    if (S_ISREG(file->st_mode)) {
        source.total = (uint64_t)file->st_size;
        lseek(fd, 0, SEEK_SET); /* its beginning may have been read */
    }
    progress_start(cli, name, true);
    /* By descriptor, a known file is not written again, but there is no
     * progress; so a long file on a terminal goes by stream. */
    if (S_ISREG(file->st_mode) &&
        (!cli->out.progress.enabled || source.total < LONG_BYTES))
        st = quire_blob_put_fd(cli->q, fd, p->flags, &info, &err);
    else
        st = quire_blob_put_stream(cli->q, read_source, &source,
                                   S_ISREG(file->st_mode)
                                       ? p->flags
                                       : p->flags | QUIRE_PUT_MOVE,
                                   &info, &err);
    progress_end(cli);
    cli->out.progress = all;
    cli->out.progress.visible = false;
    if (st) {
        put_failed(p, &err);
        return;
    }
    acknowledge(p, fd == STDIN_FILENO ? "-" : name, &info);
    if (out_flush(cli, &err))
        p->stop = true;
}

static void put_open_file(struct put *p, const char *name, int fd)
{
    quire_error err = {0};
    struct stat file;
    ssize_t n;

    if (fstat(fd, &file)) {
        err_sys(&err, errno, "cannot read %s", name);
        put_failed(p, &err);
    } else if (S_ISDIR(file.st_mode)) {
        err_fail(&err, QUIRE_INVALID, "name the files in it",
                 "cannot store %s: it is a directory", name);
        put_failed(p, &err);
    } else if (!S_ISREG(file.st_mode) || file.st_size > SMALL_BYTES) {
        put_alone(p, name, fd, &file);
    } else {
        /* The size may be wrong: files of /proc have none, a log may grow. */
        n = fs_read_full(fd, p->content, SMALL_BYTES + 1);
        if (n < 0) {
            err_sys(&err, errno, "cannot read %s", name);
            put_failed(p, &err);
        } else if (n > SMALL_BYTES) {
            put_alone(p, name, fd, &file);
        } else {
            put_small(p, name, bytes_of(p->content, (size_t)n));
        }
    }
}

static void put_named(struct put *p, const char *name)
{
    quire_error err = {0};
    int fd;

    if (!strcmp(name, "-")) {
        /* By stream even if it is a file: its offset may not be 0. */
        struct stat pipe = {.st_mode = S_IFIFO};

        put_alone(p, "standard input", STDIN_FILENO, &pipe);
        return;
    }
    fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        err_sys(&err, errno, "cannot read %s", name);
        put_failed(p, &err);
        return;
    }
    put_open_file(p, name, fd);
    close(fd);
}

static int blob_put(struct cli *cli, const struct args *args)
{
    struct put *p = calloc(1, sizeof *p);
    quire_error err = {0};
    size_t i;
    int code;

    if (p)
        p->content = malloc(SMALL_BYTES + 1);
    if (!p || !p->content) {
        free(p);
        err_memory(&err);
        return cli_fail(cli, &err);
    }
    p->cli = cli;
    p->flags = args_flag(args, "verify") ? QUIRE_PUT_VERIFY : 0;
    progress_start(cli, "storing files", false);
    if (!args->n_words)
        put_named(p, "-");
    for (i = 0; i < args->n_words && !p->stop; i++) {
        progress_at(cli, i, args->n_words);
        put_named(p, args->words[i]);
    }
    put_commit(p);
    progress_end(cli);
    code = p->code;
    free(p->content);
    free(p);
    return code;
}

static const struct opt put_opts[] = {
    {.name = "verify",
     .kind = OPT_FLAG,
     .help = "read an existing copy, and write it again if it is damaged"},
    STORE_OPTS,
    {0},
};

const struct cmd cmd_blob_put = {
    .name = "blob put",
    .args = "[FILE...]",
    .summary = "store files by content and print their references",
    .about =
        "Prints one reference a line, in the order of the files, each when it "
        "is durable. Without FILE, or for `-`, standard input is stored. "
        "Existing content is not written again; from standard input or a pipe, "
        "after its stored copy was read and found whole.\n\n"
        "A file that cannot be read is reported and left out; the others are "
        "stored, and the exit status is 3.\n\n"
        "With `--json`: ref, sha256, size_bytes, stored_bytes (what it takes "
        "in the store), existed, path (of its own file, or null), file; `size` "
        "and `stored` are older names of size_bytes and stored_bytes.",
    .opts = put_opts,
    .examples = "quire blob put notes.txt picture.png\n"
                "printf hello | quire blob put",
    .store = STORE_WRITE,
    .run = blob_put,
};
