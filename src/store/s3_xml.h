/*
 * s3_xml.h - reading the XML that S3 answers with
 *
 * A bounded reader of elements with text, enough for lists, uploads and errors.
 * Attributes, comments and the XML declaration are skipped; a document type,
 * CDATA, an unknown entity, a NUL and elements that do not nest are refused.
 * Nothing is allocated.
 */
#ifndef STORE_S3_XML_H
#define STORE_S3_XML_H

#include <stdbool.h>

#include "quire.h"

enum {
    S3_XML_DEPTH_MAX = 8,
    S3_XML_PATH_MAX = 160,  /* "ListBucketResult/Contents/Key" */
    S3_XML_TEXT_MAX = 8192, /* of one element, decoded */
};

/* At the end of an element: its path, and the text behind its last child, which
 * for an element without children is all of its text. False stops reading. */
typedef bool (*s3_xml_fn)(void *ctx, const char *path, const char *text);

/* False: not such a document, or `end` stopped it. */
bool s3_xml_read(quire_bytes xml, s3_xml_fn end, void *ctx);

#endif
