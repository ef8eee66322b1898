/*
 * threads.c - two threads, one session
 *
 * An open session takes appends of several threads: they take turns, and those that
 * wait for the disk share a sync. A `quire` handle belongs to one thread at a time; a
 * thread that stores artifacts, blobs or memory opens its own. `./threads` prints how
 * many entries the session has: 200.
 */
#include <pthread.h>
#include <quire.h>
#include <stdio.h>
#include <stdlib.h>

static void must(quire_status status, const quire_error *err)
{
    if (status == QUIRE_OK)
        return;
    fprintf(stderr, "%s\nhint: %s\n", err->what, err->next);
    exit(1);
}

static void *talk(void *session)
{
    quire_error err; /* one a thread */
    char entry[128];

    for (int i = 0; i < 100; i++) {
        int n = snprintf(entry, sizeof entry,
                         "{\"type\":\"message\",\"message\":{\"role\":\"user\","
                         "\"content\":\"%d\"}}",
                         i);
        quire_bytes bytes = {entry, (size_t)n};

        must(quire_session_append(session, bytes, NULL, NULL, &err), &err);
    }
    return NULL;
}

int main(void)
{
    quire_session_options options = QUIRE_SESSION_OPTIONS_INIT;
    quire_session_info info;
    quire_session *s;
    quire_error err;
    pthread_t other;
    quire *q;

    options.flags = QUIRE_SESSION_AT_ONCE;
    options.sync = QUIRE_SYNC_EACH;
    must(quire_open(NULL, &q, &err), &err);
    must(quire_session_new(q, &options, &s, &err), &err);
    if (pthread_create(&other, NULL, talk, s))
        return 1;
    talk(s);
    pthread_join(other, NULL);
    quire_session_describe(s, &info);
    printf("%llu\n", (unsigned long long)info.entries);
    quire_session_close(s);
    quire_close(q);
    return 0;
}
