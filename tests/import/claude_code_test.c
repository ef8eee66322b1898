/*
 * claude_code_test.c - each kind of record of Claude Code
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "converted.h"

/* Uuids that differ in one digit. */
#define U(x) "00000000-0000-4000-8000-00000000000" #x

/* The members of a record that its place needs. */
#define AT(id, parent)                                \
    "\"uuid\":\"" U(                                  \
        id) "\",\"parentUuid\":" parent               \
            ",\"timestamp\":\"2026-03-01T10:00:0" #id \
            ".000Z\",\"sessionId\":\"s1\","           \
            "\"cwd\":\"/srv/demo\",\"version\":\"2.1.200\",\"gitBranch\":\"main\","
#define UP(x) "\"" U(x) "\""

#define USER(id, parent, content)                                 \
    "{" AT(id, parent) "\"type\":\"user\",\"message\":{\"role\":" \
                       "\"user\",\"content\":" content "}}\n"
#define USAGE(n)                                                       \
    "\"usage\":{\"input_tokens\":3,\"cache_creation_input_tokens\":7," \
    "\"cache_read_input_tokens\":11,\"output_tokens\":" #n "}"
#define ASSISTANT(id, parent, message, block, n)                             \
    "{" AT(id,                                                               \
           parent) "\"type\":\"assistant\",\"requestId\":\"r\",\"message\":" \
                   "{\"id\":\"" message                                      \
                   "\",\"role\":\"assistant\",\"model\":\"claude-x\","       \
                   "\"content\":[" block                                     \
                   "],\"stop_reason\":null," USAGE(n) "}}\n"
#define TEXT(text) "{\"type\":\"text\",\"text\":\"" text "\"}"
#define CALL(id)                          \
    "{\"type\":\"tool_use\",\"id\":\"" id \
    "\",\"name\":\"Bash\",\"input\":{\"a\":1}}"
#define RESULT(id, text)                               \
    "[{\"type\":\"tool_result\",\"tool_use_id\":\"" id \
    "\",\"content\":\"" text "\"}]"

static struct converted r;

static void run(const char *file)
{
    converted_text(&r, &import_claude_code, file);
}

static const char *get(size_t i, const char *path)
{
    return converted_get(&r, i, path);
}

static void done(void)
{
    converted_release(&r);
}

/* ---- messages ----------------------------------------------------------- */

TEST(a_user_line_is_a_message_with_its_uuid_parent_and_time)
{
    run(USER(1, "null", "\"hello\"") USER(2, UP(1), "[" TEXT("you") "]"));
    EQ(2, r.n);
    SAME_TEXT("message", get(0, "type"));
    SAME_TEXT(U(1), get(0, "id"));
    SAME_TEXT("null", get(0, "parentId"));
    SAME_TEXT("2026-03-01T10:00:01.000Z", get(0, "timestamp"));
    SAME_TEXT("user", get(0, "message.role"));
    SAME_TEXT("hello", get(0, "message.content"));
    SAME_TEXT("1772359201000", get(0, "message.timestamp"));
    SAME_TEXT(U(1), get(1, "parentId"));
    SAME_TEXT("you", get(1, "message.content.0.text"));
    done();
}

TEST(one_answer_in_several_lines_is_one_message_with_its_largest_usage)
{
    run(USER(1, "null", "\"hello\"") ASSISTANT(2, UP(1), "m1", TEXT("a"), 5)
            ASSISTANT(3, UP(2), "m1", TEXT("b"), 9)
                ASSISTANT(4, UP(3), "m1", CALL("t1"), 8)
                    USER(5, UP(4), RESULT("t1", "ok")));
    EQ(3, r.n);
    SAME_TEXT(U(2), get(1, "id"));
    SAME_TEXT("a", get(1, "message.content.0.text"));
    SAME_TEXT("b", get(1, "message.content.1.text"));
    SAME_TEXT("toolCall", get(1, "message.content.2.type"));
    SAME_TEXT("9", get(1, "message.usage.output"));
    SAME_TEXT("3", get(1, "message.usage.input"));
    SAME_TEXT("7", get(1, "message.usage.cacheWrite"));
    SAME_TEXT("11", get(1, "message.usage.cacheRead"));
    SAME_TEXT("30", get(1, "message.usage.totalTokens"));
    SAME_TEXT("0.000009", get(1, "message.usage.cost.total"));
    SAME_TEXT("toolUse", get(1, "message.stopReason"));
    SAME_TEXT("claude-x", get(1, "message.model"));
    SAME_TEXT("m1", get(1, "message.responseId"));
    SAME_TEXT(U(2), get(2, "parentId"));
    done();
}

TEST(results_of_parallel_calls_follow_each_other)
{
    run(ASSISTANT(1, "null", "m1", CALL("t1"), 1)
            ASSISTANT(2, UP(1), "m1", CALL("t2"), 1)
                USER(3, UP(1), RESULT("t1", "one"))
                    USER(4, UP(2), RESULT("t2", "two"))
                        ASSISTANT(5, UP(3), "m2", TEXT("next"), 1));
    EQ(4, r.n);
    SAME_TEXT(U(1), get(1, "parentId"));
    SAME_TEXT(U(3), get(2, "parentId"));
    SAME_TEXT(U(4), get(3, "parentId"));
    done();
}

TEST(a_line_of_an_answer_behind_its_first_result_is_still_part_of_it)
{
    run(ASSISTANT(1, "null", "m1", CALL("t1"), 1)
            USER(2, UP(1), RESULT("t1", "one"))
                ASSISTANT(3, UP(2), "m1", CALL("t2"), 2)
                    USER(4, UP(3), RESULT("t2", "two")));
    EQ(3, r.n);
    SAME_TEXT("t2", get(0, "message.content.1.id"));
    SAME_TEXT(U(2), get(2, "parentId"));
    done();
}

TEST(a_tool_result_names_its_tool_and_tells_an_error)
{
    run(ASSISTANT(1, "null", "m1", CALL("t1"), 1)
            USER(2, UP(1),
                 "[{\"tool_use_id\":\"t1\",\"type\":\"tool_result\","
                 "\"content\":[" TEXT("no such file") "],\"is_error\":true}]"));
    SAME_TEXT("toolResult", get(1, "message.role"));
    SAME_TEXT("Bash", get(1, "message.toolName"));
    SAME_TEXT("t1", get(1, "message.toolCallId"));
    SAME_TEXT("true", get(1, "message.isError"));
    SAME_TEXT("no such file", get(1, "message.content.0.text"));
    SAME_TEXT("1", get(0, "message.content.0.arguments.a"));
    done();
}

TEST(results_and_text_in_one_line_are_messages_one_below_the_other)
{
    run(ASSISTANT(1, "null", "m1", CALL("t1") "," CALL("t2"), 1) USER(
        2, UP(1),
        "[{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":\"1\"},"
        "{\"type\":\"tool_result\",\"tool_use_id\":\"t2\",\"content\":\"2\"}," TEXT(
            "and") "]") USER(3, UP(2), "\"next\""));
    EQ(5, r.n);
    SAME_TEXT(U(2), get(1, "id"));
    SAME_TEXT(U(2), get(2, "parentId"));
    SAME_TEXT("t2", get(2, "message.toolCallId"));
    SAME_TEXT(get(2, "id"), get(3, "parentId"));
    SAME_TEXT("user", get(3, "message.role"));
    SAME_TEXT(get(3, "id"), get(4, "parentId"));
    done();
}

TEST(a_second_result_of_a_call_is_a_branch)
{
    run(ASSISTANT(1, "null", "m1", CALL("t1"), 1)
            USER(2, UP(1), RESULT("t1", "one"))
                USER(3, UP(1), RESULT("t1", "again")));
    SAME_TEXT(U(1), get(1, "parentId"));
    SAME_TEXT(U(1), get(2, "parentId"));
    done();
}

TEST(thinking_keeps_its_signature_and_redacted_thinking_its_data)
{
    run(ASSISTANT(
        1, "null", "m1",
        "{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"c2ln\"},"
        "{\"type\":\"redacted_thinking\",\"data\":\"ZGF0YQ==\"}",
        1));
    SAME_TEXT("hm", get(0, "message.content.0.thinking"));
    SAME_TEXT("c2ln", get(0, "message.content.0.thinkingSignature"));
    SAME_TEXT("redactedThinking", get(0, "message.content.1.type"));
    SAME_TEXT("ZGF0YQ==", get(0, "message.content.1.data"));
    done();
}

TEST(an_image_has_data_and_mime_type)
{
    run(USER(
        1, "null",
        "[{\"type\":\"image\",\"source\":{\"type\":\"base64\","
        "\"media_type\":\"image/png\",\"data\":\"aGk=\"}},"
        "{\"type\":\"document\",\"source\":{\"type\":\"base64\","
        "\"media_type\":\"application/pdf\",\"data\":\"cGRm\"},\"title\":\"t\"}]"));
    SAME_TEXT("image", get(0, "message.content.0.type"));
    SAME_TEXT("aGk=", get(0, "message.content.0.data"));
    SAME_TEXT("image/png", get(0, "message.content.0.mimeType"));
    SAME_TEXT("cGRm", get(0, "message.content.1.source.data"));
    SAME_TEXT("t", get(0, "message.content.1.title"));
    done();
}

TEST(an_unknown_block_is_kept_as_it_stands_and_counted)
{
    run(ASSISTANT(1, "null", "m1", "{\"type\":\"odd\",\"x\":[1, 2]}", 1));
    SAME_TEXT("[1, 2]", get(0, "message.content.0.x"));
    HAS(r.counts.data, "block odd 1\n");
    done();
}

TEST(a_meta_line_is_a_hidden_message_and_no_prompt)
{
    run("{" AT(1, "null") "\"type\":\"user\",\"isMeta\":true,\"message\":"
                          "{\"role\":\"user\",\"content\":\"Caveat\"}}\n" USER(
                              2, UP(1), "\"<command-name>/x</command-name>\"")
                              USER(3, UP(2), "\"real\""));
    SAME_TEXT("custom_message", get(0, "type"));
    SAME_TEXT("false", get(0, "display"));
    SAME_TEXT("Caveat", get(0, "content"));
    SAME_TEXT("real", r.facts.prompt);
    done();
}

TEST(an_api_error_is_an_answer_that_failed)
{
    run("{" AT(
        1,
        "null") "\"type\":\"assistant\",\"isApiErrorMessage\":true,\"error\":\"x\","
                "\"message\":{\"id\":\"m\",\"model\":\"<synthetic>\",\"role\":"
                "\"assistant\",\"content\":[" TEXT("API Error: 529") "]}}\n");
    SAME_TEXT("error", get(0, "message.stopReason"));
    SAME_TEXT("API Error: 529", get(0, "message.errorMessage"));
    YES(!r.facts.model);
    done();
}

TEST(an_aborted_answer_says_so)
{
    run("{" AT(
        1,
        "null") "\"type\":\"assistant\",\"isAbortedMidStream\":true,"
                "\"message\":{\"id\":\"m\",\"model\":\"c\",\"content\":[" TEXT(
                    "half") "]}}\n");
    SAME_TEXT("aborted", get(0, "message.stopReason"));
    done();
}

TEST(usage_of_an_answer_counts_once_even_if_it_comes_back_later)
{
    run(USER(1, "null", "\"a\"") ASSISTANT(2, UP(1), "m1", TEXT("x"), 5)
            USER(3, UP(2), "\"b\"") ASSISTANT(4, UP(3), "m1", TEXT("y"), 5));
    EQ(4, r.n);
    SAME_TEXT("5", get(1, "message.usage.output"));
    SAME_TEXT("0", get(3, "message.usage.output"));
    EQ(5, r.output);
    done();
}

/* ---- the tree ----------------------------------------------------------- */

TEST(a_rewind_is_a_branch_and_the_last_line_the_leaf)
{
    run(USER(1, "null", "\"a\"") ASSISTANT(2, UP(1), "m1", TEXT("x"), 1)
            USER(3, UP(2), "\"b\"") USER(4, UP(2), "\"instead\""));
    SAME_TEXT(U(2), get(2, "parentId"));
    SAME_TEXT(U(2), get(3, "parentId"));
    SAME_TEXT(U(4), r.facts.leaf);
    EQ(4, r.n);
    done();
}

TEST(a_last_prompt_with_a_leaf_moves_the_leaf_and_a_marker_keeps_it)
{
    run(USER(1, "null", "\"a\"") USER(2, UP(1), "\"b\"") USER(
        3, UP(1),
        "\"c\"") "{\"type\":\"last-prompt\",\"leafUuid\":\"" U(2) "\"}\n");
    SAME_TEXT(U(2), r.facts.leaf);
    EQ(4, r.n);
    EQ(3, r.n_settled);
    SAME_TEXT("quire/head", get(3, "customType"));
    SAME_TEXT(U(2), get(3, "parentId"));
    done();
}

TEST(a_missing_parent_makes_a_root_and_is_reported)
{
    run(USER(1, "null", "\"a\"") USER(2, UP(9), "\"b\""));
    SAME_TEXT("null", get(1, "parentId"));
    HAS(r.problems.data, "line 2 byte");
    HAS(r.problems.data, "missing_parent");
    done();
}

TEST(behind_a_bad_line_a_missing_parent_is_the_entry_before_it)
{
    run(USER(1, "null", "\"a\"") "{\"parentUuid\":\"" U(1) "\",\"uuid\":\"" U(
        2) "\",\"typ\n" USER(3, UP(2), "\"b\""));
    SAME_TEXT(U(1), get(1, "parentId"));
    HAS(r.problems.data, "torn");
    done();
}

TEST(a_second_record_with_the_same_uuid_is_reported_and_kept_in_the_original)
{
    run(USER(1, "null", "\"a\"") USER(1, "null", "\"a\""));
    EQ(1, r.n);
    HAS(r.problems.data, "duplicate_id");
    HAS(r.counts.data, "kept duplicate 1");
    done();
}

TEST(ids_that_are_no_uuids_become_ids_too)
{
    run("{\"type\":\"user\",\"uuid\":\"u1\",\"parentUuid\":null,\"message\":"
        "{\"role\":\"user\",\"content\":\"a\"}}\n"
        "{\"type\":\"user\",\"uuid\":\"u2\",\"parentUuid\":\"u1\",\"message\":"
        "{\"role\":\"user\",\"content\":\"b\"}}\n");
    EQ(2, r.n);
    EQ(33, strlen(get(0, "id")));
    SAME_TEXT(get(0, "id"), get(1, "parentId"));
    done();
}

TEST(progress_is_left_out_and_its_children_go_below_its_parent)
{
    run(USER(1, "null",
             "\"a\"") "{" AT(2,
                             UP(1)) "\"type\":\"progress\"}\n" USER(3, UP(2),
                                                                    "\"b\""));
    EQ(2, r.n);
    SAME_TEXT(U(1), get(1, "parentId"));
    HAS(r.counts.data, "kept progress 1");
    done();
}

TEST(sidechain_records_are_a_tree_of_their_own_and_not_the_leaf)
{
    run(USER(1, "null", "\"a\"") "{" AT(
        2, "null") "\"isSidechain\":true,\"type\":\"user\",\"message\":{"
                   "\"role\":\"user\",\"content\":\"sub\"}}\n");
    SAME_TEXT("null", get(1, "parentId"));
    SAME_TEXT(U(1), r.facts.leaf);
    SAME_TEXT("quire/head", get(2, "customType"));
    done();
}

TEST(a_subagents_file_names_its_session_and_its_agent)
{
    run("{" AT(
        1,
        "null") "\"isSidechain\":true,\"agentId\":\"a17\",\"type\":"
                "\"user\",\"message\":{\"role\":\"user\",\"content\":\"sub\"}}\n");
    SAME_TEXT("a17", r.facts.agent);
    SAME_TEXT("s1", r.facts.parent);
    SAME_TEXT(U(1), r.facts.leaf);
    EQ(1, r.n);
    done();
}

TEST(the_result_of_a_subagent_links_to_it)
{
    run(ASSISTANT(
        1, "null", "m1",
        "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"Task\",\"input\":{}}",
        1) "{" AT(2,
                  UP(1)) "\"type\":\"user\",\"toolUseResult\":{\"agentId\":"
                         "\"a17\",\"persistedOutputPath\":\"/x/y.txt\"},\"message\":{\"role\":\"user\","
                         "\"content\":" RESULT("t1", "ok") "}}\n");
    SAME_TEXT("0 a17\n1 /x/y.txt\n", r.links.data);
    done();
}

/* ---- compaction --------------------------------------------------------- */

#define BOUNDARY(id, logical)                                                                \
    "{" AT(                                                                                  \
        id,                                                                                  \
        "null") "\"logicalParentUuid\":" logical                                             \
                ",\"type\":\"system\",\"subtype\":\"compact_boundary\",\"compactMetadata\":" \
                "{\"trigger\":\"manual\",\"preTokens\":1234}}\n"

TEST(a_boundary_and_its_summary_are_one_compaction)
{
    run(USER(1, "null", "\"a\"") BOUNDARY(2, UP(1)) "{" AT(
        3,
        UP(2)) "\"type\":\"user\",\"isCompactSummary\":true,\"message\":"
               "{\"role\":\"user\",\"content\":\"what was\"}}\n" USER(4, UP(3),
                                                                      "\"b\""));
    EQ(3, r.n);
    SAME_TEXT("compaction", get(1, "type"));
    SAME_TEXT(U(2), get(1, "id"));
    SAME_TEXT(U(1), get(1, "parentId"));
    SAME_TEXT("what was", get(1, "summary"));
    SAME_TEXT("1234", get(1, "tokensBefore"));
    SAME_TEXT(U(2), get(1, "firstKeptEntryId"));
    SAME_TEXT("manual", get(1, "details.trigger"));
    SAME_TEXT(U(2), get(2, "parentId"));
    done();
}

TEST(a_compaction_names_the_first_record_that_it_keeps)
{
    run(USER(1, "null", "\"a\"")
            USER(2, UP(1), "\"kept\"") "{" AT(3, "null") "\"logicalParentUuid\":" UP(
                9) ",\"type\":\"system\","
                   "\"subtype\":\"compact_boundary\",\"compactMetadata\":"
                   "{\"preservedSegment\":{\"headUuid\":" UP(
                       2) "}}}\n"
                          "{" AT(
                              4,
                              UP(3)) "\"type\":\"user\",\"isCompactSummary\":true,"
                                     "\"message\":{\"content\":\"what was\"}}\n");
    SAME_TEXT(U(2), get(2, "firstKeptEntryId"));
    SAME_TEXT(U(2), get(2, "parentId"));
    SAME_TEXT("", r.problems.data);
    done();
}

TEST(a_boundary_without_a_summary_begins_the_context_anew)
{
    run(USER(1, "null", "\"a\"") BOUNDARY(2, UP(1)) USER(3, UP(2), "\"b\""));
    SAME_TEXT("reset_boundary", get(1, "type"));
    SAME_TEXT(U(2), get(2, "parentId"));
    done();
}

TEST(a_summary_without_a_boundary_is_a_compaction_too)
{
    run("{" AT(1, "null") "\"type\":\"user\",\"isCompactSummary\":true,"
                          "\"message\":{\"role\":\"user\",\"content\":[" TEXT(
                              "what was") "]}}\n");
    SAME_TEXT("compaction", get(0, "type"));
    SAME_TEXT("what was", get(0, "summary"));
    done();
}

/* ---- notices ------------------------------------------------------------ */

TEST(system_records_are_custom_entries_without_their_envelope)
{
    run(USER(1, "null", "\"a\"") "{" AT(
        2,
        UP(1)) "\"type\":\"system\",\"subtype\":\"api_error\",\"level\":\"error\"}\n");
    SAME_TEXT("custom", get(1, "type"));
    SAME_TEXT("claude-code/system", get(1, "customType"));
    SAME_TEXT("{\"subtype\":\"api_error\",\"level\":\"error\"}",
              get(1, "data"));
    done();
}

TEST(an_attachment_is_a_custom_entry_and_a_queued_command_a_prompt)
{
    run(USER(1, "null", "\"a\"") "{" AT(
        2,
        UP(1)) "\"type\":\"attachment\",\"attachment\":{\"type\":\"file\",\"filename\":\"a.c\"}}\n"
               "{" AT(3,
                      UP(2)) "\"type\":\"attachment\",\"attachment\":{\"type\":"
                             "\"queued_command\",\"prompt\":\"also\"}}\n");
    SAME_TEXT("claude-code/attachment", get(1, "customType"));
    SAME_TEXT("a.c", get(1, "data.filename"));
    SAME_TEXT("user", get(2, "message.role"));
    SAME_TEXT("also", get(2, "message.content"));
    done();
}

TEST(an_unknown_kind_is_a_custom_entry_and_counted)
{
    run(USER(1, "null", "\"a\"") "{" AT(
        2, UP(1)) "\"type\":\"brand-new\",\"x\":{\"y\":1}}\n"
                  "{\"type\":\"newer\",\"z\":2}\n" USER(3, UP(2), "\"b\""));
    SAME_TEXT("claude-code/brand-new", get(1, "customType"));
    SAME_TEXT("1", get(1, "data.x.y"));
    SAME_TEXT("claude-code/newer", get(2, "customType"));
    SAME_TEXT(get(2, "id"), get(3, "parentId"));
    HAS(r.counts.data, "unknown brand-new 1\nunknown newer 1\n");
    done();
}

TEST(an_unknown_member_of_a_message_line_is_counted)
{
    run("{" AT(1, "null") "\"type\":\"user\",\"novel\":1,\"message\":{\"role\":"
                          "\"user\",\"content\":\"a\"}}\n");
    HAS(r.counts.data, "field user.novel 1\n");
    done();
}

/* ---- records without a place -------------------------------------------- */

TEST(titles_count_in_the_order_custom_ai_summary)
{
    run("{\"type\":\"summary\",\"summary\":\"one\",\"leafUuid\":\"x\"}\n" USER(
        1, "null",
        "\"a\"") "{\"type\":\"ai-title\",\"aiTitle\":\"two\"}\n"
                 "{\"type\":\"custom-title\",\"customTitle\":\"three\"}\n"
                 "{\"type\":\"ai-title\",\"aiTitle\":\"four\"}\n"
                 "{\"type\":\"custom-title\",\"customTitle\":\"three\"}\n");
    SAME_TEXT("three", r.facts.title);
    EQ(4, r.n);
    SAME_TEXT("title_change", get(0, "type"));
    SAME_TEXT(get(0, "id"), get(1, "parentId"));
    SAME_TEXT("auto", get(2, "source"));
    SAME_TEXT("user", get(3, "source"));
    HAS(r.counts.data, "kept ai-title 1\nrepeated custom-title 1\n");
    done();
}

TEST(state_records_become_entries_when_they_change)
{
    run(USER(
        1, "null",
        "\"a\"") "{\"type\":\"mode\",\"mode\":\"plan\",\"sessionId\":\"s\"}\n"
                 "{\"type\":\"mode\",\"mode\":\"plan\",\"sessionId\":\"s\"}\n"
                 "{\"type\":\"mode\",\"mode\":\"normal\",\"sessionId\":\"s\"}\n");
    EQ(3, r.n);
    SAME_TEXT("claude-code/mode", get(1, "customType"));
    SAME_TEXT("normal", get(2, "data.mode"));
    HAS(r.counts.data, "repeated mode 1\n");
    done();
}

TEST(what_is_written_below_the_leaf_stays_on_the_path)
{
    run(USER(1, "null",
             "\"a\"") "{\"type\":\"pr-link\",\"prNumber\":7}\n" USER(2, UP(1),
                                                                     "\"b\""));
    SAME_TEXT(U(1), get(1, "parentId"));
    SAME_TEXT(get(1, "id"), get(2, "parentId"));
    done();
}

#define SNAPSHOT(files)                                                      \
    "{\"type\":\"file-history-snapshot\",\"messageId\":\"m\",\"snapshot\":{" \
    "\"trackedFileBackups\":{" files "}}}\n"

TEST(file_snapshots_name_their_new_backups)
{
    run(SNAPSHOT("\"a.c\":{\"backupFileName\":\"h@v1\"},"
                 "\"b.c\":{\"backupFileName\":null}")
            SNAPSHOT("\"a.c\":{\"backupFileName\":\"h@v1\"}") SNAPSHOT("")
                SNAPSHOT("\"a.c\":{\"backupFileName\":\"h@v2\"}"));
    EQ(2, r.n);
    SAME_TEXT("claude-code/file-history-snapshot", get(0, "customType"));
    SAME_TEXT("{\"a.c\":\"h@v1\"}", get(0, "data"));
    SAME_TEXT(get(0, "id"), get(1, "parentId"));
    SAME_TEXT("2 h@v1\n2 h@v2\n", r.links.data);
    HAS(r.counts.data, "kept file-history-snapshot 4\n");
    done();
}

TEST(queue_operations_are_custom_entries_except_dequeue)
{
    run("{\"type\":\"queue-operation\",\"operation\":\"enqueue\",\"content\":\"q\"}\n"
        "{\"type\":\"queue-operation\",\"operation\":\"dequeue\"}\n");
    EQ(1, r.n);
    SAME_TEXT("q", get(0, "data.content"));
    done();
}

TEST(facts_are_those_of_the_records)
{
    run("{\"type\":\"pr-link\",\"prNumber\":1}\n" USER(1, "null", "\"hello\"") ASSISTANT(
        2, UP(1), "m1", TEXT("x"),
        1) "{\"type\":\"relocated\",\"relocatedCwd\":\"/srv/moved\"}\n"
           "{" AT(
               3,
               UP(2)) "\"forkedFrom\":{\"sessionId\":\"s0\"},\"type\":\"system\"}\n");
    SAME_TEXT("s1", r.facts.session);
    SAME_TEXT("/srv/moved", r.facts.cwd);
    SAME_TEXT("hello", r.facts.prompt);
    SAME_TEXT("claude-x", r.facts.model);
    SAME_TEXT("2.1.200", r.facts.version);
    SAME_TEXT("main", r.facts.branch);
    SAME_TEXT("s0", r.facts.parent);
    SAME_TEXT("2026-03-01T10:00:01.000Z", r.facts.created);
    SAME_TEXT("2026-03-01T10:00:03.000Z", r.facts.updated);
    done();
}

/* ---- lines -------------------------------------------------------------- */

TEST(crlf_empty_lines_and_a_byte_order_mark_are_no_damage)
{
    run("\xef\xbb\xbf{\"type\":\"user\",\"uuid\":\"a\",\"message\":{\"content\":"
        "\"x\"}}\r\n\r\n \n{\"type\":\"user\",\"uuid\":\"b\",\"parentUuid\":\"a\","
        "\"message\":{\"content\":\"y\"}}\r\n");
    EQ(2, r.n);
    SAME_TEXT("", r.problems.data);
    done();
}

TEST(each_kind_of_damage_is_reported_with_its_line_and_byte)
{
    run(USER(1, "null", "\"a\"") "nonsense\n[1]\n{\"type\":\"us\n" USER(
        2, UP(1), "\"b\"") "{\"type\":\"mode\"} x\n");
    EQ(3, r.n);
    HAS(r.problems.data, "line 2 byte");
    HAS(r.problems.data, "not_object");
    HAS(r.problems.data, "line 4 byte");
    HAS(r.problems.data, "torn");
    HAS(r.problems.data, "trailing");
    done();
}

TEST(two_records_on_one_line_are_both_read)
{
    run("{\"type\":\"mode\",\"mode\":\"a\"}{\"type\":\"mode\",\"mode\":\"b\"}\n");
    EQ(2, r.n);
    SAME_TEXT("b", get(1, "data.mode"));
    done();
}

TEST(a_record_that_a_torn_one_ran_into_is_read)
{
    run("{\"type\":\"mode\",\"mo{\"type\":\"mode\",\"mode\":\"b\"}\n");
    EQ(1, r.n);
    SAME_TEXT("b", get(0, "data.mode"));
    HAS(r.problems.data, "line 1 byte");
    done();
}

TEST(bytes_that_are_not_utf8_are_replaced_and_reported)
{
    run("{\"type\":\"user\",\"uuid\":\"a\",\"message\":{\"content\":\"x\xff\"}}\n");
    SAME_TEXT("x\xef\xbf\xbd", get(0, "message.content"));
    HAS(r.problems.data, "utf8");
    done();
}

TEST(a_last_line_without_a_break_is_provisional)
{
    run(USER(1, "null", "\"a\"") "{\"type\":\"mode\",\"mode\":\"x\"}");
    EQ(2, r.n);
    EQ(1, r.n_settled);
    done();
}

TEST(a_torn_last_line_is_reported)
{
    run(USER(1, "null", "\"a\"") "{\"type\":\"mode\",\"mo");
    EQ(1, r.n);
    HAS(r.problems.data, "line 2 byte");
    HAS(r.problems.data, "torn");
    done();
}

TEST(a_line_above_the_limit_is_skipped_and_the_next_one_read)
{
    static const char file[] =
        "{\"type\":\"mode\",\"mode\":\"0123456789012345678901234567890123456\"}\n"
        "{\"type\":\"mode\",\"mode\":\"b\"}\n";
    size_t chunk;

    for (chunk = 0; chunk < 60; chunk += 5) {
        converted_init(&r, false);
        r.options.max_line = 40;
        converted_run(&r, &import_claude_code, bytes_str(file), chunk);
        EQ(1, r.n);
        HAS(r.problems.data, "line 1 byte 0 too_long\n");
        done();
    }
}

TEST(a_record_that_is_nested_too_deeply_for_an_entry_stays_in_the_original)
{
    char file[2000], deep[601];

    memset(deep, '[', 300);
    memset(deep + 300, ']', 300);
    deep[600] = '\0';
    snprintf(file, sizeof file, "{\"type\":\"mode\",\"mode\":%s}\n", deep);
    run(file);
    EQ(1, r.n);
    SAME_TEXT("", get(0, "data"));
    HAS(r.counts.data, "kept deeply nested 1\n");
    done();
}

TEST(payloads_of_each_kind_go_to_the_sink)
{
    char *file = test_alloc(20000), *long_text = test_alloc(6000);

    memset(long_text, 'A', 5999);
    long_text[5999] = '\0';
    sprintf(file,
            ASSISTANT(1, "null", "m1",
                      CALL("t1") ",{\"type\":\"thinking\",\"thinking\":\"h\","
                                 "\"signature\":\"%s\"}",
                      1) USER(2, UP(1), RESULT("t1", "%s"))
                USER(3, UP(2),
                     "[{\"type\":\"image\",\"source\":{\"type\":\"base64\","
                     "\"media_type\":\"image/png\",\"data\":\"%.1100s\"}}]"),
            long_text, long_text, long_text);
    converted_init(&r, true);
    converted_run(&r, &import_claude_code, bytes_str(file), 0);
    SAME_TEXT("payload:4:6001", get(0, "message.content.1.thinkingSignature"));
    SAME_TEXT("payload:2:6001", get(1, "message.content.0.text"));
    SAME_TEXT("payload:0:1102", get(2, "message.content.0.data"));
    done();
}
