#include "base/arena.h"

#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "support/test.h"

TEST(what_an_arena_gives_is_aligned_and_apart)
{
    struct arena a = ARENA_INIT;
    char *last = NULL;
    int i;

    for (i = 0; i < 10000; i++) {
        size_t size = (size_t)(i * 37 % 300);
        char *p = arena_alloc(&a, size);

        YES(p != NULL);
        EQ(0, (uintptr_t)p % _Alignof(max_align_t));
        YES(p != last);
        memset(p, i, size);
        last = p;
    }
    arena_release(&a);
}

TEST(an_arena_gives_pieces_larger_than_its_chunks)
{
    struct arena a = ARENA_INIT;
    char *p = arena_alloc(&a, 5000000);

    YES(p != NULL);
    memset(p, 1, 5000000);
    YES(arena_alloc(&a, 10) != NULL);
    arena_release(&a);
}

TEST(an_arena_refuses_sizes_that_would_wrap)
{
    struct arena a = ARENA_INIT;

    YES(arena_alloc(&a, SIZE_MAX) == NULL);
    YES(arena_alloc(&a, SIZE_MAX - 8) == NULL);
    YES(arena_array(&a, SIZE_MAX / 2, 3) == NULL);
    arena_release(&a);
}

TEST(copies_in_an_arena_are_terminated)
{
    struct arena a = ARENA_INIT;

    SAME_TEXT("abc", arena_text(&a, bytes_of("abcdef", 3)));
    SAME_TEXT("n=7", arena_printf(&a, "n=%d", 7));
    SAME(bytes_str("xyz"), arena_dup(&a, bytes_str("xyz")));
    arena_release(&a);
}

TEST(a_reset_arena_uses_its_memory_again)
{
    struct arena a = ARENA_INIT;
    char *first = arena_alloc(&a, 16);

    arena_reset(&a);
    YES(first == arena_alloc(&a, 16));
    arena_release(&a);
}

TEST(an_arena_without_memory_says_so)
{
    struct arena a = ARENA_INIT;

    fault_arm(1, ENOMEM, true);
    YES(arena_alloc(&a, 16) == NULL);
    YES(arena_text(&a, bytes_str("x")) == NULL);
    YES(arena_dup(&a, bytes_str("x")).data == NULL);
    YES(arena_printf(&a, "x") == NULL);
    YES(arena_array(&a, 2, 2) == NULL);
    fault_disarm();
    arena_release(&a);
}
