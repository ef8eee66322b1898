/*
 * sqlite_fault.c - SQLite's own files and memory, failing on request
 *
 * The linker cannot send calls inside a shared library to wrap.c, but SQLite
 * has seams of its own: a VFS for files and a table of functions for memory.
 * Both are wrapped once, before the first test, and ask the same counter as
 * wrap.c while sqlite_faults() is on.
 */
#include "support/power.h"
#include "support/test.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include <sqlite3.h>

static atomic_bool on; /* a test may arm it while others run */

void sqlite_faults(bool yes)
{
    on = yes;
}

static bool strikes(const char *name)
{
    return on && fault_strikes(name);
}

/* ---- memory ------------------------------------------------------------- */

static sqlite3_mem_methods memory; /* the ones that work */

static void *mem_malloc(int n)
{
    return strikes("sqlite malloc") ? NULL : memory.xMalloc(n);
}

static void *mem_realloc(void *p, int n)
{
    return strikes("sqlite realloc") ? NULL : memory.xRealloc(p, n);
}

/* ---- files -------------------------------------------------------------- */

/* SQLite gives room for one of these; the real file follows it. */
struct file {
    sqlite3_file base;
    sqlite3_file *real;
    const char *name; /* SQLite's, as long as it is open */
};

static sqlite3_vfs *disk; /* the one that works */
static sqlite3_vfs wrapped;

static sqlite3_file *real(sqlite3_file *f)
{
    return ((struct file *)f)->real;
}

/* The name after the x, the code of a failure, parameters, arguments. */
#define PASS(name, code, params, args)          \
    static int file_##name params               \
    {                                           \
        if ((code) && strikes("sqlite " #name)) \
            return code;                        \
        return real(f)->pMethods->x##name args; \
    }

PASS(Read, SQLITE_IOERR_READ,
     (sqlite3_file * f, void *p, int n, sqlite3_int64 at), (real(f), p, n, at))
PASS(Write, SQLITE_FULL,
     (sqlite3_file * f, const void *p, int n, sqlite3_int64 at),
     (real(f), p, n, at))
PASS(Truncate, SQLITE_IOERR_TRUNCATE, (sqlite3_file * f, sqlite3_int64 n),
     (real(f), n))
PASS(FileSize, SQLITE_IOERR_FSTAT, (sqlite3_file * f, sqlite3_int64 *n),
     (real(f), n))
PASS(Lock, SQLITE_IOERR_LOCK, (sqlite3_file * f, int how), (real(f), how))
PASS(Unlock, 0, (sqlite3_file * f, int how), (real(f), how))
PASS(CheckReservedLock, 0, (sqlite3_file * f, int *out), (real(f), out))
PASS(FileControl, 0, (sqlite3_file * f, int op, void *arg), (real(f), op, arg))
PASS(SectorSize, 0, (sqlite3_file * f), (real(f)))
PASS(DeviceCharacteristics, 0, (sqlite3_file * f), (real(f)))
PASS(ShmMap, SQLITE_IOERR_SHMMAP,
     (sqlite3_file * f, int page, int size, int more, void volatile **out),
     (real(f), page, size, more, out))
PASS(ShmLock, 0, (sqlite3_file * f, int at, int n, int flags),
     (real(f), at, n, flags))
PASS(ShmUnmap, 0, (sqlite3_file * f, int remove), (real(f), remove))

static int file_Sync(sqlite3_file *f, int flags)
{
    int rc = strikes("sqlite Sync") ? SQLITE_IOERR_FSYNC
                                    : real(f)->pMethods->xSync(real(f), flags);

    if (rc == SQLITE_OK)
        power_synced(((struct file *)f)->name);
    return rc;
}

static void file_ShmBarrier(sqlite3_file *f)
{
    real(f)->pMethods->xShmBarrier(real(f));
}

static int file_Close(sqlite3_file *f)
{
    return real(f)->pMethods ? real(f)->pMethods->xClose(real(f)) : SQLITE_OK;
}

static const sqlite3_io_methods file_methods = {
    .iVersion = 2,
    .xClose = file_Close,
    .xRead = file_Read,
    .xWrite = file_Write,
    .xTruncate = file_Truncate,
    .xSync = file_Sync,
    .xFileSize = file_FileSize,
    .xLock = file_Lock,
    .xUnlock = file_Unlock,
    .xCheckReservedLock = file_CheckReservedLock,
    .xFileControl = file_FileControl,
    .xSectorSize = file_SectorSize,
    .xDeviceCharacteristics = file_DeviceCharacteristics,
    .xShmMap = file_ShmMap,
    .xShmLock = file_ShmLock,
    .xShmBarrier = file_ShmBarrier,
    .xShmUnmap = file_ShmUnmap,
};

static int vfs_open(sqlite3_vfs *v, const char *name, sqlite3_file *f,
                    int flags, int *out)
{
    struct file *file = (struct file *)f;
    int rc;

    (void)v;
    file->base.pMethods = NULL;
    file->real = (sqlite3_file *)(file + 1);
    file->name = name;
    if (strikes("sqlite open"))
        return SQLITE_CANTOPEN;
    rc = disk->xOpen(disk, name, file->real, flags, out);
    if (rc == SQLITE_OK)
        file->base.pMethods = &file_methods;
    return rc;
}

__attribute__((constructor)) static void wrap_sqlite(void)
{
    sqlite3_mem_methods wrapping;

    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memory);
    wrapping = memory;
    wrapping.xMalloc = mem_malloc;
    wrapping.xRealloc = mem_realloc;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &wrapping);
    disk = sqlite3_vfs_find(NULL);
    wrapped = *disk;
    wrapped.zName = "quire-test";
    wrapped.szOsFile = (int)sizeof(struct file) + disk->szOsFile;
    wrapped.xOpen = vfs_open;
    sqlite3_vfs_register(&wrapped, 1);
}
