/*
 * Everything that can fail in a session, failing in turn: each call through
 * the store's seam, and each allocation and system call of ours. After every
 * failure the file is what it was or what it was to become, the error has
 * words, no litter lies about, and whoever opens the session again goes on.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/json.h"
#include "support/session.h"

#define LINE(id, parent)                                                 \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":" parent       \
    ",\"timestamp\":\"2026-02-16T10:21:00.000Z\",\"message\":{\"role\":" \
    "\"user\",\"content\":\"" id "\"}}"
#define A LINE("a", "null") "\n"
#define B LINE("b", "\"a\"")
#define C LINE("c", "\"b\"") "\n"
#define LABEL                                                           \
    "{\"type\":\"label\",\"id\":\"l\",\"parentId\":\"b\",\"targetId\":" \
    "\"a\",\"label\":\"here\"}\n"
#define SLOT                                                                \
    "{\"type\":\"title\",\"v\":1,\"title\":\"old\",\"source\":\"user\","    \
    "\"updatedAt\":\"2026-02-16T10:20:30.000Z\",\"pad\":\"                " \
    "                                        \"}\n"
#define V1                                                              \
    "{\"type\":\"session\",\"id\":\"s1\",\"timestamp\":\"2025\","       \
    "\"cwd\":\"/w\"}\n{\"type\":\"message\",\"message\":{\"role\":"     \
    "\"user\",\"content\":\"one\"}}\n{\"type\":\"message\",\"message\"" \
    ":{\"role\":\"user\",\"content\":\"two\"}}\n"
#define NAME "p/f"

/* One way to write. `act` works on the open session, or opens one itself and
 * leaves it in run->s. */
struct run {
    struct house h;
    quire_session *s;
    quire_appended out;
};

struct scene {
    const char *what;
    const char *before; /* of the file; NULL: none                       */
    quire_status (*act)(struct run *r, quire_error *err);
    const char *others; /* what another program adds once it is open     */
    unsigned flags;     /* of a session begun instead of opened          */
    bool by_itself;     /* `act` opens                                   */
    bool begun;         /* not opened but new                            */
    bool omp, each;
    bool in_steps; /* a state between before and after is no accident    */
    bool copies;   /* it writes another file than its own                */
};

static const struct session_birth birth = {.id = "s2",
                                           .cwd = "/w",
                                           .at_us = 1771237230000000};

/* The same ids in every run. */
static uint64_t drawn;

static int draw(void *ctx, void *out, size_t len)
{
    (void)ctx;
    test_noise(++drawn, out, len);
    return 1;
}

static const struct rand_source dice = {draw, NULL};

/* ---- the ways to write -------------------------------------------------- */

static quire_status append(struct run *r, const char *json, quire_error *err)
{
    return quire_session_append(r->s, bytes_str(json), NULL, &r->out, err);
}

static quire_status ask(struct run *r, quire_error *err)
{
    return append(r,
                  "{\"type\":\"message\",\"message\":{\"role\":\"user\","
                  "\"content\":\"more\"}}",
                  err);
}

static quire_status answer(struct run *r, quire_error *err)
{
    return append(r,
                  "{\"type\":\"message\",\"message\":{\"role\":\"assistant\","
                  "\"content\":\"yes\"}}",
                  err);
}

static quire_status show(struct run *r, quire_error *err)
{
    char json[3000];
    int at = snprintf(json, sizeof json,
                      "{\"type\":\"message\",\"message\":{\"role\":\"user\","
                      "\"content\":[{\"type\":\"image\",\"mimeType\":"
                      "\"image/png\",\"data\":\"");

    memset(json + at, 'A', 2000);
    strcpy(json + at + 2000, "\"}]}}");
    return append(r, json, err);
}

static quire_status once(struct run *r, quire_error *err)
{
    quire_append_options o = QUIRE_APPEND_OPTIONS_INIT;

    o.op = "number one";
    o.expect = "b";
    return quire_session_append(r->s, bytes_str("{\"type\":\"custom\"}"), &o,
                                &r->out, err);
}

static quire_status keep_branch(struct run *r, quire_error *err)
{
    return quire_session_branch(r->s, "a", true, &r->out, err);
}

static quire_status summarise(struct run *r, quire_error *err)
{
    return quire_session_branch_summary(r->s, "a", "so far", bytes_str("{}"),
                                        &r->out, err);
}

static quire_status label(struct run *r, quire_error *err)
{
    return quire_session_label(r->s, "a", "here", &r->out, err);
}

static quire_status retitle(struct run *r, quire_error *err)
{
    return session_rename(r->s, "a title of its own", err);
}

static quire_status rehome(struct run *r, quire_error *err)
{
    return session_rehome(r->s, "/elsewhere", err);
}

static quire_status fork_it(struct run *r, quire_error *err)
{
    return session_copy(r->s, NULL, r->h.store->logs, "q/copy", &birth, err);
}

static quire_status extract(struct run *r, quire_error *err)
{
    return session_copy(r->s, "b", r->h.store->logs, "q/copy", &birth, err);
}

static quire_status begin(struct run *r, quire_error *err)
{
    struct session_place place = {.store = r->h.store, .name = NAME};

    return session_new(&r->h.env, &place, &birth, QUIRE_SESSION_AT_ONCE,
                       QUIRE_SYNC_EACH, &r->s, err);
}

static quire_status open_it(struct run *r, quire_error *err)
{
    struct session_place place = {.store = r->h.store, .name = NAME};

    return session_open(&r->h.env, &place, &birth, 0, QUIRE_SYNC_EACH, &r->s,
                        err);
}

static quire_status open_and_ask(struct run *r, quire_error *err)
{
    quire_status st = open_it(r, err);

    return st ? st : ask(r, err);
}

static quire_status mend(struct run *r, quire_error *err)
{
    bool changed;

    return session_mend(&r->h.env, r->h.store, NAME, "p/kept", &changed, err);
}

/* clang-format off */
static const struct scene scenes[] = {
    {"begin at once", NULL, .act = begin, .by_itself = true},
    {"the first answer", NULL, .act = answer, .begun = true, .each = true,
     .in_steps = true},
    {"append", HEADER A B "\n", .act = ask},
    {"append and sync", HEADER A B "\n", .act = ask, .each = true},
    {"append behind no break", HEADER A B, .act = ask},
    {"append behind a torn line", HEADER A B "\n{\"type\":\"mes", .act = ask},
    {"append after somebody else", HEADER A, .act = ask, .others = B "\n" C},
    {"append after somebody went on", HEADER A B, .act = ask, .others = "\n" C},
    {"append to nothing", "\n", .act = open_and_ask, .by_itself = true,
     .in_steps = true},
    {"open and append", HEADER A B "\n" C, .act = open_and_ask,
     .by_itself = true},
    {"append an image", HEADER A B "\n", .act = show},
    {"append once", HEADER A B "\n", .act = once},
    {"branch", HEADER A B "\n", .act = keep_branch},
    {"branch with a summary", HEADER A B "\n", .act = summarise},
    {"label", HEADER A B "\n", .act = label},
    {"rename", HEADER A B "\n", .act = retitle},
    {"rename after somebody else", HEADER A B, .act = retitle, .others = "\n" C,
     .in_steps = true},
    {"rename in the slot", SLOT HEADER A B "\n", .act = retitle,
     .in_steps = true},
    {"rename in memory", NULL, .act = retitle, .begun = true},
    {"rehome", HEADER A "rubbish\n" B "\n", .act = rehome},
    {"fork", HEADER A B "\n" C, .act = fork_it, .copies = true},
    {"extract", HEADER A B "\n" LABEL, .act = extract, .copies = true},
    {"migrate", V1, .act = open_it, .by_itself = true},
    {"mend", HEADER A "rubbish\n" C B "{\"type\"", .act = mend,
     .by_itself = true, .in_steps = true},
    {"append beside oh-my-pi", HEADER A B "\n", .act = ask, .omp = true},
    {"rename beside oh-my-pi", HEADER A B "\n", .act = retitle, .omp = true},
    {"migrate beside oh-my-pi", V1, .act = open_it, .by_itself = true,
     .omp = true},
    {"mend beside oh-my-pi", HEADER A "rubbish\n" B "\n", .act = mend,
     .by_itself = true, .in_steps = true, .omp = true},
};
/* clang-format on */

/* ---- before and after --------------------------------------------------- */

/* Every object and what is in it. */
static quire_status add_object(void *ctx, const char *name,
                               const struct object_info *info, quire_error *err)
{
    (void)info;
    (void)err;
    buf_addf(ctx, "%s\n", name);
    return QUIRE_OK;
}

static const char *state_of(struct house *h)
{
    struct buf names = BUF_INIT(1 << 20), all = BUF_INIT(1 << 20);
    char *at, *out;

    OK(object_list(h->store->objects, "", add_object, &names, &test_err));
    for (at = buf_text(&names); *at; at += strlen(at) + 1) {
        quire_bytes text;

        at[strcspn(at, "\n")] = '\0';
        text = house_read(h, at);
        buf_addf(&all, "== %s\n", at);
        buf_add(&all, text.data, text.len);
    }
    out = test_alloc(all.len + 1);
    memcpy(out, buf_text(&all), all.len + 1);
    buf_release(&all);
    buf_release(&names);
    return out;
}

/* A stroke of fate, and the words for it. */
enum fate { NOTHING, SEAM, SYSTEM, SEAM_FOR_GOOD };

static void add_carelessly(const struct scene *c, struct house *h)
{
    struct object_info info;
    struct log *o;

    if (!c->others)
        return;
    OK(log_open(h->store->logs, NAME, LOG_APPEND, &o, &info, &test_err));
    OK(log_append(o, LOG_NO_EPOCH, info.size, bytes_str(c->others), &test_err));
    log_close(o);
}

static void set_the_scene(const struct scene *c, struct run *r, bool disk)
{
    struct session_place place = {.name = NAME};

    *r = (struct run){.s = NULL};
    drawn = 0;
    house_open(&r->h, disk);
    test_now_s = 1771237260;
    r->h.env.rand = &dice;
    r->h.env.omp = c->omp;
    r->h.env.busy_ms = 20;
    place.store = r->h.store;
    if (c->before)
        house_write(&r->h, NAME, c->before);
    if (c->begun) {
        OK(session_new(&r->h.env, &place, &birth, c->flags,
                       c->each ? QUIRE_SYNC_EACH : QUIRE_SYNC_FLUSH, &r->s,
                       &test_err));
        OK(ask(r, &test_err));
    } else if (!c->by_itself) {
        OK(session_open(&r->h.env, &place, NULL, 0,
                        c->each ? QUIRE_SYNC_EACH : QUIRE_SYNC_FLUSH, &r->s,
                        &test_err));
    }
    add_carelessly(c, &r->h);
    r->out = (quire_appended){.id = ""};
}

static void arm(struct run *r, enum fate fate, long n)
{
    struct fault f = {.left = n, .status = QUIRE_IO};

    f.stay = fate == SEAM_FOR_GOOD;
    if (fate == SYSTEM)
        fault_arm(n, n % 2 ? ENOMEM : ENOSPC, false);
    else if (fate != NOTHING)
        r->h.fault = f;
}

static bool disarm(struct run *r, enum fate fate)
{
    r->h.fault.left = 0;
    return fate == SYSTEM ? fault_disarm() : r->h.fault.struck;
}

/* ---- what holds --------------------------------------------------------- */

/* Every line of `old` but the header's is in `now`, and `now` has nothing but
 * whole lines. */
static bool nothing_lost(const char *old, const char *now)
{
    const char *at, *end;

    for (at = strchr(old, '{'); at && *at; at = *end ? end + 1 : end) {
        char line[4096];

        end = at + strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", (int)(end - at), at);
        if (!strstr(line, "\"type\":\"title\"") && !strstr(now, line))
            return false;
    }
    return true;
}

/* Told at once, all of them, and counted. */
static int n_wrong;

static void complain(const struct scene *c, long n, const char *what,
                     const char *a, const char *b)
{
    fprintf(stderr, "%s, call %ld (%s): %s\n%s\n---\n%s\n", c->what, n,
            fault_name(), what, a, b);
    n_wrong++;
}

struct outcome {
    quire_status st;
    quire_error err;
    const char *before, *after, *now;
};

static void file_is_sound(const struct scene *c, long n, struct outcome *o)
{
    bool old = !strcmp(o->now, o->before), new = !strcmp(o->now, o->after);

    if (o->st == QUIRE_OK && !new)
        complain(c, n, "acknowledged, and not there", o->now, o->after);
    if (o->st && !o->err.what[0])
        complain(c, n, "fails without words", quire_status_name(o->st), "");
    if (o->st && o->err.status != o->st)
        complain(c, n, "fails with another status", "", "");
    if (old || new)
        return;
    if (!c->in_steps || !nothing_lost(o->before, o->now))
        complain(c, n, "neither before nor after", o->now, o->after);
}

/* The id that was given is that of the last line. */
static void id_is_right(const struct scene *c, long n, struct run *r,
                        struct outcome *o)
{
    quire_bytes text;
    const char *last;
    char want[300];

    if (o->st || !r->out.id[0] || !house_has(&r->h, NAME))
        return;
    text = house_read(&r->h, NAME);
    last = memrchr(text.data, '\n', text.len - 1);
    snprintf(want, sizeof want, "\"id\":\"%s\"", r->out.id);
    if (!last || !strstr(last, want))
        complain(c, n, "acknowledged under another id", text.data, r->out.id);
}

/* After a failed write or sync nothing more is written; after any other
 * failure the handle works or says why not. */
static void handle_is_sound(const struct scene *c, long n, struct run *r,
                            struct outcome *o)
{
    bool must = strstr(o->err.what, "log append") ||
                strstr(o->err.what, "log sync") ||
                strstr(o->err.what, "log replace") ||
                !strcmp(fault_name(), "fdatasync");
    quire_error err = {.what = ""};
    quire_status st;

    if (!r->s || !o->st)
        return;
    st = ask(r, &err);
    if (st && (st != o->st || strcmp(err.what, o->err.what)))
        complain(c, n, "the error changes", err.what, o->err.what);
    if (!st && must && !c->by_itself && !c->begun)
        complain(c, n, "writes on after a failed write", o->err.what, "");
}

/* What the handle shows is what whoever opens the file is quote_text. */
static void views_agree(const struct scene *c, long n, struct run *r)
{
    const char *ours, *theirs;
    quire_session *s;

    if (!r->s || !house_has(&r->h, NAME))
        return;
    ours = all_entries(r->s);
    s = house_open_session(&r->h, NAME, QUIRE_SESSION_READ);
    theirs = all_entries(s);
    quire_session_close(s);
    if (strcmp(ours, theirs) != 0 && !c->begun)
        complain(c, n, "the handle shows something else", ours, theirs);
}

/* Whoever comes next can go on. */
static void goes_on(const struct scene *c, long n, struct run *r)
{
    const char *was = "", *now;
    quire_session *s;

    if (!house_has(&r->h, NAME))
        return;
    s = house_open_session(&r->h, NAME, 0);
    was = all_entries(s);
    r->s = s;
    OK(ask(r, &test_err));
    quire_session_close(s);
    r->s = NULL;
    s = house_open_session(&r->h, NAME, QUIRE_SESSION_READ);
    now = all_entries(s);
    SAME_TEXT(r->out.id, leaf_of(s));
    quire_session_close(s);
    if (strncmp(was, now, strlen(was)) != 0 || strlen(was) >= strlen(now))
        complain(c, n, "what was there is not", was, now);
}

/* ---- the sweep ---------------------------------------------------------- */

static const char *without_fault(const struct scene *c, bool disk)
{
    const char *after;
    struct run r;

    set_the_scene(c, &r, disk);
    OK(c->act(&r, &test_err));
    after = state_of(&r.h);
    quire_session_close(r.s);
    house_close(&r.h);
    test_forget_dir();
    return after;
}

static bool strike(const struct scene *c, bool disk, enum fate fate, long n,
                   const char *after)
{
    struct outcome o = {.after = after};
    struct run r;
    bool struck;

    set_the_scene(c, &r, disk);
    o.before = state_of(&r.h);
    arm(&r, fate, n);
    o.st = c->act(&r, &o.err);
    struck = disarm(&r, fate);
    o.now = state_of(&r.h);
    file_is_sound(c, n, &o);
    id_is_right(c, n, &r, &o);
    if (!c->copies)
        handle_is_sound(c, n, &r, &o);
    views_agree(c, n, &r);
    quire_session_close(r.s);
    r.s = NULL;
    goes_on(c, n, &r);
    house_close(&r.h);
    if (disk)
        NO(test_litter(test_dir()));
    test_forget_dir();
    return struck;
}

static void sweep(bool disk, enum fate fate)
{
    long n, calls = 0;
    size_t i;

    n_wrong = 0;
    fault_arm(0, 0, false);
    for (i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        const struct scene *c = &scenes[i];
        const char *after;

        if (c->omp && !disk)
            continue; /* its locks are of files */
        after = without_fault(c, disk);
        for (n = 1; strike(c, disk, fate, n, after); n++)
            calls++;
    }
    YES(calls > 50);
    EQ(0, n_wrong);
}

TEST(a_session_survives_each_call_through_the_seam_failing_once)
{
    sweep(true, SEAM);
}

TEST(a_session_survives_the_seam_failing_for_good)
{
    sweep(true, SEAM_FOR_GOOD);
}

TEST(a_session_in_memory_survives_each_call_through_the_seam_failing_once)
{
    sweep(false, SEAM);
}

TEST(a_session_survives_each_system_call_and_allocation_failing_once)
{
    sweep(true, SYSTEM);
}
