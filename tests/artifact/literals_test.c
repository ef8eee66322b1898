#include "artifact/literals.h"

#include "base/bytes.h"
#include "support/test.h"

static bool finds(const char *query, const char *text, bool prefix)
{
    quire_bytes texts[2] = {bytes_str("a/path.txt"), bytes_str(text)};
    struct literals l;

    literals_read(&l, query);
    return literals_match(&l, texts, 2, prefix);
}

static size_t count(const char *query)
{
    struct literals l;

    literals_read(&l, query);
    return l.n;
}

TEST(only_words_with_a_sign_are_compared)
{
    EQ(0, count(""));
    EQ(0,
       count("main.rs it's report-2024.csv std::vector (word), really? conf*"));
    EQ(0, count("Größe 中文 \"a phrase\""));
    EQ(1, count("C++"));
    EQ(1, count("(C++),"));
    EQ(3, count("\"C++ templates\" and C# x=1"));
    EQ(LITERALS_MAX, count("+ + + + + + + + + + + + + + + + + + + + + + + +"));
}

TEST(a_word_with_signs_is_found_as_it_is_spelled)
{
    YES(finds("C++", "we write c++.", false));
    YES(finds("C++", "C++17", false));
    NO(finds("C++", "the language C", false));
    NO(finds("C++", "abc++", false));
    NO(finds("C#", "in C, #1", false));
    YES(finds("x=1", "let x=1;", false));
    NO(finds("x=1", "let x=12;", false));
    YES(finds("x=1", "let x=12;", true));
    YES(finds("$HOME", "echo $HOME/bin", false));
    NO(finds("$HOME", "at home", false));
    YES(finds("C++ C#", "C# and C++", false));
    NO(finds("C++ C#", "C++ alone", false));
    YES(finds("größe=2", "größe=2", false));
}

TEST(a_word_that_ends_with_a_sign_has_no_longer_form)
{
    struct literals l;

    literals_read(&l, "C++");
    NO(literals_have_prefix(&l));
    literals_read(&l, "C++ foo=ba");
    YES(literals_have_prefix(&l));
}
