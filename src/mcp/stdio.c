/* stdio.c - see stdio.h */
#include "mcp/stdio.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/parallel.h"
#include "mcp/queue.h"

enum { WORKERS = 6, RUNS = 4 };

/* Beyond this many queued messages reading pauses. */
enum { JOBS_MAX = 512 };
#define JOB_BYTES_MAX ((size_t)256 << 20)

/* At the end: wait for running calls, and for stopped ones. */
enum { GRACE_MS = 600, STOP_MS = 300 };

/* Between looks; between them while something is happening; before one. */
enum { LOOK_MS = 1000, BUSY_MS = 60, BUSY_FOR_MS = 1500, NAP_MS = 20 };

enum { CHUNK = 64 * 1024 };

struct server {
    const struct stdio_config *config;
    struct mcp *m;
    struct mcp_peer *peer;

    pthread_mutex_t out_lock; /* a line at a time */
    atomic_bool answered;

    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t work, less;
    struct queue queue;
    struct mcp_handle *first; /* for the first worker that wants one */
    quire *q;                 /* the same, if `first` was not opened */
    unsigned n_threads, n_workers;
    bool ending;

    int stop_fd; /* for the watcher */
    bool watching;
};

/* ---- lines out --------------------------------------------------------- */

/* Write all, also to a non-blocking output: half a line would corrupt the next. */
static void write_all(int fd, quire_bytes bytes)
{
    struct pollfd room = {.fd = fd, .events = POLLOUT};
    ssize_t n;

    while (bytes.len > 0) {
        n = write(fd, bytes.data, bytes.len);
        if (n > 0)
            bytes = bytes_sub(bytes, (size_t)n, bytes.len);
        else if (n < 0 && errno == EAGAIN)
            poll(&room, 1, -1);
        else if (n < 0 && errno != EINTR)
            return;
    }
}

/* A reader that has gone ends us by a signal; other trouble with the output is
 * its reader's to notice. */
static void send_message(void *ctx, quire_bytes message)
{
    struct server *s = ctx;
    struct iovec line[2];
    ssize_t n;
    size_t done;

    memcpy(&line[0].iov_base, &message.data, sizeof message.data);
    line[0].iov_len = message.len;
    line[1] = (struct iovec){(char[]){'\n'}, 1};
    pthread_mutex_lock(&s->out_lock);
    n = writev(s->config->out, line, 2);
    done = n > 0 ? (size_t)n : 0;
    if (done < message.len)
        write_all(s->config->out, bytes_sub(message, done, message.len));
    if (done <= message.len)
        write_all(s->config->out, bytes_of("\n", 1));
    pthread_mutex_unlock(&s->out_lock);
}

static void give_answer(struct server *s, struct mcp_call *c)
{
    quire_bytes answer = mcp_answer(c, NULL);

    if (answer.data)
        send_message(s, answer);
    mcp_end(c);
    atomic_store(&s->answered, true);
}

/* ---- threads ------------------------------------------------------------ */

static void thread_ends(struct server *s)
{
    pthread_mutex_lock(&s->lock);
    s->n_threads--;
    pthread_cond_broadcast(&s->less);
    pthread_mutex_unlock(&s->lock);
}

/* Counted before it is there, so that the end waits for it. The lock is
 * held. */
static bool start(struct server *s, void *(*run)(void *))
{
    pthread_t thread;

    s->n_threads++;
    if (parallel_thread_start(&thread, run, s)) {
        pthread_detach(thread);
        return true;
    }
    s->n_threads--;
    return false;
}

/* ---- the watcher ------------------------------------------------------- */

static void note_file(void *ctx, const char *session, const char *what,
                      const char *path, const char *why)
{
    (void)session;
    (void)path;
    (void)why;
    *(bool *)ctx |= strcmp(what, "passed") != 0;
}

/* True when it is to end. */
static bool nap(struct server *s)
{
    struct pollfd stop = {s->stop_fd, POLLIN, 0};

    return poll(&stop, 1, NAP_MS) > 0;
}

static void watch_on(struct server *s, struct mcp_handle *h, quire_watch *w)
{
    int64_t heard = mcp_now_ms() - BUSY_FOR_MS;
    bool changed;
    int n;

    for (;;) {
        struct pollfd fd[3] = {{s->stop_fd, POLLIN, 0},
                               {mcp_look_fd(s->m), POLLIN, 0},
                               {w ? quire_watch_fd(w) : -1, POLLIN, 0}};
        bool busy = mcp_now_ms() - heard < BUSY_FOR_MS;

        n = poll(fd, 3, busy ? BUSY_MS : LOOK_MS);
        if (fd[0].revents || (n > 0 && nap(s)))
            return;
        if (fd[2].revents)
            heard = mcp_now_ms();
        changed = false;
        /* A failure is retried at the next change. */
        if (w)
            quire_watch_next(w, 0, note_file, &changed, NULL);
        if (changed || (n == 0 && !busy) || fd[1].revents)
            mcp_look(s->m, h, changed);
    }
}

static void *watch(void *ctx)
{
    struct server *s = ctx;
    struct mcp_handle *h = NULL;
    quire_watch *w = NULL;

    if (mcp_handle_open(s->m, NULL, &h, NULL) == QUIRE_OK) {
        /* Without it what others do to files is seen when they are read. */
        if (s->config->watch &&
            quire_watch_open(mcp_handle_store(h), mcp_session(s->m), &w, NULL))
            w = NULL;
        if (w)
            quire_watch_next(w, 0, note_file, &(bool){false}, NULL);
        mcp_look(s->m, h, false); /* what later looks are compared with */
        watch_on(s, h, w);
    }
    quire_watch_close(w);
    mcp_handle_close(h);
    thread_ends(s);
    return NULL;
}

/* Once the session is known: a watcher does not create one. */
static void begin_watching(struct server *s)
{
    if (!atomic_load(&s->answered) || !mcp_session(s->m))
        return;
    pthread_mutex_lock(&s->lock);
    if (!s->watching && !s->ending) {
        s->watching = true;
        start(s, watch); /* else changes are not reported */
    }
    pthread_mutex_unlock(&s->lock);
}

/* ---- workers ----------------------------------------------------------- */

/* The next job; NULL: there will be none. The lock is held. */
static struct job *next_job(struct server *s)
{
    struct job *job;

    while (!(job = queue_take(&s->queue)) && !(s->ending && s->queue.n == 0))
        pthread_cond_wait(&s->work, &s->lock);
    return job;
}

/* The first handle uses the store that is open already. */
static quire_status open_handle(struct server *s, struct mcp_handle **h,
                                quire_error *err)
{
    quire_status st;
    quire *q;

    pthread_mutex_lock(&s->lock);
    q = s->q;
    s->q = NULL;
    pthread_mutex_unlock(&s->lock);
    st = mcp_handle_open(s->m, q, h, err);
    if (st && q) {
        pthread_mutex_lock(&s->lock);
        s->q = q;
        pthread_mutex_unlock(&s->lock);
    }
    return st;
}

/* False: the call is not ours to answer any more. */
static bool do_job(struct server *s, struct mcp_handle **h, struct mcp_call *c)
{
    quire_error err = {.what = ""};

    if (!*h && open_handle(s, h, &err))
        mcp_refuse(c, &err);
    else if (mcp_do(c, *h) == MCP_OPEN)
        return false;
    return true;
}

/* A worker is idle before its answer is written: a client that waits for the answer
 * to send the next message finds it, and no other thread is started. */
static void *work(void *ctx)
{
    struct server *s = ctx;
    struct mcp_handle *h;
    struct job *job;

    pthread_mutex_lock(&s->lock);
    h = s->first;
    s->first = NULL;
    while ((job = next_job(s))) {
        struct mcp_call *c = job->call;
        bool answer;

        pthread_mutex_unlock(&s->lock);
        answer = do_job(s, &h, c);
        pthread_mutex_lock(&s->lock);
        queue_drop(&s->queue, job);
        pthread_cond_broadcast(&s->work);
        pthread_cond_broadcast(&s->less);
        pthread_mutex_unlock(&s->lock);
        if (answer)
            give_answer(s, c);
        begin_watching(s);
        pthread_mutex_lock(&s->lock);
    }
    pthread_mutex_unlock(&s->lock);
    mcp_handle_close(h);
    thread_ends(s);
    return NULL;
}

static void handle_over(struct server *s, struct mcp_call *c, size_t bytes)
{
    quire_error err = {.what = ""};
    bool added = false;

    pthread_mutex_lock(&s->lock);
    while (s->queue.n >= JOBS_MAX || s->queue.bytes > JOB_BYTES_MAX)
        pthread_cond_wait(&s->less, &s->lock);
    if (s->n_workers <= s->queue.n && s->n_workers < WORKERS && start(s, work))
        s->n_workers++;
    if (s->n_workers > 0)
        added = queue_add(&s->queue, c, bytes);
    pthread_cond_signal(&s->work);
    pthread_mutex_unlock(&s->lock);
    if (added)
        return;
    err_memory(&err);
    mcp_refuse(c, &err);
    give_answer(s, c);
}

/* ---- lines in ---------------------------------------------------------- */

static bool is_blank(quire_bytes line)
{
    const char *t = line.data;
    size_t i;

    for (i = 0; i < line.len; i++)
        if (t[i] != ' ' && t[i] != '\t' && t[i] != '\r')
            return false;
    return true;
}

static void take_line(struct server *s, quire_bytes line)
{
    static const struct mcp_via here = {.http = false};
    struct mcp_call *c = NULL;

    if (!is_blank(line))
        c = mcp_begin(s->peer, line, &here);
    if (c && mcp_state(c) == MCP_READY)
        give_answer(s, c);
    else if (c)
        handle_over(s, c, line.len);
    begin_watching(s);
}

/* What is left when its lines have been taken. A line that is too long is
 * passed over, to its end. */
struct reader {
    struct buf text;
    size_t looked; /* no newline before this */
    bool passing;
};

static void take_lines(struct server *s, struct reader *r)
{
    const char *t = r->text.data, *end;
    size_t from = 0;

    while (
        from < r->text.len &&
        (end = memchr(t + (r->looked > from ? r->looked : from), '\n',
                      r->text.len - (r->looked > from ? r->looked : from)))) {
        if (!r->passing)
            take_line(s, bytes_of(t + from, (size_t)(end - t) - from));
        r->passing = false;
        from = (size_t)(end - t) + 1;
    }
    if (from > 0) {
        memmove(r->text.data, r->text.data + from, r->text.len - from);
        r->text.len -= from;
    }
    r->looked = r->text.len;
    if (r->passing || r->text.len > MCP_MESSAGE_MAX) {
        if (!r->passing)
            send_message(s, bytes_str(mcp_too_long));
        r->passing = true;
        r->text.len = r->looked = 0;
    }
}

static quire_status read_all(struct server *s, quire_error *err)
{
    struct reader r = {.text = BUF_INIT(MCP_MESSAGE_MAX + 2 * CHUNK)};
    quire_status st = QUIRE_OK;
    char *room;
    ssize_t n = 0;

    while (!st) {
        room = buf_room(&r.text, CHUNK);
        if (!room) {
            st = err_memory(err);
            break;
        }
        n = read(s->config->in, room, CHUNK);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        buf_grow(&r.text, (size_t)n);
        take_lines(s, &r);
    }
    if (n < 0)
        st = err_sys(err, errno, "cannot read the client's messages");
    if (!st && r.text.len > 0 && !r.passing)
        take_line(s, buf_bytes(&r.text));
    buf_release(&r.text);
    return st;
}

/* ---- beginning and end ------------------------------------------------- */

/* Wait until no jobs, or threads, are left; false: timeout. The caller holds the
 * lock. */
static bool wait_for(struct server *s, const size_t *jobs,
                     const unsigned *threads, int64_t until_ms)
{
    struct timespec at = {until_ms / 1000, until_ms % 1000 * 1000000};

    while ((jobs && *jobs > 0) || (threads && *threads > 0))
        if (pthread_cond_timedwait(&s->less, &s->lock, &at) == ETIMEDOUT)
            return (!jobs || *jobs == 0) && (!threads || *threads == 0);
    return true;
}

/* Threads that do not end are left to the end of the process: what they have
 * not acknowledged was never promised. */
static void finish(struct server *s)
{
    int64_t begun = mcp_now_ms();
    bool done;

    pthread_mutex_lock(&s->lock);
    s->ending = true;
    pthread_cond_broadcast(&s->work);
    if (!wait_for(s, &s->queue.n, NULL, begun + GRACE_MS)) {
        pthread_mutex_unlock(&s->lock);
        mcp_stop(s->m);
        pthread_mutex_lock(&s->lock);
    }
    eventfd_write(s->stop_fd, 1);
    done = wait_for(s, NULL, &s->n_threads, begun + GRACE_MS + STOP_MS);
    pthread_mutex_unlock(&s->lock);
    if (!done)
        _exit(0);
}

static void init_locks(struct server *s)
{
    pthread_condattr_t steady;

    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_mutex_init(&s->out_lock, NULL);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->work, NULL);
    pthread_cond_init(&s->less, &steady);
    pthread_condattr_destroy(&steady);
}

static void drop_locks(struct server *s)
{
    pthread_cond_destroy(&s->less);
    pthread_cond_destroy(&s->work);
    pthread_mutex_destroy(&s->lock);
    pthread_mutex_destroy(&s->out_lock);
}

quire_status stdio_serve(const struct stdio_config *config, quire_error *err)
{
    struct server s = {.config = config};
    quire_status st = mcp_open(&config->mcp, &s.m, err);

    init_locks(&s);
    queue_init(&s.queue, RUNS);
    s.stop_fd = eventfd(0, EFD_CLOEXEC);
    if (!st && s.stop_fd < 0)
        st = err_sys(err, errno, "cannot make an eventfd");
    if (!st)
        st = mcp_peer_open(s.m, send_message, &s, &s.peer, err);
    /* A session that is named must exist; that of the directory is found, or
     * created, by the first call that needs it. */
    if (!st && config->mcp.of_directory)
        s.q = config->q;
    else if (!st)
        st = mcp_handle_open(s.m, config->q, &s.first, err);
    if (!st) {
        st = read_all(&s, err);
        finish(&s);
    }
    mcp_handle_close(s.first);
    mcp_peer_close(s.peer);
    if (s.stop_fd >= 0)
        close(s.stop_fd);
    mcp_close(s.m);
    drop_locks(&s);
    return st;
}
