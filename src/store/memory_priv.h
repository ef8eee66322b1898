/*
 * memory_priv.h - shared by the files of the memory backend
 *
 * A sorted list of names with their bytes, for one thread. Bytes are
 * reference-counted, because an open object keeps its content while its name
 * goes to another.
 */
#ifndef STORE_MEMORY_PRIV_H
#define STORE_MEMORY_PRIV_H

#include <stddef.h>

#include "base/buf.h"
#include "store/store.h"

/* A ceiling far above what tests need. */
#define CONTENT_MAX ((size_t)1 << 30)

struct content {
    struct buf bytes;
    int holders;
    bool held;      /* locked by an open log                     */
    uint64_t epoch; /* the highest that has appended             */
};

struct entry {
    struct entry *next; /* ascending by name */
    struct content *content;
    int64_t modified_s;
    bool in_batch; /* published by the open batch */
    char name[];
};

struct memory_lease {
    struct memory_lease *next;
    struct lease_record record;
    char name[];
};

struct memory {
    struct store store;
    struct object_store objects;
    struct log_store logs;
    struct lease_store leases;
    struct directory_store dirs;
    int n_parts; /* of these that are in use; the last one frees all */
    const struct clock *clock;
    struct entry *entries;
    bool batch;
    int64_t marks;               /* the generation */
    struct memory_lease *leased; /* owned */
};

static inline struct memory *memory_of_store(struct store *s)
{
    return (struct memory *)(void *)((char *)s -
                                     offsetof(struct memory, store));
}

static inline struct memory *memory_of_objects(struct object_store *s)
{
    return (struct memory *)(void *)((char *)s -
                                     offsetof(struct memory, objects));
}

static inline struct memory *memory_of_logs(struct log_store *s)
{
    return (struct memory *)(void *)((char *)s - offsetof(struct memory, logs));
}

static inline struct memory *memory_of_leases(struct lease_store *s)
{
    return (struct memory *)(void *)((char *)s -
                                     offsetof(struct memory, leases));
}

static inline struct memory *memory_of_dirs(struct directory_store *s)
{
    return (struct memory *)(void *)((char *)s - offsetof(struct memory, dirs));
}

/* ---- memory_entries.c --------------------------------------------------- */

struct content *content_new(void);
void content_drop(struct content *c);

/* The place of `name`, or where it would go. */
struct entry **memory_place_of(struct memory *m, const char *name);
struct entry *memory_entry(struct memory *m, const char *name);
struct entry *memory_add_entry(struct memory *m, const char *name);
void memory_drop_entry(struct entry **at);
void memory_fill_info(const struct entry *e, struct object_info *info);

/* Whether `name` is below `prefix` (whole components, "" for all). */
bool memory_is_below(const char *name, const char *prefix);
struct entry *memory_first_below(struct memory *m, const char *prefix);

/* Give the content a name. QUIRE_EXISTS. The caller keeps its reference. */
quire_status memory_give_name(struct memory *m, struct content *c,
                              const char *name, bool replace, quire_error *err);
quire_status memory_read_content(const struct content *c, uint64_t offset,
                                 void *buf, size_t cap, size_t *n);
quire_status memory_rename_entries(struct memory *m, const char *from,
                                   const char *to, quire_error *err);
quire_status memory_remove_entry(struct memory *m, const char *name);

/* One part less in use. */
void memory_drop_part(struct memory *m);

/* ---- memory.c, memory_log.c, memory_lease.c, memory_directory.c ---------- */

extern const struct object_ops memory_object_ops;
extern const struct log_ops memory_log_ops;
extern const struct lease_ops memory_lease_ops;
extern const struct directory_ops memory_directory_ops;

#endif
