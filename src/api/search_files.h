/*
 * search_files.h - shared by the files that index sessions, outputs and conversations
 *
 *     search_files.c      which files are new, have changed, are gone
 *     search_known.c      what the indexes know of a file
 *     search_sessions.c   read a session
 *     search_outputs.c    read an output, or a conversation of JP
 */
#ifndef API_SEARCH_FILES_H
#define API_SEARCH_FILES_H

#include "api/search.h"

/* Bytes of an output that are searched. */
#define SEARCH_OUTPUT_MAX ((uint64_t)64 << 20)

/* A file that was listed. */
struct listed_file {
    char *name;
    struct object_info info;
    enum source_kind kind; /* a session, an output, a conversation of JP */
    bool archived;
};

/* An update of the index of files. */
struct file_update {
    struct search_index *x;
    struct engine *to; /* home or pending */
    struct search_progress *p;
    struct arena keep; /* names */
    struct listed_file *files;
    size_t n_files, cap_files;
    uint8_t *seen[SEARCH_ENGINES]; /* a byte a source, of home and pending */
    uint32_t first[SEARCH_ENGINES], end[SEARCH_ENGINES];
    int64_t now_ns;
};

/* ---- search_known.c ---------------------------------------------------------- */

/* The state that the index has of a source, of the engine in memory first. *of is the
 * engine. QUIRE_NOT_FOUND. */
quire_status search_find_known(struct file_update *u, enum source_kind kind,
                               const char *key, struct arena *keep,
                               struct source *out, struct engine **of,
                               quire_error *err);

/* The content of a source is not valid any more. */
quire_status search_drop_source(struct file_update *u, struct engine *of,
                                uint32_t number, quire_error *err);

/* Both engines may have a part of a session: drop them all. */
quire_status search_drop_known(struct file_update *u, enum source_kind kind,
                               const char *key, quire_error *err);

/* The source stays. */
void search_mark_seen(struct file_update *u, uint32_t number);

quire_status search_step_progress(struct file_update *u, uint64_t bytes);

/* ---- search_sessions.c, search_outputs.c --------------------------------------- */

/* Index what is new of a file, or all of it. One that is gone is left out. */
quire_status search_read_session(struct file_update *u,
                                 const struct listed_file *f, quire_error *err);
quire_status search_read_output(struct file_update *u,
                                const struct listed_file *f, quire_error *err);
quire_status search_read_conversation(struct file_update *u,
                                      const struct listed_file *f,
                                      quire_error *err);

#endif
