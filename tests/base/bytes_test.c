#include "base/bytes.h"
#include "support/test.h"

TEST(hex_goes_there_and_back_in_either_case)
{
    static const uint8_t bytes[4] = {0x00, 0x7f, 0xab, 0xff};
    uint8_t back[4];
    char hex[9];

    hex_encode(bytes, 4, hex);
    SAME_TEXT("007fabff", hex);
    YES(hex_decode("007FabFF", 4, back));
    SAME(bytes_of(bytes, 4), bytes_of(back, 4));
}

TEST(hex_with_any_other_byte_is_refused)
{
    static const char *const wrong[] = {"0g", "g0", " 0", "0 ",   "/0",
                                        ":0", "@a", "`a", "\xffg"};
    uint8_t out[1];
    size_t i;

    for (i = 0; i < sizeof wrong / sizeof *wrong; i++)
        NO(hex_decode(wrong[i], 1, out));
}

TEST(empty_slices_are_equal_wherever_they_point)
{
    YES(bytes_equal(bytes_of(NULL, 0), bytes_of("x", 0)));
    NO(bytes_equal(bytes_of("x", 1), bytes_of("xy", 2)));
    YES(bytes_starts(bytes_str("quire"), bytes_str("qui")));
    NO(bytes_starts(bytes_str("qu"), bytes_str("qui")));
}
