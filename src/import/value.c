/* value.c - see value.h */
#include "import/value.h"

#include <stdlib.h>

double value_dollars(quire_bytes value)
{
    char text[40];
    double dollars;

    if (json_kind(value) != JSON_NUMBER || value.len >= sizeof text)
        return 0;
    memcpy(text, value.data, value.len);
    text[value.len] = '\0';
    dollars = strtod(text, NULL);
    return dollars > 0 && dollars < 1e9 ? dollars : 0;
}
