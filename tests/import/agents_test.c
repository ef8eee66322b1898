/* The list of agents, and which of them a path belongs to. */
#include "import/find.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "support/test.h"

TEST(each_agent_has_the_name_of_its_format_and_no_other)
{
    const struct import_agent *const *a, *const *b;

    for (a = import_agents; *a; a++) {
        YES(!strcmp((*a)->name, import_format_name((*a)->format)));
        YES((*a)->title && (*a)->where && (*a)->find && (*a)->match_dir &&
            (*a)->add_dir && (*a)->match_file && (*a)->add_file);
        for (b = import_agents; b < a; b++)
            YES(strcmp((*a)->name, (*b)->name) != 0);
        YES(import_agent_of((*a)->name) == *a);
    }
    EQ(IMPORT_AGENTS_MAX, a - import_agents);
    YES(import_agent_of("nobody") == NULL);
}

TEST(a_file_of_no_known_name_or_content_is_refused)
{
    struct arena keep = ARENA_INIT;
    struct import_places places = {.keep = &keep};

    test_write_file(test_path("notes.txt"), bytes_str("text\n"));
    IS(QUIRE_INVALID,
       import_find_from(&places, test_path("notes.txt"), NULL, &test_err));
    IS(QUIRE_NOT_FOUND,
       import_find_from(&places, test_path("none"), NULL, &test_err));
    OK(import_find_from(&places, test_path(""), NULL, &test_err));
    EQ(0, places.n);
    arena_release(&keep);
}

TEST(an_agent_that_is_not_wanted_finds_nothing_in_a_directory_of_several)
{
    static const char roll[] = "rollout-2025-09-03T10-00-00-"
                               "11111111-2222-4333-8444-555555555555.jsonl";
    const struct import_agent *only[] = {&import_agent_codex, NULL};
    struct arena keep = ARENA_INIT;
    struct import_places places = {.keep = &keep};

    test_write_file(test_path(roll), bytes_str("{}\n"));
    test_write_file(test_path("a.jsonl"), bytes_str("{}\n"));
    OK(import_find_from(&places, test_path(""), NULL, &test_err));
    EQ(2, places.n);
    YES(places.list[0].agent == &import_agent_claude_code);
    YES(places.list[1].agent == &import_agent_codex);
    YES(!strcmp("11111111-2222-4333-8444-555555555555", places.list[1].id));
    places.n = 0;
    OK(import_find_from(&places, test_path(roll), only, &test_err));
    EQ(1, places.n);
    arena_release(&keep);
}
