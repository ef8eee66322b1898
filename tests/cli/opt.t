# options of every kind are read
! cc
$ cc -std=c11 -D_GNU_SOURCE -I$TOP/include -I$TOP/src -o try $TOP/tests/cli/frame/try.c \
>     $TOP/src/cli/core/opt.c $TOP/src/cli/core/out.c $TOP/src/cli/core/suggest.c \
>     $TOP/src/cli/core/table.c $TOP/src/base/*.c
$ for s in 0 4096 1B 10k 64K 64KiB 3M 3MiB 2G 2GiB 1T 1TiB 5kB 5MB 5GB; do ./try show x -s $s; done
flag 0 size 0 [x]
flag 0 size 4096 [x]
flag 0 size 1 [x]
flag 0 size 10240 [x]
flag 0 size 65536 [x]
flag 0 size 65536 [x]
flag 0 size 3145728 [x]
flag 0 size 3145728 [x]
flag 0 size 2147483648 [x]
flag 0 size 2147483648 [x]
flag 0 size 1099511627776 [x]
flag 0 size 1099511627776 [x]
flag 0 size 5000 [x]
flag 0 size 5000000 [x]
flag 0 size 5000000000 [x]
$ for s in '' K 1.5M 10X -1 ' 1' '1 ' 18446744073709551616 17000000T; do
>     ./try show x --size "$s" && echo taken
> done
quire: --size needs a size, such as 4096, 64K or 1G, not ``
quire: --size needs a size, such as 4096, 64K or 1G, not `K`
quire: --size needs a size, such as 4096, 64K or 1G, not `1.5M`
...
quire: --size needs a size, such as 4096, 64K or 1G, not `17000000T`
? 2
$ for t in 0 3 500ms 2s 5m 24h 7d; do ./try show x --time $t; done
flag 0 time 0 [x]
flag 0 time 3000 [x]
flag 0 time 500 [x]
flag 0 time 2000 [x]
flag 0 time 300000 [x]
flag 0 time 86400000 [x]
flag 0 time 604800000 [x]
$ ./try show --tag a x --tag=b --text '' --tag ''
flag 0 text  tag a tag b tag  [x]
$ ./try show -ft1 x -t2 -ft 3
flag 1 text 3 [x]
$ TRY_AS=me ./try show x; TRY_AS=me ./try show x --as you; TRY_AS= ./try show x
flag 0 as me (environment) [x]
flag 0 as you [x]
flag 0 [x]
$ ./try show x y z - --flag -- --flag --
flag 1 [x] [y] [z] [-] [--flag] [--]
$ ./try show
quire: `quire show` needs PATH|#ID
hint: usage: quire show PATH|#ID [B [C...]]
? 2
