/*
 * unpack.c - unpack an archive into artifacts, all or nothing
 *
 * Everything is read and checked first: names by the path rule, no links, bounded
 * sizes. Then one transaction puts all of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "artifact/archive.h"
#include "artifact/artifact.h"
#include "artifact/path.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/map.h"
#include "api/workspace.h"

/* Defaults: members, and bytes of all of them. */
enum { MEMBERS_MAX = 1000 };
#define TOTAL_MAX ((uint64_t)256 << 20)

struct unpacking {
    struct quire *q;
    struct artifact_limits limits;
    const char *into;
    struct archive_member *members;
    size_t n;
    struct artifact_new *puts;
    quire_artifact *out;
};

/* "data" of "stuff/data.tar.gz": the default directory. */
static const char *default_into(const char *path, struct arena *keep)
{
    static const char *const endings[] = {".tar.gz", ".tgz", ".tar", ".zip",
                                          ".gz"};
    size_t len = strlen(path), i, n;

    for (i = 0; i < sizeof endings / sizeof *endings; i++) {
        n = strlen(endings[i]);
        if (len > n && !strcmp(path + len - n, endings[i]))
            return arena_text(keep, bytes_of(path, len - n));
    }
    return arena_printf(keep, "%s.d", path);
}

/* A single gzip file is unpacked beside it. */
static bool is_single(const char *path, size_t n)
{
    size_t len = strlen(path);

    return n == 1 && len > 3 && !strcmp(path + len - 3, ".gz") &&
           !(len > 7 && !strcmp(path + len - 7, ".tar.gz"));
}

/* The path of each; two members with one path are refused. */
static quire_status name_members(struct unpacking *u, quire_error *err)
{
    struct arena *keep = &u->q->loan;
    quire_status st = QUIRE_OK;
    struct map seen;
    size_t i;

    map_init(&seen, (uintptr_t)u, (uintptr_t)keep);
    for (i = 0; i < u->n && !st; i++) {
        const char *name = u->members[i].name, *whole;
        char clean[257];
        bool fresh = false;
        quire_error why;

        while (name[0] == '.' && name[1] == '/') /* as `tar -C dir .` has it */
            name += 2;
        /* Checked before a prefix could hide a bad name. */
        st = path_check(bytes_str(name), clean, NULL, &why);
        whole = st ? NULL
                   : arena_printf(keep, "%s%s%s", u->into, *u->into ? "/" : "",
                                  clean);
        if (!st && !whole)
            return map_release(&seen), err_memory(err);
        if (!st)
            st = path_check(bytes_str(whole), clean, NULL, &why);
        if (st) {
            err_fail(err, st, "nothing was unpacked", "%.100s: %.150s", name,
                     why.what);
            break;
        }
        u->puts[i].path = st ? NULL : arena_text(keep, bytes_str(clean));
        if (!st && (!u->puts[i].path ||
                    !map_put(&seen, bytes_str(u->puts[i].path), 1, &fresh)))
            st = err_memory(err);
        if (!st && !fresh) {
            st = err_fail(err, QUIRE_INVALID, "nothing was unpacked",
                          "the archive has two files %.100s", clean);
        }
    }
    map_release(&seen);
    return st;
}

static quire_status plan(struct unpacking *u, const char *session,
                         const quire_artifact_options *o, quire_error *err)
{
    struct arena *keep = &u->q->loan;
    const char *key, *file = NULL;
    quire_status st = session_key_and_file(u->q, session, keep, &key, &file,
                                           err);
    size_t i;

    u->puts = arena_array(keep, u->n + 1, sizeof *u->puts);
    u->out = arena_array(keep, u->n + 1, sizeof *u->out);
    if (!st && (!u->puts || !u->out))
        st = err_memory(err);
    for (i = 0; i < u->n && !st; i++) {
        u->puts[i].tenant = u->q->tenant;
        u->puts[i].key = key;
        u->puts[i].file = file;
        u->puts[i].name = file ? file + strlen(u->q->home) + 1 : NULL;
        u->puts[i].content = u->members[i].content;
        u->puts[i].options = o;
        u->puts[i].limits = &u->limits;
    }
    return st ? st : name_members(u, err);
}

/* What was packed, as metadata: which archive a file came out of. */
static const char *spell_origin(const quire_artifact *archive,
                                struct arena *keep)
{
    return arena_printf(keep, "{\"archive\":%lld}", (long long)archive->id);
}

static quire_status read_archive(struct unpacking *u,
                                 const quire_artifact *archive,
                                 const struct archive_limits *limits,
                                 quire_error *err)
{
    struct buf bytes = BUF_INIT((size_t)1 << 31);
    quire_status st = read_whole(u->q, &archive->digest, buf_write, &bytes,
                                 err);

    if (!st)
        st = archive_read(buf_bytes(&bytes), archive->path, limits, &u->q->loan,
                          &u->members, &u->n, err);
    if (!st && u->n == 0) {
        st = err_fail(err, QUIRE_INVALID,
                      "ZIP, tar, tar.gz and gz can be unpacked",
                      "%.100s has no files in it", archive->path);
    }
    buf_release(&bytes);
    return st;
}

quire_status quire_artifact_unpack(quire *q, const char *session,
                                   const char *which, const char *into,
                                   uint64_t max_files, uint64_t max_bytes,
                                   quire_artifact_fn each, void *ctx,
                                   quire_error *err)
{
    quire_artifact_options o = QUIRE_ARTIFACT_OPTIONS_INIT;
    struct unpacking u = {.q = q};
    struct archive_limits limits = {.member = 0,
                                    .n = max_files ? max_files : MEMBERS_MAX,
                                    .total = max_bytes ? max_bytes : TOTAL_MAX};
    quire_artifact archive;
    size_t i;
    quire_status st = need_artifacts(q, true, err);

    /* The loan holds the archive's text from here on. */
    if (!st)
        st = quire_artifact_stat(q, session, which, NULL, &archive, err);
    if (!st)
        st = artifacts_limits(q, &u.limits, err);
    limits.member = u.limits.file;
    if (!st)
        st = read_archive(&u, &archive, &limits, err);
    if (!st) {
        u.into = into ? into
                 : is_single(archive.path, u.n)
                     ? ""
                     : default_into(archive.path, &q->loan);
        o.meta = spell_origin(&archive, &q->loan);
        st = u.into && o.meta ? plan(&u, session, &o, err) : err_memory(err);
    }
    for (i = 0; i < u.n && !st; i++)
        st = secrets_guard_text(q, u.puts[i].path, &q->loan, &u.puts[i].content,
                                &u.puts[i].n_secrets, err);
    if (!st)
        st = artifact_put_all(q->artifacts, u.puts, u.n, &q->loan, u.out, err);
    for (i = 0; i < u.n && !st; i++)
        workspace_follow_artifact(q, u.puts[i].key, u.puts[i].path, FOLLOW_PUT,
                                  NULL);
    for (i = 0; i < u.n && !st && each; i++) {
        u.out[i].secrets = u.puts[i].n_secrets;
        q->in_callback = true;
        st = each(ctx, &u.out[i], err);
        q->in_callback = false;
    }
    return st;
}
