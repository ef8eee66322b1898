#include "base/json.h"

#include <string.h>

#include "base/bytes.h"
#include "support/test.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const awkward[] = {
    "0",
    "-0.0E+00",
    "1e-07",
    "100000000000000000000000000000001",
    "\"\"",
    "\"\\/\\u002f\\ud800\"",
    "\"\xff\"",
    "[]",
    "[ ]",
    "{\n}",
    "[[[[]]],[],{}]",
    "{\"a\":1,\"a\":2,\"\\u0061\":3}",
    "{ \"a\" : [ 1 , 2 ,\t{ } ] , \"\":\r\nnull }",
    "{\"__proto__\":{\"b\":[true,false,null]}}",
    "[\"]\",\"}\",\"\\\"\",{\"\\\\\":\"\\\\\"}]",
};

/* (3) of json_tree.c, over the whole tree; gives the number of nodes. */
static size_t check_links(const struct json_node *node)
{
    const struct json_node *child, *prev = NULL;
    size_t n = 1;

    for (child = node->first; child; prev = child, child = child->next) {
        YES(child->parent == node && child->prev == prev);
        YES(!child->touched || node->touched);
        EQ(node->kind == JSON_OBJECT, child->key.data != NULL);
        n += check_links(child);
    }
    YES(node->last == prev);
    return n;
}

static struct json_node *read_tree(const char *text, struct arena *a)
{
    struct json_node *root = json_tree_read(bytes_str(text), a, NULL);

    YES(root != NULL);
    check_links(root);
    return root;
}

static void writes(const struct json_node *root, const char *want)
{
    struct buf out = BUF_INIT(1 << 20);

    check_links(root);
    json_tree_write(root, &out);
    SAME_TEXT(want, buf_text(&out));
    YES(json_check(buf_bytes(&out), 0, NULL));
    buf_release(&out);
}

TEST(json_tree_writes_back_what_it_read_byte_for_byte)
{
    struct arena a = ARENA_INIT;
    size_t i;

    for (i = 0; i < COUNT(awkward); i++)
        writes(read_tree(awkward[i], &a), awkward[i]);
    arena_release(&a);
}

/* As if something in every container had changed. */
static void touch_all(struct json_node *node)
{
    struct json_node *child;

    for (child = node->first; child; child = child->next)
        touch_all(child);
    if (node->kind >= JSON_ARRAY)
        node->touched = true;
}

TEST(json_tree_rebuilds_a_compact_text_byte_for_byte)
{
    struct arena a = ARENA_INIT;
    size_t i;

    for (i = 0; i < COUNT(awkward); i++) {
        struct json_node *root = read_tree(awkward[i], &a);

        touch_all(root);
        if (!strpbrk(awkward[i], " \t\n\r"))
            writes(root, awkward[i]);
    }
    arena_release(&a);
}

TEST(json_tree_drops_white_space_only_around_what_changed)
{
    struct arena a = ARENA_INIT;
    struct json_node *root =
        read_tree("{ \"a\" : [ 1 , 2 ] , \"b\" : { \"c\" : 3 } }", &a);

    json_tree_set(json_tree_get(json_tree_get(root, "b"), "c"), bytes_str("4"));
    writes(root, "{\"a\":[ 1 , 2 ],\"b\":{\"c\":4}}");
    arena_release(&a);
}

TEST(json_tree_drops_white_space_around_the_root)
{
    struct arena a = ARENA_INIT;

    writes(read_tree(" \n[ 1 ]\r\n", &a), "[ 1 ]");
    arena_release(&a);
}

TEST(json_tree_says_what_is_wrong)
{
    struct arena a = ARENA_INIT;
    struct json_error error;

    YES(!json_tree_read(bytes_str("[1,{\"a\":}]"), &a, &error));
    EQ(8, error.at);
    SAME_TEXT("a value is missing before a closing bracket", error.why);
    YES(!json_tree_read(bytes_of(NULL, 0), &a, &error));
    arena_release(&a);
}

TEST(json_tree_finds_members_and_elements)
{
    struct arena a = ARENA_INIT;
    struct json_node *root =
        read_tree("{\"a\":1,\"l\":[10,[20]],\"a\":2,\"\\u0062\":3}", &a);
    struct json_node *list = json_tree_get(root, "l");

    SAME(bytes_str("2"), json_tree_get(root, "a")->raw); /* the last one */
    SAME(bytes_str("3"), json_tree_get(root, "b")->raw);
    YES(!json_tree_get(root, "x") && !json_tree_get(list, "0"));
    YES(!json_tree_get(NULL, "x") && !json_tree_at(NULL, 0));
    SAME(bytes_str("10"), json_tree_at(list, 0)->raw);
    SAME(bytes_str("20"), json_tree_at(json_tree_at(list, 1), 0)->raw);
    YES(!json_tree_at(list, 2) && !json_tree_at(root, 0));
    EQ(8, check_links(root));
    arena_release(&a);
}

TEST(json_tree_inserts_anywhere)
{
    struct arena a = ARENA_INIT;
    struct json_node *root = read_tree("{}", &a), *list;

    YES(json_tree_insert(root, "b", read_tree("[]", &a), NULL, &a));
    list = json_tree_get(root, "b");
    YES(json_tree_insert(root, "\"a\"", read_tree("1", &a), list, &a));
    YES(json_tree_insert(list, NULL, read_tree("{ }", &a), NULL, &a));
    YES(json_tree_insert(list, NULL, read_tree("2", &a), list->first, &a));
    YES(json_tree_insert(list, NULL, read_tree("3", &a), list->last, &a));
    writes(root, "{\"\\\"a\\\"\":1,\"b\":[2,3,{ }]}");
    arena_release(&a);
}

TEST(json_tree_removes_from_anywhere)
{
    struct arena a = ARENA_INIT;
    struct json_node *root = read_tree("[1,2,3,4]", &a), *gone;

    json_tree_remove(json_tree_at(root, 0));
    writes(root, "[2,3,4]");
    gone = json_tree_at(root, 1);
    json_tree_remove(gone);
    writes(root, "[2,4]");
    json_tree_remove(json_tree_at(root, 1));
    writes(root, "[2]");
    json_tree_remove(json_tree_at(root, 0));
    writes(root, "[]");
    YES(json_tree_insert(root, NULL, gone, NULL, &a));
    writes(root, "[3]");
    arena_release(&a);
}

TEST(json_tree_replaces_a_node_and_keeps_its_key)
{
    struct arena a = ARENA_INIT;
    struct json_node *root = read_tree("{\"\\u0061\":1,\"b\":2}", &a);
    struct json_node *old = json_tree_get(root, "a");

    json_tree_replace(old, read_tree("{\"x\":[]}", &a));
    writes(root, "{\"\\u0061\":{\"x\":[]},\"b\":2}");
    YES(json_tree_insert(json_tree_get(json_tree_get(root, "a"), "x"), NULL,
                         old, NULL, &a));
    json_tree_replace(json_tree_get(root, "b"), read_tree("null", &a));
    writes(root, "{\"\\u0061\":{\"x\":[1]},\"b\":null}");
    arena_release(&a);
}

TEST(json_tree_writes_a_part_without_its_key)
{
    struct arena a = ARENA_INIT;
    struct json_node *root = read_tree("{\"a\":{\"b\":[1,2]},\"c\":3}", &a);

    json_tree_set(json_tree_at(json_tree_get(json_tree_get(root, "a"), "b"), 1),
                  bytes_str("{\"z\":0}"));
    writes(json_tree_get(root, "a"), "{\"b\":[1,{\"z\":0}]}");
    writes(json_tree_get(root, "c"), "3");
    writes(root, "{\"a\":{\"b\":[1,{\"z\":0}]},\"c\":3}");
    arena_release(&a);
}

TEST(json_tree_changes_a_root_too)
{
    struct arena a = ARENA_INIT;
    struct json_node *root = read_tree("[1]", &a);

    json_tree_remove(root->first);
    json_tree_set(root, bytes_str("\"x\""));
    writes(root, "\"x\"");
    arena_release(&a);
}

TEST(json_tree_goes_as_deep_as_the_scanner)
{
    char text[2 * JSON_MAX_DEPTH + 3];
    struct arena a = ARENA_INIT;
    struct json_node *node;
    struct json_error error;

    memset(text, '[', JSON_MAX_DEPTH);
    memset(text + JSON_MAX_DEPTH, ']', JSON_MAX_DEPTH);
    text[2 * JSON_MAX_DEPTH] = '\0';
    node = read_tree(text, &a);
    writes(node, text);
    touch_all(node);
    writes(node, text);

    memset(text, '[', JSON_MAX_DEPTH + 1);
    memset(text + JSON_MAX_DEPTH + 1, ']', JSON_MAX_DEPTH + 1);
    YES(!json_tree_read(bytes_of(text, 2 * JSON_MAX_DEPTH + 2), &a, &error));
    SAME_TEXT("nested too deeply", error.why);
    arena_release(&a);
}

TEST(json_tree_without_memory_is_nothing)
{
    struct arena a = ARENA_INIT;
    bool hit = true;
    long n;

    for (n = 1; hit; n++) {
        struct json_error error = {.at = 1, .why = "untouched"};
        struct json_node *root;

        fault_arm(n, 0, false);
        root = json_tree_read(bytes_str("[1,{\"a\":2}]"), &a, &error);
        if (root) {
            struct json_node *one = json_tree_at(root, 0);

            json_tree_remove(one);
            if (!json_tree_insert(json_tree_at(root, 0), "b", one, NULL, &a))
                root = NULL;
        }
        hit = fault_disarm();
        EQ(hit, root == NULL);
        if (hit)
            YES(!error.why || !strcmp(error.why, "untouched"));
        arena_release(&a);
    }
    YES(n > 2);
}

static bool same(const char *x, const char *y)
{
    struct arena a = ARENA_INIT;
    bool is = json_tree_same(read_tree(x, &a), read_tree(y, &a), &a);

    EQ(is, json_tree_same(read_tree(y, &a), read_tree(x, &a), &a));
    arena_release(&a);
    return is;
}

TEST(documents_are_the_same_whatever_the_order_of_their_members)
{
    size_t i;

    for (i = 0; i < COUNT(awkward); i++)
        YES(same(awkward[i], awkward[i]));
    YES(same("{\"a\":[1,{\"b\":2,\"c\":{}}],\"d\":\"/\"}",
             "{ \"d\":\"\\/\", \"\\u0061\":[1, {\"c\":{ }, \"b\":2}]}"));
    NO(same("[1,2]", "[2,1]"));
    NO(same("[1]", "[1,1]"));
    NO(same("[]", "{}"));
    NO(same("1", "\"1\""));
    NO(same("true", "false"));
    NO(same("{\"a\":1}", "{\"b\":1}"));
    NO(same("{\"a\":1}", "{\"a\":1,\"b\":1}"));
    NO(same("{\"a\":[[1]]}", "{\"a\":[[2]]}"));
    NO(same("\"a\"", "\"b\""));
}
