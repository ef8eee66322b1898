/*
 * settings_fuzz.c - settings files of other programs
 *
 * What was added to any text can be removed, and the bytes are as before; adding twice changes
 * nothing.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/settings_edit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
    if (!holds)
        abort();
}

static int is_blank(quire_bytes text)
{
    size_t i;
    const char *c = text.data;

    for (i = 0; i < text.len; i++)
        if (!c[i] || !strchr(" \t\r\n", c[i]))
            return 0;
    return 1;
}

static void same(quire_bytes before, struct buf *after)
{
    if (!is_blank(before))
        must(after->len == before.len &&
             (!before.len || !memcmp(after->data, before.data, before.len)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf added = BUF_INIT(1 << 22), again = BUF_INIT(1 << 22);
    quire_bytes text = {data, size};
    char *exact = malloc(size + 1);

    if (!exact)
        return 0;
    memcpy(exact, size ? (const char *)data : "", size);
    text.data = exact;
    if (settings_json_drop(text, "s", "quire", &again) == SETTINGS_SAME &&
        settings_json_put(text, "s", "quire", "{\"a\": 1}", &added) ==
            SETTINGS_DONE) {
        must(settings_json_put((quire_bytes){added.data, added.len}, "s",
                               "quire", "{\"a\": 1}", &again) == SETTINGS_SAME);
        must(settings_json_drop((quire_bytes){added.data, added.len}, "s",
                                "quire", &again) == SETTINGS_DONE);
    }
    if (settings_json_drop_element(text, "h", "e", "MARK", &again) ==
            SETTINGS_SAME &&
        settings_json_put_element(text, "h", "e", "{\"x\": \"MARK\"}", "MARK",
                                  &added) == SETTINGS_DONE)
        must(settings_json_drop_element((quire_bytes){added.data, added.len},
                                        "h", "e", "MARK",
                                        &again) == SETTINGS_DONE);
    if (settings_toml_drop(text, "m.quire", &again) == SETTINGS_SAME &&
        settings_toml_put(text, "m.quire", "a = 1\n", &added) ==
            SETTINGS_DONE) {
        must(settings_toml_put((quire_bytes){added.data, added.len}, "m.quire",
                               "a = 1\n", &again) == SETTINGS_SAME);
        must(settings_toml_drop((quire_bytes){added.data, added.len}, "m.quire",
                                &again) == SETTINGS_DONE);
        same(text, &again);
    }
    buf_release(&added);
    buf_release(&again);
    free(exact);
    return 0;
}
