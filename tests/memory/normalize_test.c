/* The text of prompts: how it is kept, and what its words are. */
#include "base/bytes.h"
#include "memory/normalize.h"
#include "support/test.h"

static void tidies(const char *text, const char *wanted)
{
    struct buf got = BUF_INIT(1 << 20);

    buf_add_str(&got, "before "); /* which is none of its business */
    normalize_stored(&got, bytes_str(text));
    SAME(bytes_str(wanted), bytes_sub(buf_bytes(&got), 7, got.len));
    buf_release(&got);
}

TEST(history_prompt_is_tidied_before_it_is_kept)
{
    tidies("", "");
    tidies("a", "a");
    tidies(" \t\n a b \r\n ", "a b");
    tidies("a\r\nb\rc\n", "a\nb\nc");
    tidies("a  \nb\t \n \n  c", "a\nb\n\n  c");
    tidies("a \u00a0\u3000\nb\ufeff", "a\nb");
    tidies("\u2028 a\u2029", "a");
    tidies("a \u2028\nb", "a\nb");
    tidies("\xc2\x85 a\u200b",
           "\xc2\x85 a\u200b"); /* no blanks to JavaScript */
    tidies("a\xff\xc3", "a\ufffd\ufffd");
    tidies(" \n \r \v\f ", "");
}
