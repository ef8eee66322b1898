/* import_kimi_fuzz.c - any bytes as a session of Kimi Code; see import.h */
#include "import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_import(&import_kimi, data, size);
    return 0;
}
