/*
 * What is a command in an agent's text, and what is not.
 */
#include "slash/parse.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "support/test.h"

/* The commands of a text, as "line:name(args){content}", unclosed ones with a
 * '!' behind. */
static void parses_bytes(quire_bytes text, const char *wanted)
{
    struct buf got = BUF_INIT(1 << 22), content = BUF_INIT(1 << 22);
    struct slash_command c;
    struct slash_scan s;

    slash_scan_init(&s, text);
    while (slash_next(&s, &c)) {
        quire_bytes body = slash_content(c.body, &content);

        buf_addf(&got, "%llu:%s(", (unsigned long long)c.line, c.form->name);
        buf_add(&got, c.args.data, c.args.len);
        buf_add_char(&got, ')');
        if (c.form->terminator) {
            buf_add_char(&got, '{');
            buf_add(&got, body.data, body.len);
            buf_add_char(&got, '}');
        }
        if (!c.closed)
            buf_add_char(&got, '!');
        buf_add_char(&got, ' ');
    }
    NO(slash_next(&s, &c)); /* and it stays so */
    SAME(bytes_str(wanted), buf_bytes(&got));
    buf_release(&got);
    buf_release(&content);
}

static void parses(const char *text, const char *wanted)
{
    parses_bytes(bytes_str(text), wanted);
}

TEST(a_text_without_commands_has_none)
{
    parses("", "");
    parses("\n\n\n", "");
    parses("hello\nworld", "");
    parses_bytes(bytes_of(NULL, 0), "");
}

TEST(a_command_begins_in_the_first_column_with_a_word_we_know)
{
    parses("/list", "1:list() ");
    parses("prose\n/list\n", "2:list() ");
    parses(" /list\n\t/list\n>/list\nx/list", "");
    parses("/lists\n/List\n/usr/bin/env\n/\n//list\n/ list\n/help\n", "");
    parses("/endwrite\n/endmem\n", "");
    parses("/list the files\n", "1:list(the files) ");
}

TEST(blanks_and_cr_at_the_end_of_a_line_do_not_count)
{
    parses("/list \t \r\n/read a b.md  \r", "1:list() 2:read(a b.md) ");
    parses("/read\t  a\tb \n", "1:read(a\tb) ");
    parses("/list\r\r\n", "1:list() ");
}

TEST(a_command_of_several_words_may_have_any_blanks_between_them)
{
    parses("/mem  add \tlink  1 refines 2", "1:mem add link(1 refines 2) ");
    parses("/mem\n/mem nonsense\n/memo", "1:mem() 2:mem(nonsense) ");
    parses("/mem entry 3\n/mem entries user\n/mem entriesx",
           "1:mem entry(3) 2:mem entries(user) 3:mem(entriesx) ");
    parses("/mem shared write a  b\n/mem shared\n/mem write x",
           "1:mem shared write(a  b) 2:mem(shared) 3:mem write(x) ");
    parses("/mem show\n/mem shared show", "1:mem show() 2:mem shared show() ");
}

TEST(a_body_goes_up_to_its_terminator_and_keeps_its_lines)
{
    parses("/write a\none\ntwo\n/endwrite\n/list",
           "1:write(a){one\ntwo} 5:list() ");
    parses("/write a\n/endwrite", "1:write(a){} ");
    parses("/write a\n\n/endwrite", "1:write(a){} ");
    parses("/write a\n\n\n/endwrite", "1:write(a){\n} ");
    parses("/write a\nx\n\n/endwrite", "1:write(a){x\n} ");
    parses("/write --persist a b\n x \n/endwrite",
           "1:write(--persist a b){ x } ");
    parses("/mem add entry user T\nbody\n/endmem\n",
           "1:mem add entry(user T){body} ");
}

TEST(cr_is_dropped_at_the_ends_of_the_lines_of_a_body_and_nowhere_else)
{
    parses("/write a\r\none\r\ntwo\r\n/endwrite\r\n/list\r\n",
           "1:write(a){one\ntwo} 5:list() ");
    parses("/write a\r\n\r\n\r\n/endwrite\r\n", "1:write(a){\n} ");
    parses("/write a\na\rb\r\r\nc\n/endwrite", "1:write(a){a\rb\r\nc} ");
    parses("/write a\nb\r\n\n/endwrite", "1:write(a){b\n} ");
}

TEST(only_the_exact_terminator_ends_a_body)
{
    parses("/write a\n /endwrite\n/endwrite \n/endwrites\n/endmem\n"
           "x/endwrite\n/ENDWRITE\n/endwrite\n/list",
           "1:write(a){ /endwrite\n/endwrite \n/endwrites\n/endmem\n"
           "x/endwrite\n/ENDWRITE} 9:list() ");
}

TEST(commands_and_fences_in_a_body_are_content)
{
    parses("/write a\n/list\n```\n/write b\n/endwrite\n/list",
           "1:write(a){/list\n```\n/write b} 6:list() ");
    parses("/mem add entry user t\n~~~\n/endwrite\n/endmem\n/list",
           "1:mem add entry(user t){~~~\n/endwrite} 5:list() ");
}

TEST(what_is_not_closed_goes_on_to_the_end_and_hides_what_follows)
{
    parses("/write a\none\n/list\n", "1:write(a){one\n/list}! ");
    parses("/write a", "1:write(a){}! ");
    parses("/write a\n", "1:write(a){}! ");
    parses("/mem add entry user t\n/write a\n/endwrite\n",
           "1:mem add entry(user t){/write a\n/endwrite}! ");
}

TEST(a_write_without_a_path_has_a_body_all_the_same)
{
    parses("/write\n/list\n/endwrite\n/list", "1:write(){/list} 4:list() ");
    parses("/mem add entry\n/list\n/endmem\n", "1:mem add entry(){/list} ");
}

TEST(a_fence_hides_what_is_in_it)
{
    parses("```\n/list\n```\n/list", "4:list() ");
    parses("~~~ sh\n/list\n~~~\n/list", "4:list() ");
    parses("```sh\r\n/list\r\n```\r\n/list\r\n", "4:list() ");
    parses("```\n/write a\n```\n/endwrite\n/list", "5:list() ");
}

TEST(a_fence_closes_on_its_own_kind_only)
{
    parses("```\n~~~\n/list\n```\n/list", "5:list() ");
    parses("~~~\n```\n/list\n~~~\n/list", "5:list() ");
    parses("````\n```\n/list\n````\n/list", "5:list() ");
    parses("```\n/list\n`````  \n/list", "4:list() ");
    parses("```\n```sh\n/list\n```\n/list", "5:list() ");
}

TEST(a_fence_may_be_indented_by_three_blanks)
{
    parses("   ```\n/list\n  ```\n/list", "4:list() ");
    parses("    ```\n/list\n", "2:list() ");
    parses("```\n    ```\n/list\n```\n/list", "5:list() ");
}

TEST(two_marks_or_marks_on_both_sides_are_no_fence)
{
    parses("``\n/list\n", "2:list() ");
    parses("```code```\n/list\n", "2:list() ");
    parses("~~~ a ~~~\n/list\n", "");
    parses("x ```\n/list\n", "2:list() ");
}

TEST(a_fence_that_is_not_closed_hides_all_that_follows)
{
    parses("/list\n```\n/list\n/write a\n/endwrite\n", "1:list() ");
}

TEST(nul_and_damage_are_bytes_like_others)
{
    static const char text[] = "/read a\0b\n/write \xff\xfe\nx\0y\n/endwrite\n";
    struct slash_command c;
    struct slash_scan s;

    slash_scan_init(&s, bytes_of(text, sizeof text - 1));
    YES(slash_next(&s, &c));
    SAME(bytes_of("a\0b", 3), c.args);
    YES(slash_next(&s, &c));
    SAME(bytes_str("\xff\xfe"), c.args);
    SAME(bytes_of("x\0y\n", 4), c.body);
    YES(c.closed);
    NO(slash_next(&s, &c));
}

TEST(ids_are_digits_with_a_mark_or_without)
{
    int64_t id = 0;

    YES(slash_id(bytes_str("#12"), &id));
    EQ(12, id);
    YES(slash_id(bytes_str("0"), &id));
    EQ(0, id);
    YES(slash_id(bytes_str("#9223372036854775807"), &id));
    YES(id == INT64_MAX);
    NO(slash_id(bytes_str("9223372036854775808"), &id));
    NO(slash_id(bytes_str("99999999999999999999999"), &id));
    NO(slash_id(bytes_str("#"), &id));
    NO(slash_id(bytes_str(""), &id));
    NO(slash_id(bytes_str("##1"), &id));
    NO(slash_id(bytes_str("1a"), &id));
    NO(slash_id(bytes_str("-1"), &id));
    NO(slash_id(bytes_str("+1"), &id));
}

/* A text of `n` copies of a line, its commands counted. */
static uint64_t count(const char *line, size_t n)
{
    struct buf text = BUF_INIT((size_t)64 << 20);
    struct slash_command c;
    struct slash_scan s;
    uint64_t found = 0;

    while (n-- > 0)
        buf_add_str(&text, line);
    slash_scan_init(&s, buf_bytes(&text));
    while (slash_next(&s, &c))
        found++;
    buf_release(&text);
    return found;
}

TEST(megabytes_of_slashes_take_no_time)
{
    EQ(200000, count("/list\n", 200000));
    EQ(1, count("/write a\n", 200000)); /* one, never closed */
    EQ(200000, count("/write\n/endwrite\n", 200000));
    EQ(0, count("```sh\n/list\n~~~\n", 100001));
    EQ(0, count("//////////////////////////////////////\n", 100000));
    EQ(1, count("/list ", 500000));
    EQ(0, count("`", 4000000));
}
