/*
 * images.h - the images of an entry
 *
 * An image is the member `data` of an object that says so by its type (`image`,
 * `base64`) or its media type: base64, or a reference to a blob. Images of an entry
 * are numbered from 1, in order.
 */
#ifndef VIEW_IMAGES_H
#define VIEW_IMAGES_H

#include <stdbool.h>

#include "quire.h"
#include "base/json_strings.h"

/* The content of the string, without quotes; .data NULL: it is no image. */
quire_bytes view_image_data(const struct json_string *s);

/* What the first bytes of a picture say. Only types that are safe to show. */
struct view_picture {
    const char *mime; /* image/png, jpeg, gif, webp; NULL: something else    */
    uint32_t width, height; /* 0: unknown                                    */
};

/* How many first bytes are enough. */
enum { VIEW_PICTURE_HEAD = 64 * 1024 };

struct view_picture view_picture(quire_bytes head);

#endif
