/*
 * describe.c - a line about a conversation, from its own files alone
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "jp/priv.h"

/* Configuration stands among the events and is none. */
static void count_events(quire_bytes json, quire_conversation *out)
{
    struct json_scan it;

    json_iter_init(&it, json);
    while (json_next(&it)) {
        struct json_want want[] = {JSON_WANT("type"), JSON_WANT("timestamp")};
        int64_t us;

        if (json_kind(it.value) != JSON_OBJECT ||
            !json_pick(it.value, want, 2, NULL))
            continue;
        if (json_is(want[0].value, "config_delta"))
            continue;
        if (event_time(want[1].value, &us)) {
            if (us > out->last_us)
                out->last_us = us;
        } else if (!want[0].value.data) {
            continue;
        }
        out->events++;
    }
}

/* The words of what went wrong with one of its files; the rest goes on. */
static quire_status report_unreadable(quire_status st, const quire_error *own,
                                      struct arena *keep,
                                      quire_conversation *out, quire_error *err)
{
    if (!st)
        return QUIRE_OK;
    if (st == QUIRE_NO_MEMORY)
        return err_memory(err);
    out->problem = arena_text(keep, bytes_str(own->what));
    return out->problem ? QUIRE_OK : err_memory(err);
}

static quire_status read_title(const struct place_info *place,
                               struct arena *keep, quire_conversation *out,
                               quire_error *err)
{
    struct jp_file f = {0};
    quire_bytes title = {NULL, 0}, text;
    quire_error own = {0};
    quire_status st = jp_file_open(&f, place, "metadata.json", false, &own);

    if (!st)
        title = json_get(buf_bytes(&f.text), "title");
    if (json_kind(title) == JSON_STRING) {
        text = json_text(title, keep);
        out->title = text.data ? arena_text(keep, text) : NULL;
        if (!out->title)
            st = err_memory(&own);
    }
    jp_file_release(&f);
    /* Not every conversation has one. */
    return st == QUIRE_NOT_FOUND ? QUIRE_OK
                                 : report_unreadable(st, &own, keep, out, err);
}

static quire_status read_events(const struct place_info *place,
                                struct arena *keep, quire_conversation *out,
                                quire_error *err)
{
    struct jp_file f = {0};
    quire_error own = {0};
    quire_bytes json = {NULL, 0};
    quire_status st = jp_file_open(&f, place, place->file, false, &own);

    if (!st)
        st = events_check(buf_bytes(&f.text), f.where, &json, &own);
    if (!st)
        count_events(json, out);
    jp_file_release(&f);
    return report_unreadable(st, &own, keep, out, err);
}

quire_status describe_place(const struct place_info *place, struct arena *keep,
                            quire_conversation *out, quire_error *err)
{
    quire_status st = read_title(place, keep, out, err);

    if (st)
        return st;
    if (!*place->file) {
        out->problem = "it has no events.json";
        return QUIRE_OK;
    }
    return read_events(place, keep, out, err);
}
