/*
 * router.h - find the route of a request
 *
 * The patterns of the table form a tree of path segments, built once. A lookup
 * walks it by method and segments; parameters are decoded only for the route
 * that matched.
 */
#ifndef SERVER_ROUTER_H
#define SERVER_ROUTER_H

#include "base/arena.h"
#include "http/parse.h"
#include "server/route.h"

struct router;

/* NULL: out of memory. */
struct router *router_new(const struct route *table);
void router_free(struct router *r);

struct route_match {
    const struct route *route;      /* NULL: none                         */
    const char *params[PARAMS_MAX]; /* decoded, in `keep`                 */
    int alias;           /* which name of "a|b" it has                    */
    const char *wrong;   /* why a parameter is invalid, in `keep`; NULL   */
    const char *allowed; /* no route: methods of this path, as in the header
                            Allow, in `keep`; NULL: unknown path          */
};

/* GET rows answer HEAD too. If a path fits only by an invalid parameter, the
 * match has that route and `wrong`. */
void router_find(const struct router *r, const struct head *head,
                 struct arena *keep, struct route_match *out);

#endif
