/* A turn of an agent: `./agent_loop` prints an id; `./agent_loop ID` the context again. */
#define _POSIX_C_SOURCE 200809L
#include <quire.h>
#include <stdio.h>
#include <stdlib.h>

#define TEXT(literal) ((quire_bytes){literal, sizeof literal - 1})
#define MESSAGE(role, content) \
    TEXT("{\"type\":\"message\",\"message\":{\"role\":\"" role "\",\"content\":\"" content "\"}}")
static quire_error err;

static void must(quire_status status)
{
    if (status && fprintf(stderr, "%s\nhint: %s\n", err.what, err.next))
        exit(1);
}

static quire_status print(void *file, quire_bytes bytes, quire_error *e)
{
    return e && fwrite(bytes.data, 1, bytes.len, file) < bytes.len ? QUIRE_STOPPED : QUIRE_OK;
}

int main(int argc, char **argv)
{
    quire_session_options options = QUIRE_SESSION_OPTIONS_INIT;
    quire_memory_options fact = QUIRE_MEMORY_OPTIONS_INIT;
    quire_sink_result shown;
    quire_session_info info;
    quire_session *s;
    quire_outputs *outputs;
    quire_sink *sink;
    quire *q;
    char out[4096], id[64];

    options.flags = QUIRE_SESSION_AT_ONCE; /* its file is there before the first answer */
    options.sync = QUIRE_SYNC_EACH;        /* an append that returned survives a power cut */
    must(quire_open(NULL, &q, &err));      /* $QUIRE_HOME, else ~/.local/share/quire */
    must(argc > 1 ? quire_session_open(q, argv[1], &options, &s, &err)
                  : quire_session_new(q, &options, &s, &err));
    if (argc > 1) /* what the model saw when the last append returned */
        return must(quire_session_context(s, NULL, print, NULL, stdout, &err)), 0;

    quire_session_describe(s, &info);
    snprintf(id, sizeof id, "%s", info.id);
    must(quire_session_append(s, MESSAGE("user", "count"), NULL, NULL, &err));
    must(quire_outputs_open(q, id, &outputs, &err));
    must(quire_sink_open(outputs, NULL, &sink, &err));
    for (FILE *tool = popen("seq 20000", "r"); tool && !feof(tool);)
        quire_sink_write(sink, (quire_bytes){out, fread(out, 1, sizeof out, tool)});
    quire_sink_finish(sink, &shown); /* its end, to be shown; the whole is artifact://0 */
    must(quire_session_append(s, MESSAGE("assistant", "see artifact://0"), NULL, NULL, &err));
    must(quire_artifact_put(q, id, "report.md", TEXT("# Counted\n"), NULL, NULL, &err));
    fact.type = QUIRE_MEMORY_PROJECT;
    fact.title = TEXT("counting to 20,000 works");
    must(quire_memory_add(q, id, &fact, NULL, &err));
    printf("%s\n", id);
    quire_sink_free(sink), quire_outputs_close(outputs);
    quire_session_close(s), quire_close(q);
}
