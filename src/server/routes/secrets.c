/* secrets.c - the places of secrets in a text that a client shows */
#include "server/mark_secrets.h"
#include "server/routes/handlers.h"

void route_secrets(struct request *c)
{
    json_object(&c->w);
    json_key(&c->w, "secrets");
    json_array(&c->w);
    put_text_secrets(&c->w, request_bytes(c, "text"));
    json_array_end(&c->w);
    json_object_end(&c->w);
}
