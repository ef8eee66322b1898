/* files_draft.c - a file without a name that is being written */
#include <errno.h>
#include <fcntl.h>

#include "base/err.h"
#include "base/fs.h"
#include "store/files_priv.h"

/* Of a long draft, write-back is started every so many bytes while more are
 * coming, so that the sync at its end finds little left: 100 MiB are durable
 * after 50 ms instead of 80. It is advice; the sync does not depend on it. */
#define WRITE_BEHIND ((uint64_t)8 << 20)

quire_status file_draft_open(struct file_draft *d, struct files *f,
                             quire_error *err)
{
    quire_status st = files_reach(f, true, err);

    if (st)
        return st;
    *d = (struct file_draft){.store = f};
    if (fs_temp_open(&d->temp, f->dir) < 0)
        st = err_sys(err, errno, "cannot create a file in %s", f->path);
    return st;
}

quire_status file_draft_write(struct file_draft *d, quire_bytes bytes,
                              quire_error *err)
{
    if (fs_write_all(d->temp.fd, bytes) < 0)
        return err_sys(err, errno, "cannot write a file in %s", d->store->path);
    d->size += bytes.len;
    if (d->size - d->begun >= WRITE_BEHIND) {
        sync_file_range(d->temp.fd, (off_t)d->begun,
                        (off_t)(d->size - d->begun), SYNC_FILE_RANGE_WRITE);
        d->begun = d->size;
    }
    return QUIRE_OK;
}

quire_status file_draft_sync(struct file_draft *d, quire_error *err)
{
    if (fs_temp_sync(&d->temp) < 0)
        return err_sys(err, errno, "cannot sync a file in %s", d->store->path);
    return QUIRE_OK;
}
