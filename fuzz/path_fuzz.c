/*
 * path_fuzz.c - what somebody may want a file to be called
 *
 * The input is a path. One that has passed is looked at here byte by byte,
 * without the functions that let it pass: a file of that name lies below its
 * directory, on any system, and can be seen there. It has the bytes of the
 * input but for separators, and cleaning it once more changes nothing.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "artifact/path.h"
#include "base/bytes.h"
#include "base/utf8.h"
#include "holds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void no_device(const char *part)
{
    static const char *const devices[] = {"con",  "prn",  "aux",  "nul",
                                          "com1", "com2", "com3", "com4",
                                          "com5", "com6", "com7", "com8",
                                          "com9", "lpt1", "lpt2", "lpt3",
                                          "lpt4", "lpt5", "lpt6", "lpt7",
                                          "lpt8", "lpt9"};
    size_t len = strcspn(part, "./"), i;

    for (i = 0; i < sizeof devices / sizeof *devices; i++) {
        bool same = len == strlen(devices[i]) &&
                    strncasecmp(part, devices[i], len) == 0;

        HOLDS(!same);
    }
}

/* A part begins where the path does, and behind each slash. */
static void name_holds(const char *path)
{
    const char *part = path, *c;

    HOLDS(*path && strlen(path) <= 256);
    HOLDS(utf8_check(bytes_str(path)));
    for (c = path; *c; c++)
        HOLDS((unsigned char)*c >= 0x20 && *c != 0x7f && !strchr(":\\", *c));
    while (part) {
        size_t len = strcspn(part, "/");

        HOLDS(len >= 1 && len <= 128 && *part != '.');
        no_device(part);
        part = part[len] ? part + len + 1 : NULL;
    }
}

/* Without its separators it is what the input is without them. */
static void same_letters(quire_bytes path, const char *out)
{
    const char *c = path.data, *end = c + path.len;

    for (; c < end; c++) {
        if (*c == '/' || *c == '\\')
            continue;
        while (*out == '/')
            out++;
        HOLDS(*c == *out++);
    }
    HOLDS(!*out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char out[PATH_BYTES_MAX + 1], again[PATH_BYTES_MAX + 1];
    quire_bytes path = bytes_of(data, size);
    size_t len = 0, len_again = 0;
    enum path_fault fault = path_clean(path, out, &len);

    if (fault) {
        HOLDS(*path_reason(fault) && *path_message(fault));
        HOLDS(fault == path_clean(path, out, NULL));
        return 0;
    }
    HOLDS(!*path_reason(fault) && !*path_message(fault));
    HOLDS(len == strlen(out) && len <= size);
    name_holds(out);
    same_letters(path, out);
    HOLDS(!path_clean(bytes_of(out, len), again, &len_again));
    HOLDS(len_again == len && !strcmp(out, again));
    return 0;
}
