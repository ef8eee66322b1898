/*
 * workspace.h - the workspace of a session of the test's home, as its three
 * users see it: who asks the tool, who works on the files, who has artifacts
 *
 * Text that is given lives until the test ends.
 */
#ifndef TESTS_WORKSPACE_H
#define TESTS_WORKSPACE_H

#include "support/test.h"

quire_workspace *fixture_open(quire *q, const char *session);

/* Ask the tool. The answer is one line of JSON that says whether it was done,
 * and has what it says it has: that is looked at each time. */
const char *fixture_ask(quire_workspace *w, const char *request);

/* The same, which must be done; and which must be refused with this code, with
 * words and a suggestion. */
const char *fixture_does(quire_workspace *w, const char *request);
void fixture_refuses(quire_workspace *w, const char *code, const char *request);

/* Write a text through the tool, and read one; NULL: there is none. */
void fixture_write(quire_workspace *w, const char *path, const char *text);
const char *fixture_read(quire_workspace *w, const char *path);

/* A value of `data`, text decoded and the rest as it is; NULL: it has none. And
 * the keys that `data` has, "action scope ". */
const char *fixture_value(const char *answer, const char *key);
const char *fixture_keys(const char *answer);

/* The path of a file of agent/ or the scratchpad; what it has, or NULL. */
const char *fixture_path(quire_workspace *w, int scratchpad, const char *name);
const char *fixture_file(quire_workspace *w, const char *name);
void fixture_edit(quire_workspace *w, const char *name, const char *text);

/* Sync: what was done, "taken a, passed b (why), ". */
const char *fixture_sync(quire_workspace *w);

/* What the artifact has, or NULL. */
const char *fixture_artifact(quire *q, const char *session, const char *path);

/* Each artifact has its file and each file its artifact, with the same content,
 * and there is nothing left to do. */
void fixture_agrees(quire *q, quire_workspace *w);

#endif
