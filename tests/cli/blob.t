# put prints a reference a line, in the order of the files
$ printf hello >a; printf '' >b; seq 100000 >c; head -c 2000000 /dev/zero >d
$ quire blob put a b c d
blob:sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824
blob:sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
blob:sha256:b2bc7d3f8b652d2ec96865b68ad8f80e22cca174abe1aed7889e242a747d590f
blob:sha256:…
$ sha256sum a b c d | cut -c1-64 | sed 's/^/blob:sha256:/' >want
$ quire blob put a b c d | diff want -
$ quire blob put d c d a a | diff - - <<END
> $(for f in d c d a a; do sha256sum <$f; done | sed 's/^/blob:sha256:/; s/ .*//')
> END

# put as JSON says whether the content was there before
$ printf hello >a; quire blob put a --json
{"ref":"blob:sha256:2cf24dba…","sha256":"2cf24dba…","size":5,"size_bytes":5,"stored":5,"stored_bytes":5,"existed":false,"path":null,"file":"a"}
$ quire blob put a a --json
{"ref":"blob:sha256:2cf24dba…","sha256":"2cf24dba…","size":5,"size_bytes":5,"stored":5,"stored_bytes":5,"existed":true,"path":null,"file":"a"}
{"ref":"blob:sha256:2cf24dba…","sha256":"2cf24dba…","size":5,"size_bytes":5,"stored":5,"stored_bytes":5,"existed":true,"path":null,"file":"a"}

# standard input is stored, by itself or among files
$ printf hello | quire blob put
blob:sha256:2cf24dba…
$ printf hello | quire blob put -
blob:sha256:2cf24dba…
$ printf a >a; printf b >b; printf hello | quire blob put a - b
blob:sha256:ca978112…
blob:sha256:2cf24dba…
blob:sha256:3e23e816…
$ quire blob put </dev/null
blob:sha256:e3b0c442…

# what has no size is stored, too
$ mkfifo pipe; printf hello >pipe & quire blob put pipe
blob:sha256:2cf24dba…
$ printf hello | quire blob put /dev/stdin
blob:sha256:2cf24dba…
$ cat /proc/version | quire blob put >1; quire blob put /proc/version | diff 1 -

# a file that cannot be read is reported and the others are stored
$ printf a >a; printf b >b; mkdir d
$ quire blob put a missing b d /proc/self/mem a
quire: cannot read missing: No such file or directory
quire: cannot store d: it is a directory
hint: name the files in it
quire: cannot read /proc/self/mem: Input/output error
hint: …
blob:sha256:ca978112…
blob:sha256:3e23e816…
blob:sha256:ca978112…
? 3
$ quire blob ls
blob:sha256:3e23e816…
blob:sha256:ca978112…
$ quire blob put missing --json
{"error":"cannot read missing: No such file or directory","kind":"not_found","hint":""}
? 3

# many small files come back in order, whatever their number
$ i=0; while [ $i -lt 600 ]; do echo $i >f$i; i=$((i + 1)); done
$ ls f* >names; quire blob put $(cat names) >refs; wc -l <refs
600
$ sed 's/.*://; s/$/  /' refs | paste -d '\0' - names | sha256sum -c --quiet
$ quire blob ls | sort -u | wc -l
600
$ quire blob check

# stat tells size and place
$ printf hello | quire blob put; quire blob stat 2cf24dba
blob:sha256:2cf24dba…
blob:sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824
  size    5 bytes
  stored  5 bytes, in quire.db
  seen    20…-…-… …:…:… UTC
$ quire blob stat 2cf24dba --json
{"ref":"blob:sha256:2cf24dba…","sha256":"2cf24dba…","size":5,"size_bytes":5,"stored":5,"stored_bytes":5,"in_file":false,"seen_at":"20…T…Z","path":null}
$ head -c 300000 /dev/urandom | quire blob put >ref; quire blob stat $(cat ref) --json
{"ref":"…","sha256":"…","size":300000,"size_bytes":300000,"stored":…,"stored_bytes":…,"in_file":true,"seen_at":"20…T…Z","path":"…/blobs/…/….blob.gz"}
$ quire blob stat $(cat ref) | sed -n 's/^  path    //p' | xargs test -f
$ quire blob put --json ref | grep -o '"path":.*'; head -c 300000 /dev/urandom | quire blob put --json | sed 's/.*"path":"\([^"]*\)".*/\1/' | xargs test -f
"path":null,"file":"ref"}
$ quire blob stat 2cf24dba abcdef01 2cf24dba | grep size
quire: no blob …
hint: …
  size    5 bytes
  size    5 bytes
$ quire blob stat 2cf24dba abcdef01 >/dev/null 2>&1
? 1

# ls lists by ascending digest, short, long, some or as JSON
$ for w in a b c d; do printf $w | quire blob put; done | sort >want
$ quire blob ls | diff want -
$ quire blob ls --limit 2
blob:sha256:18ac3e73…
blob:sha256:2e7d2c03…
$ quire blob ls --limit 0 | wc -l
4
$ quire blob ls --long -n 1
blob:sha256:18ac3e7343f016890c510e93f935261169d9e3f565436429830faf0934f4f8e4           1           1
$ quire blob ls --json --limit 1
{"ref":"blob:sha256:18ac3e73…","sha256":"18ac3e73…","size":1,"size_bytes":1,"stored":1,"stored_bytes":1}

# check is silent when all is well
$ seq 100000 | quire blob put >1; head -c 2000000 /dev/zero | quire blob put >2
$ quire blob check; quire blob check --json; quire blob check $(cat 1 2)
$ quire blob check $(cat 1) abcdef01
quire: no blob …
hint: …
? 1

# several processes may make a new home at once
$ for round in 1 2 3 4 5 6 7 8; do
>     for w in a b c d e f; do printf $w | quire -q --home h$round blob put >/dev/null & done
>     wait; quire --home h$round blob ls | wc -l
> done | uniq -c | sed 's/^ *//'
8 6

# another writer is waited for, as long as --wait says
! python3
$ printf a | quire blob put >/dev/null
$ cat >hold.py <<'END'
> import os, sqlite3, subprocess, sys, time
> db = sqlite3.connect(os.environ['QUIRE_HOME'] + '/quire.db', isolation_level=None)
> db.execute('begin immediate')
> start = time.time()
> code = subprocess.run(sys.argv[1:], input=b'hello').returncode
> print(code, 'waited' if time.time() - start >= 0.8 else 'hurried')
> END
$ python3 hold.py quire blob put --wait 800ms
quire: another process holds the write lock of …/quire.db
hint: try again when it has finished
3 waited
$ python3 hold.py quire blob put --wait 0 --json
{"error":"…","kind":"busy","hint":"…"}
3 hurried
$ quire blob ls
blob:sha256:ca978112…

# a store that is a file, or below one, is refused
$ printf x >file
$ quire --home file blob ls
quire: file is not a directory
hint: …
? 3
$ quire blob ls --store file --json
{"error":"file is not a directory","kind":"…","hint":"…"}
? 3
$ printf x | quire --home file/below blob put
quire: …
...
? 3

# --layout without --store is wrong usage
$ quire blob ls --layout flat
quire: --layout needs --store
hint: leave it out: a home has its own layout
? 2

# the stores of other programs are written as they write them
$ printf hello >a; quire blob put a --store loose --layout loose; find loose -type f
blob:sha256:2cf24dba…
loose/2c/f2/4dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824.blob.gz
$ cat loose/2c/f2/4*.gz | gunzip; echo
hello
$ quire blob put a --store flat --layout flat; cat flat/2cf24*; echo
blob:sha256:2cf24dba…
hello
$ for s in loose flat; do
>     quire blob ls --store $s; quire blob get 2cf24d --store $s; echo
>     quire blob stat 2cf24d --store $s --json; quire blob check --store $s
> done
blob:sha256:2cf24dba…
hello
{"ref":"…","sha256":"…","size":5,"size_bytes":5,"stored":25,"stored_bytes":25,"in_file":true,"seen_at":"20…T…Z","path":"…"}
blob:sha256:2cf24dba…
hello
{"ref":"…","sha256":"…","size":5,"size_bytes":5,"stored":5,"stored_bytes":5,"in_file":true,"seen_at":"20…T…Z","path":"…"}
$ test -e $QUIRE_HOME || echo no home was touched
no home was touched

# the homes of other programs are opened in place
$ mkdir -p omp/blobs omp/sessions; printf hello >omp/blobs/2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824
$ quire --home omp --kind omp blob get 2cf24dba; echo
hello
$ printf a | quire --home omp --kind omp blob put; cat omp/blobs/ca97*; echo
blob:sha256:ca978112…
a
$ mkdir -p ws/.jp/conversations; printf a | quire --home ws/.jp --kind jp blob put; find ws/.jp/blobs -type f
blob:sha256:ca978112…
ws/.jp/blobs/ca/97/8112…blob.gz

# a large loose file does not tell its size, and nobody makes one up
$ head -c 5000000 /dev/urandom > noise
$ quire blob put --store s --layout loose noise > ref
$ quire blob ls --store s --long
blob:sha256:…           -     5000…
$ quire blob ls --store s --json | grep -o '"size":[^,]*'
"size":null
$ quire blob stat --store s --json $(cat ref) | grep -o '"size":[^,]*'
"size":5000000
$ quire blob get --store s $(cat ref) | cmp - noise

# a trace tells what is asked of the store
$ printf x | quire blob put --store s --layout flat --trace
trace: lease lock shared: ok
trace: object open …: not_found
trace: object create : ok
trace: object write : ok
trace: object publish …: ok
blob:sha256:…

# -o to a descriptor writes there and replaces nothing
$ printf hello | quire blob put > ref
$ (echo before; quire blob get -o /dev/stdout $(cat ref); echo; echo after) > log; cat log
before
hello
after
$ echo one > log2; quire blob get -o /dev/fd/3 $(cat ref) 3>> log2; cat log2; echo
one
hello

# a store is written in one layout only, and nothing wrong is found where nothing is
$ printf x | quire blob put --store mine --layout flat
blob:sha256:…
$ printf y | quire blob put --store mine --layout loose
quire: mine is a flat store
hint: leave out --layout, or name another directory
? 3
$ quire blob check --store typo
quire: cannot check typo: No such file or directory
? 1

# when the database is lost, check and doctor say so
$ head -c 100000 /dev/urandom | quire blob put > /dev/null; printf small | quire blob put > /dev/null
$ : > $QUIRE_HOME/quire.db; quire blob check
quire.db: row: there are 1 blob files, and quire.db has no row for any of them: it may have been lost
? 4
$ printf 'this is not a database, and long enough to be one' > $QUIRE_HOME/quire.db; quire doctor | grep '^fail'
fail  blobs           …quire.db is damaged: file is not a database
