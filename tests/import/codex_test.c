/*
 * codex_test.c - each kind of record of Codex
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "converted.h"

#define LINE(type, payload)                                        \
    "{\"timestamp\":\"2026-03-01T10:00:00.000Z\",\"type\":\"" type \
    "\",\"payload\":" payload "}\n"
#define ITEM(payload)  LINE("response_item", payload)
#define EVENT(payload) LINE("event_msg", payload)
#define META(more)                                                    \
    LINE("session_meta",                                              \
         "{\"id\":\"c1\",\"timestamp\":"                              \
         "\"2026-03-01T09:59:59.000Z\",\"cwd\":\"/srv/demo\","        \
         "\"cli_version\":\"0.169.0\",\"model_provider\":\"openai\"," \
         "\"git\":{\"branch\":\"main\"}" more "}")
#define USER(text)                                               \
    ITEM("{\"type\":\"message\",\"role\":\"user\",\"content\":[" \
         "{\"type\":\"input_text\",\"text\":\"" text "\"}]}")
#define SAYS(text)                                                    \
    ITEM("{\"type\":\"message\",\"role\":\"assistant\",\"content\":[" \
         "{\"type\":\"output_text\",\"text\":\"" text "\"}]}")
#define CALL(id)                                                         \
    ITEM("{\"type\":\"function_call\",\"name\":\"shell\",\"arguments\":" \
         "\"{\\\"cmd\\\":\\\"ls\\\",\\n\\\"n\\\":1}\",\"call_id\":\"" id \
         "\"}")
#define OUTPUT(id, output)                                      \
    ITEM("{\"type\":\"function_call_output\",\"call_id\":\"" id \
         "\",\"output\":" output "}")
#define TOKENS(total, input, cached, output)                                \
    EVENT("{\"type\":\"token_count\",\"info\":{\"total_token_usage\":{"     \
          "\"input_tokens\":" #total ",\"output_tokens\":0},"               \
          "\"last_token_usage\":{\"input_tokens\":" #input                  \
          ",\"cached_input_tokens\":" #cached ",\"output_tokens\":" #output \
          ",\"total_tokens\":99}}}")

static struct converted r;

static void run(const char *file)
{
    converted_text(&r, &import_codex, file);
}

static const char *get(size_t i, const char *path)
{
    return converted_get(&r, i, path);
}

static void done(void)
{
    converted_release(&r);
}

/* ---- the session -------------------------------------------------------- */

TEST(a_session_meta_gives_the_facts_and_is_kept)
{
    run(META(",\"forked_from_id\":\"c0\"") USER("hello"));
    SAME_TEXT("c1", r.facts.session);
    SAME_TEXT("/srv/demo", r.facts.cwd);
    SAME_TEXT("0.169.0", r.facts.version);
    SAME_TEXT("main", r.facts.branch);
    SAME_TEXT("c0", r.facts.parent);
    SAME_TEXT("hello", r.facts.prompt);
    SAME_TEXT("codex/session_meta", get(0, "customType"));
    SAME_TEXT("c1", get(0, "data.id"));
    SAME_TEXT("b0", get(0, "id"));
    SAME_TEXT("b0", get(1, "parentId"));
    done();
}

TEST(a_subagents_session_names_its_parent_thread)
{
    run(META(",\"parent_thread_id\":\"c0\""));
    SAME_TEXT("c0", r.facts.parent);
    SAME_TEXT("c1", r.facts.agent);
    done();
}

TEST(a_history_base_is_a_fact)
{
    run(META(
        ",\"history_base\":{\"thread_id\":\"c0\",\"end_ordinal_exclusive\":3,"
        "\"end_byte_offset\":4321}"));
    SAME_TEXT("c0", r.facts.base);
    EQ(4321, r.facts.base_offset);
    done();
}

TEST(a_second_session_meta_links_to_the_session_that_was_copied)
{
    run(META("") LINE("session_meta", "{\"id\":\"c0\",\"cwd\":\"/other\"}")
            LINE("session_meta", "{\"id\":\"c1\"}"));
    SAME_TEXT("c1", r.facts.session);
    SAME_TEXT("3 c0\n", r.links.data);
    EQ(1, r.n);
    HAS(r.counts.data, "repeated session_meta 2");
    done();
}

TEST(the_form_without_an_envelope_is_read)
{
    run("{\"id\":\"c1\",\"timestamp\":\"2025-06-01T10:00:00.000Z\","
        "\"instructions\":null,\"git\":{}}\n"
        "{\"record_type\":\"state\"}\n"
        "{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\","
        "\"text\":\"hi\"}]}\n"
        "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":"
        "\"output_text\",\"text\":\"ho\"}]}\n");
    EQ(3, r.n);
    SAME_TEXT("c1", r.facts.session);
    SAME_TEXT("2025-06-01T10:00:00.000Z", get(1, "timestamp"));
    SAME_TEXT("hi", get(1, "message.content.0.text"));
    SAME_TEXT("ho", get(2, "message.content.0.text"));
    HAS(r.counts.data, "kept state 1");
    done();
}

TEST(a_file_without_a_header_is_read)
{
    run(USER("hi") SAYS("ho"));
    EQ(2, r.n);
    YES(!r.facts.session);
    done();
}

TEST(a_turn_context_changes_model_and_thinking_level_once)
{
    run(LINE("turn_context",
             "{\"cwd\":\"/x\",\"model\":\"gpt-5\",\"effort\":\"high\"}")
            LINE("turn_context", "{\"model\":\"gpt-5\",\"effort\":\"high\"}")
                LINE("turn_context", "{\"model\":\"gpt-6\",\"effort\":null}"));
    EQ(3, r.n);
    SAME_TEXT("model_change", get(0, "type"));
    SAME_TEXT("openai/gpt-5", get(0, "model"));
    SAME_TEXT("thinking_level_change", get(1, "type"));
    SAME_TEXT("high", get(1, "thinkingLevel"));
    SAME_TEXT("openai/gpt-6", get(2, "model"));
    SAME_TEXT("gpt-6", r.facts.model);
    done();
}

TEST(a_thread_name_is_the_title)
{
    run(META("") EVENT(
        "{\"type\":\"thread_name_updated\",\"thread_name\":\"one\"}")
            EVENT(
                "{\"type\":\"thread_name_updated\",\"thread_name\":\"one\"}"));
    EQ(2, r.n);
    SAME_TEXT("title_change", get(1, "type"));
    SAME_TEXT("one", r.facts.title);
    done();
}

/* ---- answers ------------------------------------------------------------ */

TEST(the_items_of_an_answer_are_one_message_with_its_usage)
{
    run(LINE("turn_context", "{\"model\":\"gpt-5\"}") USER("hi") ITEM(
        "{\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\","
        "\"text\":\"a\"},{\"text\":\"b\"}],\"content\":null,"
        "\"encrypted_content\":\"ZW5j\"}") SAYS("ok") CALL("t1")
            TOKENS(100, 100, 60, 7) OUTPUT("t1", "\"done\"") SAYS("bye"));
    EQ(5, r.n);
    SAME_TEXT("assistant", get(2, "message.role"));
    SAME_TEXT("a\n\nb", get(2, "message.content.0.thinking"));
    SAME_TEXT("ZW5j", get(2, "message.content.0.encrypted_content"));
    SAME_TEXT("ok", get(2, "message.content.1.text"));
    SAME_TEXT("toolCall", get(2, "message.content.2.type"));
    SAME_TEXT("shell", get(2, "message.content.2.name"));
    SAME_TEXT("ls", get(2, "message.content.2.arguments.cmd"));
    SAME_TEXT("gpt-5", get(2, "message.model"));
    SAME_TEXT("40", get(2, "message.usage.input"));
    SAME_TEXT("60", get(2, "message.usage.cacheRead"));
    SAME_TEXT("7", get(2, "message.usage.output"));
    SAME_TEXT("toolUse", get(2, "message.stopReason"));
    SAME_TEXT("shell", get(3, "message.toolName"));
    SAME_TEXT("done", get(3, "message.content.0.text"));
    SAME_TEXT("bye", get(4, "message.content.0.text"));
    done();
}

TEST(usage_behind_the_outputs_belongs_to_the_answer_before_them)
{
    run(USER("hi") CALL("t1") OUTPUT("t1", "\"x\"") TOKENS(100, 100, 0, 7)
            SAYS("bye") TOKENS(150, 50, 0, 3));
    SAME_TEXT("7", get(1, "message.usage.output"));
    SAME_TEXT("3", get(3, "message.usage.output"));
    EQ(150, r.input);
    done();
}

TEST(a_token_count_that_is_repeated_counts_once)
{
    run(USER("hi") SAYS("a") TOKENS(100, 100, 0, 7) TOKENS(100, 100, 0, 7)
            USER("on") SAYS("b") TOKENS(200, 100, 0, 8));
    EQ(4, r.n);
    EQ(200, r.input);
    EQ(15, r.output);
    HAS(r.counts.data, "repeated token_count 1");
    done();
}

TEST(usage_without_an_answer_is_a_model_usage)
{
    run(USER("hi") TOKENS(100, 100, 0, 7));
    SAME_TEXT("model_usage", get(1, "type"));
    SAME_TEXT("100", get(1, "usage.input"));
    done();
}

TEST(other_calls_have_names_and_arguments_too)
{
    run(ITEM(
        "{\"type\":\"custom_tool_call\",\"name\":\"apply_patch\",\"input\":"
        "\"*** Begin\",\"call_id\":\"t1\"}")
            ITEM(
                "{\"type\":\"local_shell_call\",\"action\":{\"command\":[\"ls\"]},"
                "\"call_id\":\"t2\"}")
                ITEM(
                    "{\"type\":\"web_search_call\",\"action\":{\"query\":\"q\"}}")
                    ITEM(
                        "{\"type\":\"image_generation_call\",\"result\":\"aGk=\"}"));
    EQ(1, r.n);
    SAME_TEXT("*** Begin", get(0, "message.content.0.arguments.input"));
    SAME_TEXT("local_shell", get(0, "message.content.1.name"));
    SAME_TEXT("ls", get(0, "message.content.1.arguments.command.0"));
    SAME_TEXT("web_search", get(0, "message.content.2.name"));
    SAME_TEXT("aGk=", get(0, "message.content.3.data"));
    done();
}

TEST(arguments_that_are_no_object_are_kept_as_text)
{
    run(ITEM(
        "{\"type\":\"function_call\",\"name\":\"x\",\"arguments\":\"not {\","
        "\"call_id\":\"t\"}"));
    SAME_TEXT("not {", get(0, "message.content.0.arguments.input"));
    done();
}

TEST(outputs_of_each_form_are_results)
{
    run(OUTPUT("t1", "\"{\\\"output\\\":\\\"no\\\\n\\\",\\\"metadata\\\":"
                     "{\\\"exit_code\\\":2}}\"")
            OUTPUT("t2", "{\"content\":\"yes\",\"success\":false}")
                OUTPUT("t3", "[{\"type\":\"input_text\",\"text\":\"list\"}]")
                    OUTPUT("t4", "\"Exit code: 1\\nOutput:\"")
                        OUTPUT("t5", "\"Exit code: 0\\nOutput:\""));
    EQ(5, r.n);
    SAME_TEXT("no\n", get(0, "message.content.0.text"));
    SAME_TEXT("true", get(0, "message.isError"));
    SAME_TEXT("yes", get(1, "message.content.0.text"));
    SAME_TEXT("true", get(1, "message.isError"));
    SAME_TEXT("list", get(2, "message.content.0.text"));
    SAME_TEXT("true", get(3, "message.isError"));
    SAME_TEXT("false", get(4, "message.isError"));
    done();
}

TEST(an_aborted_turn_ends_the_answer)
{
    run(USER("hi") SAYS("half") EVENT(
        "{\"type\":\"turn_aborted\",\"reason\":\"x\"}") SAYS("other"));
    SAME_TEXT("aborted", get(1, "message.stopReason"));
    SAME_TEXT("codex/turn_aborted", get(2, "customType"));
    SAME_TEXT("other", get(3, "message.content.0.text"));
    done();
}

/* ---- users -------------------------------------------------------------- */

TEST(an_event_that_repeats_a_prompt_is_counted_and_not_doubled)
{
    run(USER("hi") EVENT("{\"type\":\"user_message\",\"message\":\"hi\"}") SAYS(
        "ho") EVENT("{\"type\":\"agent_message\",\"message\":\"ho\"}"));
    EQ(2, r.n);
    HAS(r.counts.data, "repeated user_message 1\nrepeated agent_message 1\n");
    done();
}

TEST(a_prompt_that_only_an_event_has_is_kept)
{
    run(EVENT("{\"type\":\"user_message\",\"message\":\"hi\"}"));
    SAME_TEXT("hi", get(0, "data.message"));
    done();
}

TEST(context_in_the_users_name_is_a_hidden_message)
{
    run(USER("<environment_context>x") USER("hi")
            ITEM("{\"type\":\"message\",\"role\":\"developer\",\"content\":["
                 "{\"type\":\"input_text\",\"text\":\"rules\"}]}"));
    SAME_TEXT("custom_message", get(0, "type"));
    SAME_TEXT("false", get(0, "display"));
    SAME_TEXT("hi", r.facts.prompt);
    SAME_TEXT("developer", get(2, "message.role"));
    done();
}

TEST(an_image_of_a_prompt_has_data_and_mime_type)
{
    run(ITEM(
        "{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":"
        "\"input_image\",\"image_url\":\"data:image/png;base64,aGk=\"},"
        "{\"type\":\"input_image\",\"image_url\":\"https://e.org/x.png\"}]}"));
    SAME_TEXT("image", get(0, "message.content.0.type"));
    SAME_TEXT("aGk=", get(0, "message.content.0.data"));
    SAME_TEXT("image/png", get(0, "message.content.0.mimeType"));
    SAME_TEXT("https://e.org/x.png", get(0, "message.content.1.image_url"));
    done();
}

/* ---- history ------------------------------------------------------------ */

TEST(a_rollback_goes_on_before_the_turns_it_removes)
{
    run(META("") USER("a") SAYS("A") USER("b") SAYS("B") USER("c") SAYS("C")
            EVENT("{\"type\":\"thread_rolled_back\",\"num_turns\":2}")
                USER("d"));
    EQ(9, r.n);
    SAME_TEXT("codex/thread_rolled_back", get(7, "customType"));
    SAME_TEXT(get(2, "id"), get(7, "parentId"));
    SAME_TEXT(get(7, "id"), get(8, "parentId"));
    SAME_TEXT(get(8, "id"), r.facts.leaf);
    done();
}

TEST(a_rollback_of_more_turns_than_there_are_goes_to_the_first)
{
    run(META("") USER("a") SAYS("A") EVENT(
        "{\"type\":\"thread_rolled_back\",\"num_turns\":9}") USER("d"));
    SAME_TEXT("b0", get(3, "parentId"));
    done();
}

TEST(a_compaction_keeps_its_summary_and_the_new_history)
{
    run(USER("a") SAYS("A") TOKENS(100, 100, 0, 1)
            LINE("compacted",
                 "{\"message\":\"sum\",\"replacement_history\":["
                 "{\"type\":\"message\",\"role\":\"user\",\"content\":"
                 "[{\"type\":\"input_text\",\"text\":\"a\"}]}]}") USER("b"));
    SAME_TEXT("compaction", get(2, "type"));
    SAME_TEXT("sum", get(2, "summary"));
    SAME_TEXT("99", get(2, "tokensBefore"));
    SAME_TEXT("a", get(2, "details.replacementHistory.0.content.0.text"));
    SAME_TEXT(get(2, "id"), get(3, "parentId"));
    done();
}

TEST(a_compaction_without_a_message_takes_the_last_text_of_its_history)
{
    run(LINE("compacted", "{\"message\":\"\",\"replacement_history\":["
                          "{\"content\":[{\"text\":\"first\"}]},"
                          "{\"content\":[{\"text\":\"last\"}]}]}"));
    SAME_TEXT("last", get(0, "summary"));
    done();
}

TEST(images_of_a_replacement_history_are_payloads_of_their_own)
{
    char *file = test_alloc(8000), *image = test_alloc(2000);

    memset(image, 'A', 1999);
    image[1999] = '\0';
    sprintf(file,
            LINE("compacted",
                 "{\"message\":\"m\",\"replacement_history\":[{\"content\":"
                 "[{\"image_url\":\"data:image/png;base64,%s\"}]}]}"),
            image);
    converted_init(&r, true);
    converted_run(&r, &import_codex, bytes_str(file), 0);
    SAME_TEXT("payload:1:2023",
              get(0, "details.replacementHistory.0.content.0.image_url"));
    done();
}

TEST(records_of_a_parent_before_the_start_ordinal_are_not_paid_for_again)
{
    run("{\"timestamp\":\"2026-03-01T10:00:00.000Z\",\"ordinal\":0,\"type\":"
        "\"session_meta\",\"payload\":{\"id\":\"c2\",\"parent_thread_id\":\"c1\","
        "\"subagent_history_start_ordinal\":4}}\n"
        "{\"timestamp\":\"2026-03-01T10:00:00.000Z\",\"ordinal\":1,\"type\":"
        "\"response_item\",\"payload\":{\"type\":\"message\",\"role\":\"assistant\","
        "\"content\":[{\"text\":\"x\"}]}}\n"
        "{\"timestamp\":\"2026-03-01T10:00:00.000Z\",\"ordinal\":2,\"type\":"
        "\"event_msg\",\"payload\":{\"type\":\"token_count\",\"info\":{"
        "\"total_token_usage\":{\"input_tokens\":5},\"last_token_usage\":"
        "{\"input_tokens\":5}}}}\n");
    EQ(2, r.n);
    SAME_TEXT("0", get(1, "message.usage.input"));
    EQ(0, r.input);
    done();
}

static quire_status add_line(void *ctx, const struct import_entry *e,
                             quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%.*s %d\n", (int)e->id.len, (const char *)e->id.data,
             e->inherited);
    return QUIRE_OK;
}

TEST(the_records_of_a_base_come_first_and_are_marked)
{
    struct buf ids = BUF_INIT(10000);
    struct import_sink sink = {.ctx = &ids, .entry = add_line};
    struct import_converter *c;

    OK(import_converter_new(&import_codex, &sink, NULL, &c, &test_err));
    import_converter_begin_base(c);
    OK(import_converter_feed(c, bytes_str(META("") USER("a") "{\"cut"),
                             &test_err));
    OK(import_converter_end_base(c, &test_err));
    OK(import_converter_feed(c, bytes_str(META("") USER("b")), &test_err));
    OK(import_converter_finish(c, &test_err));
    HAS(buf_text(&ids), "p1.");
    HAS(buf_text(&ids), " 1\nb0 0\nb");
    import_converter_free(c);
    buf_release(&ids);
}

/* ---- events ------------------------------------------------------------- */

TEST(events_that_repeat_an_item_are_counted_only)
{
    run(EVENT("{\"type\":\"exec_command_end\",\"stdout\":\"x\"}")
            EVENT("{\"type\":\"item_completed\",\"item\":{}}")
                EVENT("{\"type\":\"context_compacted\"}")
                    LINE("world_state", "{\"full\":true}"));
    EQ(0, r.n);
    HAS(r.counts.data, "repeated exec_command_end 1");
    HAS(r.counts.data, "repeated item_completed 1");
    HAS(r.counts.data, "kept world_state 1");
    done();
}

TEST(events_that_say_something_new_are_custom_entries)
{
    run(EVENT("{\"type\":\"error\",\"message\":\"x\"}")
            EVENT("{\"type\":\"entered_review_mode\"}")
                LINE("inter_agent_communication", "{\"text\":\"x\"}"));
    EQ(3, r.n);
    SAME_TEXT("codex/error", get(0, "customType"));
    SAME_TEXT("x", get(0, "data.message"));
    SAME_TEXT("codex/inter_agent_communication", get(2, "customType"));
    done();
}

TEST(a_spawned_agent_is_linked)
{
    run(EVENT(
        "{\"type\":\"collab_agent_spawn_end\",\"new_thread_id\":\"c9\"}"));
    SAME_TEXT("0 c9\n", r.links.data);
    done();
}

TEST(unknown_kinds_are_custom_entries_and_counted)
{
    run(EVENT("{\"type\":\"novel\"}") LINE("newer", "{\"x\":1}")
            ITEM("{\"type\":\"odd_item\",\"y\":2}"));
    EQ(3, r.n);
    SAME_TEXT("codex/novel", get(0, "customType"));
    SAME_TEXT("1", get(1, "data.x"));
    SAME_TEXT("2", get(2, "data.y"));
    HAS(r.counts.data,
        "unknown novel 1\nunknown newer 1\nunknown odd_item 1\n");
    done();
}

TEST(a_bad_line_between_records_is_reported_and_the_rest_is_read)
{
    run(USER("a") "{\"timestamp\":\"2026\n" SAYS("b"));
    EQ(2, r.n);
    HAS(r.problems.data, "line 2 byte");
    done();
}
