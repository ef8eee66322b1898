/*
 * reply_json.h - the reply to a slash command, as JSON
 *
 * HTTP and `quire slash --json` use the same form.
 */
#ifndef SLASH_REPLY_JSON_H
#define SLASH_REPLY_JSON_H

#include "base/json.h"
#include "quire.h"

/* Write the reply as one JSON object. */
void reply_write(struct json_writer *w, const quire_slash_reply *r);

#endif
