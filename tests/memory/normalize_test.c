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

static void splits(const char *text, const char *wanted)
{
    struct buf got = BUF_INIT(1 << 20);
    quire_bytes rest = bytes_str(text), word;

    while (normalize_next_word(&rest, &word)) {
        buf_add(&got, word.data, word.len);
        buf_add_char(&got, '|');
    }
    SAME(bytes_str(wanted), buf_bytes(&got));
    buf_release(&got);
}

TEST(history_words_are_letters_and_digits)
{
    splits("", "");
    splits(" -> % \" * ", "");
    splits("git-commit main.rs x_1", "git|commit|main|rs|x|1|");
    splits("größer\u2014Öl\u2026", "größer|Öl|");
    splits("你好、世界。", "你好|世界|");
    splits("a\xff"
           "b",
           "a|b|");
    splits("x²½ 🎈 «y»", "x²½|y|");
    splits("it's", "it|s|");
}
