#include "base/buf.h"

#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "support/test.h"

TEST(a_buffer_takes_exactly_its_ceiling)
{
    struct buf b = BUF_INIT(100);
    int i;

    for (i = 0; i < 100; i++)
        buf_add_char(&b, 'x');
    NO(b.failed);
    EQ(100, b.len);
    buf_add_char(&b, 'y');
    YES(b.failed);
    EQ(100, b.len);
    IS(QUIRE_NO_MEMORY, buf_status(&b, "a line", &test_err));
    HAS(test_err.what, "a line is larger than 100 bytes");
    buf_release(&b);
}

TEST(a_full_buffer_still_has_a_terminator)
{
    struct buf b = BUF_INIT(4);

    buf_add_str(&b, "four");
    SAME_TEXT("four", buf_text(&b));
    EQ(4, b.len);
    buf_release(&b);
}

TEST(an_add_that_does_not_fit_changes_nothing)
{
    struct buf b = BUF_INIT(10);

    buf_add_str(&b, "12345678");
    buf_addf(&b, "%d", 999);
    YES(b.failed);
    SAME(bytes_str("12345678"), buf_bytes(&b));
    buf_add_char(&b, '9'); /* would fit, but the buffer has failed */
    EQ(8, b.len);
    buf_clear(&b);
    NO(b.failed);
    EQ(0, b.len);
    buf_release(&b);
}

TEST(formatting_longer_than_any_small_buffer_is_whole)
{
    struct buf b = BUF_INIT(5000);
    char *long_text = test_alloc(3000);

    memset(long_text, 'a', 3000);
    buf_addf(&b, "<%s>", long_text);
    EQ(3002, b.len);
    EQ('>', b.data[3001]);
    buf_release(&b);
}

TEST(a_format_that_exactly_fills_the_ceiling_fits)
{
    struct buf b = BUF_INIT(300);
    char *text = test_alloc(300);

    memset(text, 'b', 300);
    buf_addf(&b, "%s", text);
    NO(b.failed);
    EQ(300, b.len);
    buf_release(&b);
}

TEST(a_huge_length_does_not_wrap_around)
{
    struct buf b = BUF_INIT(SIZE_MAX - 1);

    buf_add_str(&b, "x");
    YES(buf_room(&b, SIZE_MAX) == NULL);
    YES(b.failed);
    buf_release(&b);
}

TEST(no_memory_is_remembered)
{
    struct buf b = BUF_INIT(1000);

    fault_arm(1, ENOMEM, false);
    buf_add_str(&b, "x");
    YES(fault_disarm());
    YES(b.failed);
    IS(QUIRE_NO_MEMORY, buf_status(&b, "a line", &test_err));
    HAS(test_err.what, "no memory for a line");
    buf_release(&b);
}

TEST(a_buffer_can_be_written_to_in_pieces)
{
    struct buf b = BUF_INIT(3);

    OK(buf_write(&b, bytes_str("a"), &test_err));
    OK(buf_write(&b, bytes_str("bc"), &test_err));
    IS(QUIRE_NO_MEMORY, buf_write(&b, bytes_str("d"), &test_err));
    SAME(bytes_str("abc"), buf_bytes(&b));
    buf_release(&b);
}
