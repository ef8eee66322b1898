#include "cli/core/each_word.h"

#include "cli/core/cli.h"

int each_word(struct cli *cli, const struct args *args,
              int (*run)(struct cli *cli, const struct args *args,
                         const char *word))
{
    quire_error err = {0};
    int code = EXIT_DONE;
    size_t i;

    if (args->n_words == 1)
        return run(cli, args, args->words[0]);
    if (quire_transaction_begin(cli->q, &err))
        return cli_fail(cli, &err);
    for (i = 0; i < args->n_words && !code; i++)
        code = run(cli, args, args->words[i]);
    if (code)
        quire_transaction_rollback(cli->q);
    else if (quire_transaction_end(cli->q, NULL, &err))
        code = cli_fail(cli, &err);
    return code;
}
