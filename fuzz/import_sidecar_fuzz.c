/* Lines of prompt histories, and notes: what is read can be stored. */
#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "import/sidecar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_prompt(quire_bytes line, const struct prompt_names *names)
{
    struct arena keep = ARENA_INIT;
    struct import_prompt p;
    const char *why;

    if (prompt_read(names, line, &keep, &p, &why)) {
        assert(!why && p.text.len > 0 && p.at_s > 0);
        assert(!p.cwd || *p.cwd == '/');
    }
    arena_release(&keep);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct prompt_names all = {"display", "timestamp", "project",
                                            "sessionId"};
    static const struct prompt_names some = {"text", "ts", NULL, "session_id"};
    quire_bytes text = bytes_of(data, size);
    struct import_note n = note_read(text, "name.md");

    read_prompt(text, &all);
    read_prompt(text, &some);
    assert(n.title.len > 0 && n.title.len <= 200);
    assert(quire_memory_type_name(n.type));
    return 0;
}
