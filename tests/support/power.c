/*
 * power.c - what a database has after a power cut
 *
 * At every sync of one of its files the bytes that it has are put aside. What
 * is written after that may be on the disk or not, piece by piece and in no
 * order: until the next sync nothing is promised.
 *
 * The files of ours are not looked at here, lasting.c does that.
 */
#include "support/power.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/catalog.h"
#include "support/slow.h"

enum { FILES_MAX = 8, PIECE = 4096 };

static struct {
    char path[512];
    unsigned char *bytes;
    size_t len;
} safe[FILES_MAX];

static char watched[512]; /* "": nothing is */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void power_watch(const char *dir)
{
    int i;

    snprintf(watched, sizeof watched, "%s", dir ? dir : "");
    for (i = 0; i < FILES_MAX; i++) {
        free(safe[i].bytes);
        memset(&safe[i], 0, sizeof safe[i]);
    }
}

/* All of a file; NULL when there is none. */
static unsigned char *slurp(const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    unsigned char *bytes = NULL;
    long size;

    *len = 0;
    if (!f)
        return NULL;
    if (!fseek(f, 0, SEEK_END) && (size = ftell(f)) >= 0 &&
        !fseek(f, 0, SEEK_SET) && (bytes = malloc((size_t)size + 1)) != NULL)
        *len = fread(bytes, 1, (size_t)size, f);
    fclose(f);
    return bytes;
}

void power_synced(const char *path)
{
    int i;

    if (!watched[0] || !path || strncmp(path, watched, strlen(watched)) != 0)
        return;
    pthread_mutex_lock(&lock);
    for (i = 0; safe[i].path[0] && strcmp(safe[i].path, path) != 0;) {
        if (++i == FILES_MAX)
            abort();
    }
    snprintf(safe[i].path, sizeof safe[i].path, "%s", path);
    free(safe[i].bytes);
    safe[i].bytes = slurp(path, &safe[i].len);
    pthread_mutex_unlock(&lock);
}

/* Some pieces of what is there now, where it is not what was synced. */
static void mix(unsigned char **bytes, size_t *len, const char *path,
                uint64_t seed)
{
    size_t now_len, at;
    unsigned char *now = slurp(path, &now_len);

    if (!now)
        return;
    if (now_len > *len) {
        unsigned char *more = realloc(*bytes, now_len);

        if (!more)
            abort();
        memset(more + *len, 0, now_len - *len);
        *bytes = more;
        *len = now_len;
    }
    for (at = 0; at < now_len; at += PIECE) {
        size_t n = now_len - at < PIECE ? now_len - at : PIECE;

        if (slow_random(&seed, 2))
            memcpy(*bytes + at, now + at, n);
    }
    free(now);
}

static void write_safe(const char *path, const char *to, uint64_t seed)
{
    unsigned char *bytes = NULL;
    size_t len = 0;
    int i;

    for (i = 0; i < FILES_MAX && strcmp(safe[i].path, path) != 0; i++)
        ;
    unlink(to);
    if (i == FILES_MAX)
        return; /* nobody ever waited for it */
    len = safe[i].len;
    bytes = malloc(len + 1);
    if (!bytes)
        abort();
    memcpy(bytes, safe[i].bytes, len);
    if (seed)
        mix(&bytes, &len, path, seed);
    test_write_file(to, (quire_bytes){bytes, len});
    free(bytes);
}

void power_cut(const char *to, uint64_t seed)
{
    static const char *const ends[] = {"quire.db", "quire.db-wal", "search.db",
                                       "search.db-wal"};
    static const char *const maps[] = {"quire.db-shm", "search.db-shm"};
    char from[640], copy[640];
    size_t i;

    catalogue_copy(watched, to);
    for (i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(from, sizeof from, "%s/%s", watched, ends[i]);
        snprintf(copy, sizeof copy, "%s/%s", to, ends[i]);
        write_safe(from, copy, seed ? seed + i : 0);
    }
    for (i = 0; i < sizeof maps / sizeof *maps; i++) {
        snprintf(copy, sizeof copy, "%s/%s", to, maps[i]);
        unlink(copy);
    }
}
