/* import_aider_fuzz.c - any bytes as the chat history of Aider; see import.h */
#include "import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_import(&import_aider, data, size);
    return 0;
}
