/*
 * ref_fuzz.c - the written forms of a digest: references and file names
 *
 * Whatever is accepted is written back as the same digest, and a file name is
 * accepted in one spelling only. So no name that we make or take can lead out
 * of its directory, however it was spelled.
 */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blob/priv.h"
#include "holds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const quire_layout layouts[] = {
    QUIRE_LAYOUT_PACKED,
    QUIRE_LAYOUT_LOOSE,
    QUIRE_LAYOUT_FLAT,
};

/* Exactly as large as promised, so that a sanitizer sees the byte behind. */
static char *room(size_t size)
{
    char *p = malloc(size);

    HOLDS(p);
    memset(p, '!', size);
    return p;
}

/* ---- file names --------------------------------------------------------- */

static void name_is_harmless(const char *name)
{
    HOLDS(strlen(name) < NAME_BYTES);
    HOLDS(strspn(name, "0123456789abcdef/.blogz") == strlen(name));
    HOLDS(name[0] != '/' && name[0] != '.');
    HOLDS(!strstr(name, "..") && !strstr(name, "//") && !strstr(name, "/."));
}

static void digest_names(const quire_digest *d)
{
    size_t i;

    for (i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        char *name = room(NAME_BYTES);
        quire_digest back;

        layout_name(layouts[i], d, name);
        name_is_harmless(name);
        HOLDS(layout_parse(layouts[i], name, &back));
        HOLDS(digest_equal(d, &back));
        free(name);
    }
}

static void text_names(const char *text)
{
    size_t i;

    for (i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        char *name = room(NAME_BYTES);
        quire_digest d;

        if (layout_parse(layouts[i], text, &d)) {
            layout_name(layouts[i], &d, name);
            HOLDS(!strcmp(text, name));
            name_is_harmless(text);
        }
        free(name);
    }
}

/* ---- references --------------------------------------------------------- */

static void digest_refs(const quire_digest *d)
{
    char *ref = room(QUIRE_REF_SIZE);
    quire_digest back;
    size_t i;

    quire_ref_format(d, ref);
    HOLDS(strlen(ref) == QUIRE_REF_SIZE - 1);
    HOLDS(!quire_ref_parse(ref, &back, NULL) && digest_equal(d, &back));
    HOLDS(!quire_ref_parse(ref + 5, &back, NULL) && digest_equal(d, &back));
    for (i = 12; ref[i]; i++)
        ref[i] = (char)toupper((unsigned char)ref[i]);
    HOLDS(!quire_ref_parse(ref + 12, &back, NULL) && digest_equal(d, &back));
    free(ref);
}

static void text_refs(const char *text)
{
    quire_error err = {0};
    quire_digest d;
    quire_status st = quire_ref_parse(text, &d, &err);
    const char *hex = strrchr(text, ':');
    char ref[QUIRE_REF_SIZE];

    HOLDS(st == quire_ref_parse(text, &d, NULL));
    if (st) {
        HOLDS(st == QUIRE_INVALID && err.status == st);
        HOLDS(err.what[0] && memchr(err.what, '\0', sizeof err.what));
        HOLDS(err.next[0] && memchr(err.next, '\0', sizeof err.next));
        return;
    }
    HOLDS(!err.what[0]);
    quire_ref_format(&d, ref);
    HOLDS(!strcasecmp(hex ? hex + 1 : text, ref + 12));
    digest_refs(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    quire_digest d = {{0}};
    char *text = room(size + 1);

    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    text_refs(text);
    text_names(text);
    if (size)
        memcpy(d.byte, data, size < sizeof d.byte ? size : sizeof d.byte);
    digest_refs(&d);
    digest_names(&d);
    free(text);
    return 0;
}
