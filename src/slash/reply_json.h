/*
 * reply_json.h - what a slash command replied, as JSON
 *
 * It is spelled the same over HTTP and by `quire slash --json`, so that a program
 * that reads one can read the other.
 */
#ifndef SLASH_REPLY_JSON_H
#define SLASH_REPLY_JSON_H

#include "base/json.h"
#include "quire.h"

/* A value: the object. */
void reply_write(struct json_writer *w, const quire_slash_reply *r);

#endif
