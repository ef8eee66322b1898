/*
 * doctor.c - check the home and the machine
 *
 * Each check is a function that reports one line: what it found, its status,
 * and what to do. `fail`: Quire cannot work; `warn`: it works slower or less
 * safely.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include "cli/core/cli.h"
#include "cli/cmd/commands.h"

/* Less free space than this is a warning. */
#define LITTLE_SPACE (256ULL * 1024 * 1024)

enum health { OK, WARN, FAIL };

struct doctor {
    struct cli *cli;
    const struct args *args;
    int code;
};

static void report(struct doctor *d, const char *check, enum health health,
                   const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

static void report(struct doctor *d, const char *check, enum health health,
                   const char *hint, const char *fmt, ...)
{
    static const char *const names[] = {"ok", "warn", "fail"};
    static const char *const colors[] = {"\033[32m", "\033[33m", "\033[31m"};
    struct cli *cli = d->cli;
    bool color = cli->out.color;
    char detail[4096];
    struct row r;
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(detail, sizeof detail, fmt, ap);
    va_end(ap);
    if (health == FAIL)
        d->code = EXIT_NO;
    if (row_begin(&r, cli)) {
        json_put_str(&r.json, "check", check);
        json_put_str(&r.json, "status", names[health]);
        json_put_str(&r.json, "detail", detail);
        json_put_str(&r.json, "hint", hint);
    } else {
        buf_addf(&r.text, "%s%-4s%s  %-15s %s", color ? colors[health] : "",
                 names[health], color ? "\033[0m" : "", check, detail);
        if (*hint)
            buf_addf(&r.text, "\n      %-15s hint: %s", "", hint);
    }
    row_print(&r);
}

/* ---- the home ----------------------------------------------------------- */

/* Where the choice of the home comes from. */
static const char *home_reason(const struct args *args)
{
    const char *xdg = getenv("XDG_DATA_HOME");

    if (args_env(args, "home"))
        return "from QUIRE_HOME";
    if (args_text(args, "home"))
        return "from --home";
    return xdg && *xdg ? "in XDG_DATA_HOME" : "the default";
}

static void check_kind(struct doctor *d, const quire *q, bool there)
{
    const char *reason = there ? "detected" : "the kind of a new home";

    if (args_env(d->args, "kind"))
        reason = "from QUIRE_KIND";
    else if (args_text(d->args, "kind"))
        reason = "from --kind";
    report(d, "kind", OK, "", "%s, %s", quire_kind_name(quire_home_kind(q)),
           reason);
    report(d, "blob layout", OK, "", "%s",
           quire_layout_name(quire_blob_layout(q)));
}

static quire_status stop_at_first(void *ctx, const quire_blob_info *info,
                                  quire_error *err)
{
    (void)info;
    (void)err;
    *(bool *)ctx = true;
    return QUIRE_STOPPED;
}

/* Whether the blobs can be listed; `blob check` reads them. */
static void check_store(struct doctor *d, quire *q)
{
    quire_error err = {0};
    bool any = false;
    quire_status st = quire_blob_list(q, stop_at_first, &any, &err);

    if (st && st != QUIRE_STOPPED)
        report(d, "blobs", FAIL, err.next, "%s", err.what);
    else
        report(d, "blobs", OK, "", "%s", any ? "can be read" : "none yet");
}

/* What gc would do now. An automatic gc in the background cannot report that it
 * was refused. */
static void check_collection(struct doctor *d, quire *q)
{
    quire_collect_options options = QUIRE_COLLECT_OPTIONS_INIT;
    quire_collect_report r;
    quire_error err = {0};
    quire_status st;

    options.flags = QUIRE_COLLECT_DRY_RUN;
    st = quire_collect(q, &options, &r, &err);
    if (st)
        report(d, "collection", WARN, err.next, "%s", err.what);
    else if (r.refused)
        report(
            d, "collection", WARN,
            "list them with `quire gc --dry-run --list`; to remove them, `quire "
            "gc --yes`",
            "refused: %" PRIu64 " of %" PRIu64
            " blobs would be removed, more than half",
            r.removed, r.scanned);
    else
        report(d, "collection", OK, "",
               "%" PRIu64 " of %" PRIu64 " blobs are in use", r.referenced,
               r.scanned);
}

/* Whether unnamed temporary files can be created. */
static void check_tmpfile(struct doctor *d, const char *dir)
{
    int fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

    if (fd >= 0) {
        close(fd);
        report(d, "O_TMPFILE", OK, "", "a crash leaves no temporary files");
    } else {
        report(d, "O_TMPFILE", WARN,
               "a crash may leave temporary files; they are harmless", "%s: %s",
               dir, strerror(errno));
    }
}

static void check_space(struct doctor *d, const char *dir)
{
    struct statvfs fs;
    uint64_t free_bytes;
    char words[32];

    if (statvfs(dir, &fs)) {
        report(d, "space", WARN, "", "%s: %s", dir, strerror(errno));
        return;
    }
    free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
    size_text(free_bytes, words, sizeof words);
    report(d, "space", free_bytes < LITTLE_SPACE ? WARN : OK,
           free_bytes < LITTLE_SPACE ? "free some space" : "", "%s free",
           words);
}

/* The directory itself, or its nearest existing parent. */
static void nearest_dir(const char *path, char *out, size_t cap)
{
    struct stat st;
    char *slash;

    snprintf(out, cap, "%s", path);
    while (stat(out, &st) && errno == ENOENT) {
        slash = strrchr(out, '/');
        if (!slash) {
            snprintf(out, cap, ".");
            return;
        }
        slash[slash == out] = '\0';
    }
}

/* Nothing of Quire's is in it. */
static void report_agent(struct doctor *d, const char *home, const char *agent)
{
    report(d, "home", OK, "", "%s, %s", home, home_reason(d->args));
    report(
        d, "kind", OK,
        "`quire session ls` with this home lists its sessions; `quire import` "
        "brings them into a home of Quire",
        "%s, another agent's, which is only read", agent);
}

static void check_home(struct doctor *d)
{
    quire_options options = QUIRE_OPTIONS_INIT;
    const char *agent = NULL;
    quire_error err = {0};
    quire *q = NULL;
    char near[4096];
    struct stat st;
    bool there, writable;

    cli_store_options(d->args, &options);
    options.flags |= QUIRE_READ_ONLY;
    if (options.home && !options.kind)
        agent = quire_home_agent(options.home);
    if (agent) {
        report_agent(d, options.home, agent);
        return;
    }
    if (quire_open(&options, &q, &err)) {
        report(d, "home", FAIL, err.next, "%s", err.what);
        return;
    }
    there = !stat(quire_home(q), &st);
    nearest_dir(quire_home(q), near, sizeof near);
    writable = !access(near, W_OK | X_OK);
    if (!writable)
        report(d, "home", FAIL, "check its owner and mode, or give --home",
               "%s, %s: cannot write in %s: %s", quire_home(q),
               home_reason(d->args), near, strerror(errno));
    else if (there && (st.st_mode & 077) &&
             quire_home_kind(q) == QUIRE_KIND_NATIVE)
        report(d, "home", WARN, "others can read it; make its mode 0700",
               "%s, %s, mode %04o", quire_home(q), home_reason(d->args),
               st.st_mode & 07777);
    else
        report(d, "home", OK, "", "%s, %s%s", quire_home(q),
               home_reason(d->args), there ? "" : ", does not exist yet");
    if (quire_database(q))
        report(d, "database", OK, "", "%s, %s", quire_database(q),
               args_env(d->args, "db") ? "from QUIRE_DB" : "from --db");
    if (options.objects)
        report(d, "blobs", OK, "", "%s", options.objects);
    check_kind(d, q, there);
    if (options.tenant)
        report(d, "tenant", OK, "", "%s, %s", options.tenant,
               args_env(d->args, "tenant") ? "from QUIRE_TENANT"
                                           : "from --tenant");
    check_store(d, q);
    if (there && !options.tenant)
        check_collection(d, q);
    if (writable)
        check_tmpfile(d, near);
    check_space(d, near);
    quire_close(q);
}

/* ---- the machine -------------------------------------------------------- */

static void check_libraries(struct doctor *d)
{
    const char *library;
    char out[64];
    unsigned i;

    report(d, "quire", OK, "", "%s", quire_version());
    for (i = 0; (library = quire_version_of(i, out)); i++)
        report(d, "library", OK, "", "%s", library);
}

static void check_openat2(struct doctor *d)
{
    /* O_RDONLY, no mode, RESOLVE_BENEATH */
    uint64_t how[3] = {O_CLOEXEC, 0, 0x08};
    long fd = syscall(SYS_openat2, AT_FDCWD, ".", how, sizeof how);

    if (fd >= 0) {
        close((int)fd);
        report(d, "openat2", OK, "", "paths are resolved by the kernel");
    } else {
        report(d, "openat2", WARN,
               "paths are walked step by step instead, which is slower", "%s",
               strerror(errno));
    }
}

/* ---- layers of confinement ---------------------------------------------- */

struct layers {
    struct doctor *doctor;
    struct buf held; /* the available ones */
    int missing;
};

static quire_status add_layer(void *ctx, const char *layer, int ok,
                              const char *why, quire_error *err)
{
    struct layers *l = ctx;
    char check[32];

    (void)err;
    if (ok) {
        buf_addf(&l->held, "%s%s%s%s%s", l->held.len ? ", " : "", layer,
                 *why ? " (" : "", why, *why ? ")" : "");
        return QUIRE_OK;
    }
    l->missing++;
    snprintf(check, sizeof check, "run: %s", layer);
    report(l->doctor, check, WARN, "`quire run` works with less confinement",
           "%s", why);
    return QUIRE_OK;
}

/* Found by trying them: many settings can forbid a layer. */
static void check_layers(struct doctor *d)
{
    struct layers l = {.doctor = d, .held = BUF_INIT(4096)};
    quire_error err = {0};

    if (quire_run_probe(add_layer, &l, &err))
        report(d, "run", WARN, err.next, "%s", err.what);
    else
        report(d, "run", l.missing ? WARN : OK, "", "%s",
               l.held.len ? buf_text(&l.held)
                          : "nothing confines a command here");
    buf_release(&l.held);
}

static void check_cpu(struct doctor *d)
{
    bool sha = false, wide = false;
#if defined(__x86_64__)
    const char *sha_name = "SHA-NI", *wide_name = "AVX2";
    unsigned a, b, c, e;

    if (__get_cpuid_count(7, 0, &a, &b, &c, &e))
        sha = b >> 29 & 1;
    wide = __builtin_cpu_supports("avx2");
#elif defined(__aarch64__)
    const char *sha_name = "SHA2", *wide_name = "ASIMD";

    sha = getauxval(AT_HWCAP) >> 6 & 1;
    wide = getauxval(AT_HWCAP) >> 1 & 1;
#else
    const char *sha_name = "SHA", *wide_name = "vectors";
#endif
    report(d, "processor", OK, "", "%s %s, %s %s", sha_name, sha ? "yes" : "no",
           wide_name, wide ? "yes" : "no");
}

static void check_kernel(struct doctor *d)
{
    struct utsname name;

    if (!uname(&name))
        report(d, "kernel", OK, "", "%s %s %s", name.sysname, name.release,
               name.machine);
    check_openat2(d);
    check_layers(d);
}

static int doctor(struct cli *cli, const struct args *args)
{
    struct doctor d = {.cli = cli, .args = args};

    check_libraries(&d);
    check_home(&d);
    check_kernel(&d);
    check_cpu(&d);
    return d.code;
}

const struct cmd cmd_doctor = {
    .name = "doctor",
    .args = "",
    .summary = "check the home and the machine",
    .about = "A line a check: `ok`, `warn` (Quire works, but slower or less "
             "safely) or `fail`, with what to do. Exit status 1: a check "
             "failed. With `--json`: check, status, detail, hint.",
    .examples = "quire doctor",
    .store = STORE_NONE,
    .paged = true,
    .run = doctor,
};
