/* The header by itself, and twice. */
#include <quire.h>
#include <quire.h>
