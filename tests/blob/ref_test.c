#include <string.h>

#include "base/bytes.h"
#include "blob/priv.h"
#include "support/test.h"

#define HEX "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

TEST(a_reference_is_read_in_each_of_its_forms)
{
    static const char *const forms[] = {
        "blob:sha256:" HEX,
        "sha256:" HEX,
        HEX,
        "00112233445566778899AABBCCDDEEFF00112233445566778899AABBCCDDEEFF",
    };
    char ref[QUIRE_REF_SIZE];
    quire_digest d;
    size_t i;

    for (i = 0; i < sizeof forms / sizeof *forms; i++) {
        OK(quire_ref_parse(forms[i], &d, &test_err));
        quire_ref_format(&d, ref);
        SAME_TEXT("blob:sha256:" HEX, ref);
    }
}

TEST(what_is_no_reference_is_refused_with_advice)
{
    static const char *const wrong[] = {
        "",
        "blob:",
        "blob:sha256:",
        "blob:sha1:" HEX,
        "blob:sha256:" HEX "0",
        "blob:sha256:" HEX " ",
        " " HEX,
        "blob:sha256:../../../../etc/passwd",
        "sha256:sha256:" HEX,
        "g0112233445566778899aabbccddeeff00112233445566778899aabbccddeeff",
    };
    quire_digest d;
    size_t i;

    for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        IS(QUIRE_INVALID, quire_ref_parse(wrong[i], &d, &test_err));
        HAS(test_err.what, "is not a blob reference");
        HAS(test_err.next, "64 hex digits");
    }
}

TEST(a_file_name_is_a_blob_only_in_its_exact_spelling)
{
    static const char *const strange[] = {
        "00/11/2233445566778899AABBCCDDEEFF"
        "00112233445566778899aabbccddeeff.blob.gz",
        "00-11/2233445566778899aabbccddeeff"
        "00112233445566778899aabbccddeeff.blob.gz",
        "00/11/2233445566778899aabbccddeeff"
        "00112233445566778899aabbccddeeff.blob.xz",
        HEX ".png",
        HEX,
        "",
    };
    char name[NAME_BYTES];
    quire_digest d, back;
    size_t i;

    OK(quire_ref_parse(HEX, &d, &test_err));
    layout_name(QUIRE_LAYOUT_LOOSE, &d, name);
    YES(layout_parse(QUIRE_LAYOUT_LOOSE, name, &back));
    YES(digest_equal(&d, &back));
    NO(layout_parse(QUIRE_LAYOUT_FLAT, name, &back));
    for (i = 0; i < sizeof strange / sizeof *strange; i++)
        NO(layout_parse(QUIRE_LAYOUT_LOOSE, strange[i], &back));
    YES(layout_parse(QUIRE_LAYOUT_FLAT, HEX, &back));
    YES(digest_equal(&d, &back));
    NO(layout_parse(QUIRE_LAYOUT_FLAT, HEX ".png", &back));
}
