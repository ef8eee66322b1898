/*
 * aider_test.c - each kind of line of Aider's chat history
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "foreign.h"
#include "sound.h"
#include "support/catalog.h"

static const char sample[] = "\n"
                             "# aider chat started at 2026-03-01 10:00:00\n"
                             "\n"
                             "> Model: gpt-5 with diff edit format  \n"
                             "> Git repo: .git  \n"
                             "\n"
                             "#### explain  \n"
                             "####   \n"
                             "#### the parser  \n"
                             "\n"
                             "It reads tokens.\n"
                             "\n"
                             "```c\n"
                             "> not output\n"
                             "#### not the user\n"
                             "```\n"
                             "\n"
                             "> Tokens: 2k sent.  \n"
                             "\n"
                             "#### again\n"
                             "\n"
                             "#### and again\n"
                             "\n"
                             "```\n"
                             "cut off\n"
                             "\n"
                             "# aider chat started at 2026-03-02 10:00:00\n"
                             "\n"
                             "#### other  \n"
                             "\n"
                             "Done.\n";

static struct converted r;

static const char *get(size_t i, const char *path)
{
    return converted_get(&r, i, path);
}

TEST(sections_of_the_history_of_aider_are_messages)
{
    converted_text(&r, &import_aider, sample);
    SAME_TEXT("", buf_text(&r.problems));
    SAME_TEXT("aider/output", get(0, "customType"));
    HAS(get(0, "data"), "Git repo: .git");
    SAME_TEXT("user", get(1, "message.role"));
    SAME_TEXT("explain\n\nthe parser", get(1, "message.content.0.text"));
    SAME_TEXT("2026-03-01T10:00:00.000Z", get(1, "timestamp"));
    HAS(get(2, "message.content.0.text"), "It reads tokens.\n\n```c\n> not");
    SAME_TEXT("gpt-5", get(2, "message.model"));
    SAME_TEXT("Tokens: 2k sent.", get(3, "data"));
    SAME_TEXT("again", get(4, "message.content.0.text"));
    SAME_TEXT("and again", get(5, "message.content.0.text"));
    SAME_TEXT("```\ncut off", get(6, "message.content.0.text"));
    SAME_TEXT("other", get(7, "message.content.0.text"));
    SAME_TEXT("2026-03-02T10:00:00.000Z", get(7, "timestamp"));
    SAME_TEXT("null", get(7, "parentId")); /* a conversation of its own */
    SAME_TEXT("Done.", get(8, "message.content.0.text"));
    EQ(9, r.n);
    EQ(8, r.n_settled);
    SAME_TEXT("explain\n\nthe parser", r.facts.prompt);
    SAME_TEXT("gpt-5", r.facts.model);
    HAS(r.counts.data, "kept start 2");
    converted_release(&r);
}

TEST(a_history_of_aider_is_the_same_however_it_comes)
{
    sound_text(&import_aider, sample);
}

TEST(lines_of_any_bytes_are_text)
{
    static const char odd[] = "\xff\xfe#### x\r\n#### y\r\n\r\n>\n####\n"
                              "####no\n> \n```";

    converted_init(&r, false);
    converted_run(&r, &import_aider, bytes_of(odd, sizeof odd - 1), 0);
    converted_check(&r);
    HAS(r.problems.data, "utf8");
    SAME_TEXT("y", get(1, "message.content.0.text"));
    HAS(get(2, "message.content.0.text"), "####no");
    converted_release(&r);
}

#define FILE_NAME "p/.aider.chat.history.md"

static const char *text_path(const char *name)
{
    char *copy = test_alloc(512);

    snprintf(copy, 512, "%s", test_path(name));
    return copy;
}

TEST(the_history_of_aider_is_found_in_the_repository_and_continued)
{
    char *cwd = getcwd(NULL, 0);
    struct foreign_import got;
    quire_import_file f;
    FILE *file;
    quire *q;

    YES(cwd != NULL);
    unsetenv("AIDER_CHAT_HISTORY_FILE");
    setenv("HOME", text_path("h"), 1);
    foreign_dirs(text_path("p/src/x"));
    test_write_file(text_path(FILE_NAME), bytes_str(sample));
    q = foreign_home();
    YES(chdir(text_path("p/src")) == 0);
    got = foreign_import(q, NULL);
    YES(chdir(cwd) == 0);
    free(cwd);
    EQ(1, got.states[IMPORT_NEW]);
    EQ(0, got.sum.problems);
    OK(quire_import_find(q, text_path(FILE_NAME), &f, &test_err));
    SAME_TEXT("aider", f.agent);
    SAME_TEXT(text_path("p"), f.cwd);
    EQ(9, f.entries);
    file = fopen(text_path(FILE_NAME), "a");
    YES(file != NULL);
    fputs("\n#### more\n\nMore.\n", file);
    fclose(file);
    setenv("AIDER_CHAT_HISTORY_FILE", text_path(FILE_NAME), 1);
    got = foreign_import(q, NULL);
    unsetenv("AIDER_CHAT_HISTORY_FILE");
    EQ(1, got.states[IMPORT_GROWN]);
    EQ(11, got.entries);
    SAME(test_read_file(text_path(FILE_NAME)),
         bytes_str(foreign_original(q, text_path(FILE_NAME))));
    quire_close(q);
    catalogue_sound();
}
