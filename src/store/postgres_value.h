/* postgres_value.h - values of results, which come in PostgreSQL's binary formats */
#ifndef STORE_POSTGRES_VALUE_H
#define STORE_POSTGRES_VALUE_H

#include <stdint.h>

#include "quire.h"

/* The types by their numbers in pg_type, which never change. */
enum {
    POSTGRES_BOOL = 16,
    POSTGRES_BYTEA = 17,
    POSTGRES_INT8 = 20,
    POSTGRES_INT2 = 21,
    POSTGRES_INT4 = 23,
    POSTGRES_TEXT = 25,
    POSTGRES_NUMERIC = 1700,
};

/* A column as a number: integers, booleans, numerics without their fraction (sums
 * are numerics), text that is a number; 0 for anything else. Numbers that do not fit
 * are the nearest that does. */
int64_t postgres_number(uint32_t type, quire_bytes value);

/* The eight bytes that a parameter of type int8 has. */
void postgres_put_int8(char to[8], int64_t value);

#endif
