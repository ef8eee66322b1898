/* import_claude_code_fuzz.c - any bytes as a session of Claude Code; see import.h */
#include "import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_import(&import_claude_code, data, size);
    return 0;
}
