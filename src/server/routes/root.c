/* root.c - GET /: what this server is, for people */
#include "server/routes/handlers.h"

static const char page[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta name=\"viewport\" content=\"width=device-width\">"
    "<title>Quire</title></head><body>\n"
    "<h1>Quire %s</h1>\n"
    "<p>Storage for AI agents: sessions, artifacts, memory and blobs.</p>\n"
    "<h2>Addresses</h2>\n<dl>\n"
    "<dt><a href=\"/healthz\">/healthz</a>, <a href=\"/readyz\">/readyz</a>, "
    "<a href=\"/version\">/version</a></dt>"
    "<dd>health, readiness, version; no token</dd>\n"
    "<dt><a href=\"/openapi.json\">/openapi.json</a></dt>"
    "<dd>all operations; no token</dd>\n"
    "<dt><a href=\"/metrics\">/metrics</a></dt>"
    "<dd>for Prometheus; the admin token, or none from this machine</dd>\n"
    "<dt>/v1/sessions, /v1/artifacts, /v1/memory, /v1/blobs, "
    "/v1/events, &hellip;</dt>"
    "<dd>the HTTP interface; a tenant's token</dd>\n"
    "<dt>/v1/admin/tenants</dt><dd>tenants; the admin token</dd>\n"
    "<dt>/mcp</dt><dd>Model Context Protocol; a tenant's token</dd>\n"
    "</dl>\n<h2>Tokens</h2>\n"
    "<p><code>quire tenant add NAME</code> adds a tenant and prints its token. "
    "Send it as <code>Authorization: Bearer TOKEN</code>.</p>\n"
    "<p>The admin token is in the file <code>admin.token</code> of the home, "
    "or in <code>QUIRE_ADMIN_TOKEN</code>.</p>\n"
    "</body></html>\n";

void route_root(struct request *c)
{
    buf_addf(&c->answer.body, page, quire_version());
    response_header(&c->answer, "Content-Type", "text/html; charset=utf-8");
    response_header(&c->answer, "Content-Security-Policy",
                    "default-src 'none'; base-uri 'none'; form-action 'none'; "
                    "frame-ancestors 'none'");
    response_header(&c->answer, "X-Content-Type-Options", "nosniff");
    response_header(&c->answer, "Referrer-Policy", "no-referrer");
    response_header(&c->answer, "Cache-Control", "no-cache");
}
