/* activity_priv.h - what counting and loading of activity share */
#ifndef SESSION_ACTIVITY_PRIV_H
#define SESSION_ACTIVITY_PRIV_H

#include "session/activity.h"

enum { ACTIVITY_COUNTS = 15 };

/* The numbers that are saved in a list, in their order. */
void activity_counts(struct activity *a, uint64_t *out[ACTIVITY_COUNTS]);

/* Add a row behind the others. NULL: out of memory, or there are too many. */
struct activity_hour *activity_add_hour(struct activity *a, int64_t hour,
                                        uint32_t model);
struct activity_tool *activity_add_use(struct activity *a, int64_t hour,
                                       uint32_t tool);

#endif
