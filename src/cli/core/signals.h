/*
 * signals.h - SIGINT, SIGTERM and SIGHUP as a flag
 *
 * For commands that finish or clean up before they end. A signal that the
 * parent ignores (nohup, a background job) stays ignored.
 */
#ifndef CLI_CORE_SIGNALS_H
#define CLI_CORE_SIGNALS_H

#include <signal.h>

enum {
    SIGNALS_ONCE = 1,    /* the second signal has its default action     */
    SIGNALS_RESTART = 2, /* system calls continue after a signal         */
    SIGNALS_FORCE = 4,   /* also signals that the parent ignores         */
    SIGNALS_NO_HUP = 8,  /* leave SIGHUP alone                           */
};

/* Catch the signals; *caught (may be NULL) is the set of them. */
void signals_catch_set(unsigned flags, sigset_t *caught);
static inline void signals_catch(unsigned flags)
{
    signals_catch_set(flags, 0);
}

/* Default actions again, except for ignored signals. */
void signals_restore(void);

/* The last signal caught, 0: none; and how many were. */
int signals_caught(void);
int signals_count(void);

/* Also write a byte to `fd`, non-blocking, for each signal; -1: do not. */
void signals_notify(int fd);

#endif
