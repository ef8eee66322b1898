#include "support/store.h"

#include <stdio.h>
#include <string.h>

#include "blob/priv.h"
#include "catalog/schema.h"

int64_t test_now_s;

static int64_t now_us(void *ctx)
{
    (void)ctx;
    return test_now_s * 1000000;
}

const struct clock test_clock = {now_us, NULL};

static void open_db(struct fix *f)
{
    struct db_config config = {.access = DB_WRITE, .busy_ms = 5000};
    struct db *tapped;
    char path[512];

    snprintf(path, sizeof path, "%s/quire.db", test_dir());
    if (f->dir)
        config.path = path;
    OK(db_sqlite_open(&config, &f->db, &test_err));
    if (db_exec(f->db, "SELECT count(*) FROM blob", NULL))
        OK(schema_create(f->db, SCHEMA_BLOBS, &test_err));
    OK(db_intercept(f->db, fault_hook(&f->fault), &tapped, &test_err));
    f->db = tapped;
}

void fix_open(struct fix *f, quire_layout layout, bool disk)
{
    struct blobs_config config = {.layout = layout, .clock = &test_clock};
    char path[512];

    *f = (struct fix){.layout = layout, .fault.status = QUIRE_IO};
    test_now_s = clock_s(&clock_system); /* as files do */
    snprintf(path, sizeof path, "%s/blobs", test_dir());
    if (disk) {
        f->dir = strcpy(test_alloc(strlen(path)), path);
        OK(store_files_open(path, false, &f->files, &test_err));
    } else {
        OK(store_memory_open(&test_clock, &f->files, &test_err));
    }
    OK(store_intercept(f->files, fault_hook(&f->fault), &test_err));
    if (layout == QUIRE_LAYOUT_PACKED)
        open_db(f);
    config.files = f->files->objects;
    config.leases = f->files->leases;
    config.db = f->db;
    config.busy_ms = 5000;
    config.row_max = (size_t)64 * 1024;
    OK(blobs_new(&config, &f->blobs, &test_err));
}

void fix_close(struct fix *f)
{
    blobs_free(f->blobs);
    store_free(f->files);
    if (f->db)
        db_close(f->db);
    memset(f, 0, sizeof *f);
}

void fix_each(void (*body)(struct fix *f))
{
    static const quire_layout layouts[] = {QUIRE_LAYOUT_PACKED,
                                           QUIRE_LAYOUT_LOOSE,
                                           QUIRE_LAYOUT_FLAT};
    size_t i;
    int disk;

    for (i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        for (disk = 0; disk < 2; disk++) {
            struct fix f;

            fix_open(&f, layouts[i], disk);
            body(&f);
            fix_close(&f);
            test_forget_dir();
        }
    }
}

quire_digest fix_put(struct fix *f, quire_bytes content)
{
    quire_blob_info info;

    OK(blob_put(blob_view_all(f->blobs), content, 0, &info, &test_err));
    return info.digest;
}

bool fix_has(struct fix *f, const quire_digest *d)
{
    quire_blob_info info;

    return blob_stat(blob_view_all(f->blobs), d, &info, &test_err) == QUIRE_OK;
}

const char *fix_file(const struct fix *f, const quire_digest *d)
{
    static char path[640];
    char name[NAME_BYTES];

    layout_name(f->layout, d, name);
    snprintf(path, sizeof path, "%s/%s", f->dir, name);
    return path;
}
