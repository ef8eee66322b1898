/* import_chat_fuzz.c - any bytes as a file of messages; see import.h */
#include "import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_import(&import_chat, data, size);
    return 0;
}
