/*
 * run.h - one export, from opening the session to its last byte
 */
#ifndef EXPORT_RUN_H
#define EXPORT_RUN_H

#include "export/path.h"
#include "export/targets.h"

struct export_run {
    struct export x;
    quire *q;
    quire_session *s;
    quire_export_options options;
    struct export_path path;
    struct cleaner clean;
    struct redactor redact;
    bool resumes; /* a place of a target that is staged will do */
};

/* Open the session and read what stands before its messages. Release in any
 * case. */
quire_status export_run_open(struct export_run *r, quire *q, const char *which,
                             const char *to,
                             const quire_export_options *options, bool install,
                             quire_error *err);
void export_run_release(struct export_run *r);

/* Write all of it to x.write, and report what was dropped. */
quire_status export_run_write(struct export_run *r, quire_error *err);

/* Id and name of the session there. */
quire_status export_run_names(struct export_run *r, quire_exported *out,
                              quire_error *err);

#endif
