/*
 * fixture.h - a home with a session and its workspace, and what its tests
 * do to it
 */
#ifndef TESTS_WORKSPACE_FIXTURE_H
#define TESTS_WORKSPACE_FIXTURE_H

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "support/catalog.h"
#include "support/tenants.h"
#include "support/workspace.h"

struct fix {
    quire *q;
    struct tenants_session s;
    quire_workspace *w;
};

static inline struct fix begin(void)
{
    struct fix f = {.q = tenants_open(NULL, 0)};

    f.s = tenants_session(f.q, "work");
    f.w = fixture_open(f.q, f.s.id);
    return f;
}

static inline void end(struct fix *f)
{
    quire_workspace_close(f->w);
    quire_close(f->q);
    catalogue_sound();
}

/* As if the program had ended and begun again: what it only noted is written. */
static inline void again(struct fix *f)
{
    quire_workspace_close(f->w);
    f->w = fixture_open(f->q, f->s.id);
}

static inline void puts_text(struct fix *f, const char *path, const char *text)
{
    OK(quire_artifact_put(f->q, f->s.id, path, bytes_str(text), NULL, NULL,
                          &test_err));
}

static inline void puts_away(struct fix *f, const char *path)
{
    OK(quire_artifact_remove(f->q, f->s.id, path, 0, &test_err));
}

static inline void brings_back(struct fix *f, const char *path)
{
    OK(quire_artifact_restore(f->q, f->s.id, path, NULL, &test_err));
}

static inline quire_artifact stat_of(struct fix *f, const char *path)
{
    quire_artifact a;

    OK(quire_artifact_stat(f->q, f->s.id, path, NULL, &a, &test_err));
    return a;
}

/* File and artifact are both this; NULL: neither is there. */
static inline void both(struct fix *f, const char *path, const char *text)
{
    const char *file = fixture_file(f->w, path);
    const char *row = fixture_artifact(f->q, f->s.id, path);

    if (!text) {
        YES(file == NULL);
        YES(row == NULL);
        return;
    }
    YES(file && row);
    SAME_TEXT(text, file);
    SAME_TEXT(text, row);
}

static inline void removes(struct fix *f, const char *name)
{
    EQ(0, unlink(fixture_path(f->w, 0, name)));
}

static inline void makes_dir(struct fix *f, const char *name)
{
    EQ(0, mkdir(fixture_path(f->w, 0, name), 0750));
}

static inline void tool_deletes(struct fix *f, const char *path)
{
    char request[512];

    snprintf(request, sizeof request,
             "{\"action\":\"delete\",\"filename\":\"%s\"}", path);
    fixture_does(f->w, request);
}

#endif
