/* import_codex_fuzz.c - any bytes as a session of Codex; see import.h */
#include "import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_import(&import_codex, data, size);
    return 0;
}
