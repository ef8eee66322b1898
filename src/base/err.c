#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct {
    int number;
    quire_status status;
    const char *next;
} meanings[] = {
    {ENOENT, QUIRE_NOT_FOUND, ""},
    {EEXIST, QUIRE_EXISTS, ""},
    {ENOMEM, QUIRE_NO_MEMORY, ""},
    {ENOSPC, QUIRE_IO, "free some space on that file system and try again"},
    {EDQUOT, QUIRE_IO, "free some space or raise the disk quota"},
    {EROFS, QUIRE_IO, "the file system is mounted read-only"},
    {EACCES, QUIRE_IO, "check the owner and mode of the path"},
    {EPERM, QUIRE_IO, "check the owner and mode of the path"},
    {EMFILE, QUIRE_NO_MEMORY, "raise the limit of open files (ulimit -n)"},
    {ENOTDIR, QUIRE_INVALID, "a part of the path is not a directory"},
    {EISDIR, QUIRE_INVALID, "name a file, not a directory"},
    {ELOOP, QUIRE_INVALID, "symbolic links are not followed there"},
    {EXDEV, QUIRE_INVALID, "the path leads outside its directory"},
    {ENAMETOOLONG, QUIRE_INVALID, "use a shorter path"},
    {EFBIG, QUIRE_IO, "raise the limit of file sizes (ulimit -f)"},
    {ENFILE, QUIRE_NO_MEMORY, "the whole system has too many files open"},
    {ENXIO, QUIRE_INVALID, "the path names a socket or device, not a file"},
    {EIO, QUIRE_IO, "the disk may be failing; look at the kernel log"},
};

/* Take the mark of HINT_SHELL out of a hint. */
static void set_audience(quire_error *err)
{
    bool shell = err->next[0] == HINT_SHELL[0];

    err->audience = shell ? QUIRE_FOR_SHELL : QUIRE_FOR_ALL;
    if (shell)
        memmove(err->next, err->next + 1, strlen(err->next));
}

__attribute__((format(printf, 4, 0))) static quire_status
format_message(quire_error *err, quire_status status, const char *hint,
               const char *fmt, va_list ap)
{
    if (!err)
        return status;
    err->status = status;
    err->code = QUIRE_CODE_NONE;
    snprintf(err->next, sizeof err->next, "%s", hint ? hint : "");
    set_audience(err);
    vsnprintf(err->what, sizeof err->what, fmt, ap);
    return status;
}

quire_status err_set(quire_error *err, quire_status status, const char *fmt,
                     ...)
{
    va_list ap;

    va_start(ap, fmt);
    format_message(err, status, NULL, fmt, ap);
    va_end(ap);
    return status;
}

quire_status err_fail(quire_error *err, quire_status status, const char *hint,
                      const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    format_message(err, status, hint, fmt, ap);
    va_end(ap);
    return status;
}

void err_next(quire_error *err, const char *fmt, ...)
{
    va_list ap;

    if (!err)
        return;
    va_start(ap, fmt);
    vsnprintf(err->next, sizeof err->next, fmt, ap);
    va_end(ap);
    set_audience(err);
}

quire_status err_sys(quire_error *err, int number, const char *fmt, ...)
{
    quire_status status = QUIRE_IO;
    const char *next = "";
    char words[96];
    const char *why = strerror_r(number, words, sizeof words);
    size_t room;
    va_list ap;
    size_t i;

    for (i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        if (meanings[i].number == number) {
            status = meanings[i].status;
            next = meanings[i].next;
        }
    }
    if (!err)
        return status;
    /* The reason is never truncated; the message before it is. */
    room = sizeof err->what - strlen(why) - 2;
    err_set(err, status, "%s", "");
    va_start(ap, fmt);
    vsnprintf(err->what, room, fmt, ap);
    va_end(ap);
    strcat(strcat(err->what, ": "), why);
    err_next(err, "%s", next);
    return status;
}

const char *quire_status_name(quire_status status)
{
    switch (status) {
    case QUIRE_OK: return "ok";
    case QUIRE_NOT_FOUND: return "not_found";
    case QUIRE_EXISTS: return "exists";
    case QUIRE_BUSY: return "busy";
    case QUIRE_INVALID: return "invalid";
    case QUIRE_DAMAGED: return "damaged";
    case QUIRE_IO: return "io";
    case QUIRE_NO_MEMORY: return "no_memory";
    case QUIRE_STOPPED: return "stopped";
    case QUIRE_CHANGED: return "changed";
    case QUIRE_TOO_LARGE: return "too_large";
    case QUIRE_QUOTA: return "quota";
    }
    return "unknown";
}
