/* info.h - what a store knows of an object or a log without reading it */
#ifndef STORE_INFO_H
#define STORE_INFO_H

#include <stdint.h>

struct object_info {
    uint64_t size;
    int64_t modified_s; /* Unix seconds; touch and every write renew it       */

    /* For code of local homes, which recognizes a file that it has read before
     * by all of these. A remote backend sets modified_ns from what it has, and
     * the others to zero. */
    int64_t modified_ns;    /* modified_s at the backend's resolution */
    int64_t changed_ns;     /* when it was last changed in any way, where the
                             * system keeps that; cannot be set */
    uint64_t device, inode; /* together: the identity of an object, or of a
                             * log's generation, whatever its name; zero while
                             * it has no name */
};

#endif
