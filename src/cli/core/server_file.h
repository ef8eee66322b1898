/*
 * server_file.h - which server serves a home
 *
 * A server writes its address into `server.url` of the home and holds a lock on the
 * file while it runs. A file without a lock was left by a server that ended. The lock
 * is what makes the address trustworthy: only processes of the home's owner can open
 * the file, so a program that took the port later is not mistaken for the server.
 */
#ifndef CLI_CORE_SERVER_FILE_H
#define CLI_CORE_SERVER_FILE_H

#include "quire.h"

enum { SERVER_URL_SIZE = 128 };

struct server_file {
    char url[SERVER_URL_SIZE];
    int pid;
};

/* Hold the file for this process, a server at `url`. *fd is the lock, for
 * server_file_drop(); -1 if another server of the home has it. */
quire_status server_file_hold(const char *home, const char *url, int *fd,
                              quire_error *err);

/* Remove what server_file_hold() wrote; nothing for -1. */
void server_file_drop(const char *home, int fd);

/* The running server. QUIRE_NOT_FOUND without a message: there is none. */
quire_status server_file_find(const char *home, struct server_file *out,
                              quire_error *err);

#endif
