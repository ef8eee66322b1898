/* import_qwen_fuzz.c - any bytes as a session of Qwen Code; see import.h */
#include "import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_import(&import_qwen, data, size);
    return 0;
}
