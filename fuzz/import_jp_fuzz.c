/* import_jp_fuzz.c - any bytes as a conversation of JP; see import.h */
#include "import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_import(&import_jp, data, size);
    return 0;
}
