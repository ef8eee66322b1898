/* sse_send.c - send to a stream, cancel its call; what clients need of streams */
#include "server/mcp/priv.h"

/* One line of JSON is one line of an event. */
void mcp_sse_send(struct stream *s, quire_bytes message)
{
    struct buf text = BUF_INIT(MCP_BACKLOG);

    buf_add_str(&text, "event: message\ndata: ");
    buf_add(&text, message.data, message.len);
    buf_add_str(&text, "\n\n");
    if (text.failed)
        stream_end(s);
    else
        stream_write(s, buf_bytes(&text));
    buf_release(&text);
}

void mcp_sse_cancel(struct mcp_sse *e)
{
    pthread_mutex_lock(&e->lock);
    if (e->call)
        mcp_cancel(e->call);
    pthread_mutex_unlock(&e->lock);
}

/* The stream of the call that this thread runs. */
static _Thread_local struct mcp_sse *current;

struct mcp_sse *mcp_sse_current(void)
{
    return current;
}

void mcp_sse_set_current(struct mcp_sse *e)
{
    current = e;
}
