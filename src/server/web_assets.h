/*
 * web_assets.h - the viewer's files, as tools/embed_web.c embeds them
 *
 * Every file is compressed by gzip. `web_assets_name` names all of them by their
 * content: /assets/<name>/<path> never changes.
 */
#ifndef SERVER_WEB_ASSETS_H
#define SERVER_WEB_ASSETS_H

#include <stddef.h>

struct web_asset {
    const char *path; /* below web/, such as "pages/home.js"; NULL: the end */
    const char *type;
    const unsigned char *packed; /* by gzip */
    size_t len;
};

extern const struct web_asset web_assets[];
extern const char web_assets_name[];

#endif
