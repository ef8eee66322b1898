# get gives the content back, to standard output or to a file
$ seq 100000 >c; ref=$(quire blob put c)
$ quire blob get $ref | cmp - c
$ quire blob get $ref -o out && cmp out c && quire blob get $ref -o - | cmp - c
$ quire blob get -o out2 ${ref#blob:} && cmp out2 c
$ quire blob get ${ref##*:} --output=out3 && cmp out3 c
$ short=$(printf %.10s ${ref##*:}); quire blob get $short | cmp - c
$ quire blob get $(echo ${ref##*:} | tr a-f A-F) | cmp - c

# ranges are inclusive, as in HTTP
$ printf 0123456789 >a; quire blob put a
blob:sha256:84d89877…
$ for r in 0-0 0-3 3-3 5- 0- -1 -3 -100 8-100 9-9; do
>     echo "$r $(quire blob get 84d89877 --range $r)"
> done
0-0 0
0-3 0123
3-3 3
5- 56789
0- 0123456789
-1 9
-3 789
-100 0123456789
8-100 89
9-9 9

# ranges of a blob in a file of its own
$ head -c 3000000 /dev/urandom >big; ref=$(quire blob put big)
$ quire blob get $ref --range 1000000-1999999 >got
$ tail -c +1000001 big | head -c 1000000 | cmp - got
$ quire blob get $ref --range -10 >got; tail -c 10 big | cmp - got
$ quire blob get $ref --range 2999999- >got; tail -c 1 big | cmp - got

# a range that makes no sense is wrong usage
$ for r in x 5 5-3 - 1-2-3 1-x 0x1-2 99999999999999999999- ''; do
>     quire blob get 84d89877 --range "$r"; echo $?
> done 2>&1 | uniq -c | sed 's/^ *//'
1 quire: --range needs a range of bytes, not `x`
1 hint: write it as 0-99, 100- or -100
1 2
1 quire: --range needs a range of bytes, not `5`
1 hint: write it as 0-99, 100- or -100
1 2
1 quire: --range needs a range of bytes, not `5-3`
1 hint: write it as 0-99, 100- or -100
1 2
1 quire: --range needs a range of bytes, not `-`
...
1 quire: --range needs a range of bytes, not ``
1 hint: write it as 0-99, 100- or -100
1 2

# a range of which no byte is there is the answer no
$ printf 0123456789 | quire blob put
blob:sha256:84d89877…
$ quire blob get 84d89877 --range 10-
quire: the range 10- is past the end of 84d89877, which has 10 bytes
? 1
$ quire blob get 84d89877 --range 10-20 --json
{"error":"the range 10-20 is past the end of 84d89877, which has 10 bytes","kind":"invalid","hint":""}
? 1
$ quire blob get 84d89877 --range -0
quire: the range -0 is past the end of 84d89877, which has 10 bytes
? 1
$ quire blob put </dev/null; quire blob get e3b0c442 --range 0-
blob:sha256:e3b0c442…
quire: the range 0- is past the end of e3b0c442, which has 0 bytes
? 1
$ quire blob get e3b0c442

# a reference that is none, or leads nowhere, is the answer no
$ for ref in zebra 12345 blob:sha256:12 sha256:zz '' \
>     blob:md5:d41d8cd98f00b204e9800998ecf8427e; do
>     for verb in get stat check; do quire blob $verb "$ref"; echo $?; done
> done 2>&1 | grep -v -e '^hint: ' -e ' is not a blob reference$' | uniq -c
     18 1
$ quire blob get abcdef0123
quire: no blob in … begins with abcdef0123
hint: `quire blob ls` lists what is there
? 1
$ quire blob get 0000000000000000000000000000000000000000000000000000000000000000
quire: no blob 000000000000 in …
hint: …
? 1
$ quire blob stat 0000000000000000000000000000000000000000000000000000000000000000 --json
{"error":"no blob 000000000000 in …","kind":"not_found","hint":"…"}
? 1
$ ls -A

# an answer of no does not make a home
$ quire blob get abcdef0123
...
? 1
$ quire blob ls; quire blob check; test -e $QUIRE_HOME || echo none
none

# -o keeps what was there until it has something better
$ printf hello | quire blob put; printf old >kept; chmod 640 kept
blob:sha256:2cf24dba…
$ quire blob get abcdef01 -o kept
quire: no blob …
...
? 1
$ cat kept; quire blob get 2cf24dba -o kept && cat kept; stat -c %a kept
oldhello640
$ printf old >target; ln -s target link; quire blob get 2cf24dba -o link
$ cat target; test -L link && echo " linked"
hello linked
$ ls -A
kept
link
target

# -o where nothing can be written leaves nothing
$ printf hello | quire blob put; mkdir d
blob:sha256:2cf24dba…
$ quire blob get 2cf24dba -o d
quire: cannot write d: Is a directory
hint: name a file, not a directory
? 3
$ quire blob get 2cf24dba -o no/such/place
quire: cannot write no/such/place: No such file or directory
hint: create its directory first
? 3
$ quire blob get 2cf24dba -o /dev/full
quire: cannot write /dev/full: No space left on device
hint: …
? 3
$ quire blob get 2cf24dba -o /dev/null; test -c /dev/null && echo still a device
still a device
$ ls -A
d

# a signal during -o ends it at once and leaves nothing
$ mkdir s; truncate -s 128M zeros; digest=$(sha256sum zeros | cut -c1-64); mv zeros s/$digest
$ for delay in 0.01 0.03; do
>     printf old >kept; quire blob get $digest --store s --layout flat -o kept 2>>err &
>     pid=$!; sleep $delay; kill $pid 2>/dev/null; wait $pid 2>/dev/null
>     case "$? $(stat -c %s kept)" in
>     '143 3' | '0 134217728' | '143 134217728') ;;
>     *) echo "status $?, $(stat -c %s kept) bytes" ;;
>     esac
> done 2>/dev/null
$ cat err; ls -A
err
kept
s

# a disk that fills up during -o leaves nothing
$ head -c 3000000 /dev/urandom | quire blob put >ref; printf old >kept
$ (trap '' XFSZ; ulimit -f 1000; quire blob get $(cat ref) -o kept)
quire: cannot write …kept: File too large
hint: …
? 3
$ cat kept; ls -A
oldkept
ref
