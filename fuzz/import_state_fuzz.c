/*
 * import_state_fuzz.c - a damaged state of a converter
 *
 * The state of a short session with an open answer; the input is pairs of a
 * place and what to change there. The state is refused, or whatever follows is
 * read without harm.
 */
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "holds.h"
#include "import/agents.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define USER(id, parent)                                            \
    "{\"type\":\"user\",\"uuid\":\"" id "\",\"parentUuid\":" parent \
    ",\"message\":{\"content\":\"hello\"}}\n"
#define ANSWER(id, parent, block)                                          \
    "{\"type\":\"assistant\",\"uuid\":\"" id "\",\"parentUuid\":\"" parent \
    "\",\"message\":{\"id\":\"m\",\"content\":[" block "]}}\n"
#define CALL \
    "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"Bash\",\"input\":{}}"

static const char before[] = USER("a", "null") ANSWER("b", "a", CALL);
static const char after[] = ANSWER("c", "b", CALL)
    USER("d", "\"c\"") "{\"type\":\"mode\"}\n" USER("e", "\"a\"");

static quire_status on_entry(void *ctx, const struct import_entry *e,
                             quire_error *err)
{
    (void)ctx;
    (void)err;
    HOLDS(e->json.len);
    return QUIRE_OK;
}

static const struct import_sink sink = {.entry = on_entry};

static void save(struct buf *state)
{
    struct import_converter *c;

    HOLDS(!import_converter_new(&import_claude_code, &sink, NULL, &c, NULL));
    HOLDS(!import_converter_feed(c, bytes_str(before), NULL));
    HOLDS(!import_converter_save(c, state, NULL));
    import_converter_free(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf state = BUF_INIT((size_t)1 << 20);
    struct import_converter *c;

    save(&state);
    for (; size >= 3; data += 3, size -= 3)
        state.data[((size_t)data[0] << 8 | data[1]) % state.len] ^= (char)
            data[2];
    if (!import_converter_restore(&import_claude_code, &sink, NULL,
                                  buf_bytes(&state), &c, NULL)) {
        struct import_facts facts;

        HOLDS(!import_converter_feed(c, bytes_str(after), NULL));
        HOLDS(!import_converter_finish(c, NULL));
        import_converter_facts(c, &facts);
        import_converter_free(c);
    }
    buf_release(&state);
    return 0;
}
