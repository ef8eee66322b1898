# a blob that was cut is damaged, and putting it again repairs it
$ printf hello >a; quire blob put a --store s --layout loose; f=$(find s -type f); cp $f good
blob:sha256:2cf24dba…
$ head -c 20 good >$f; quire blob check --store s
blob:sha256:2cf24dba…: cut: …
? 4
$ quire blob get 2cf24dba --store s
quire: …
hint: …
? 4
$ quire blob get 2cf24dba --store s -o out
quire: …
hint: …
? 4
$ ls -A
a
good
s
$ quire blob put --verify a --store s; quire blob check --store s && quire blob get 2cf24dba --store s; echo
blob:sha256:2cf24dba…
hello

# an empty file where a blob should be is damaged
$ printf hello >a; quire blob put a --store s --layout loose >/dev/null; f=$(find s -type f)
$ : >$f; quire blob check --store s --json
{"where":"blob:sha256:2cf24dba…","kind":"not_gzip","message":"…"}
? 4
$ quire blob put a --store s >/dev/null; quire blob check --store s

# what is no gzip is damaged
$ printf hello >a; quire blob put a --store s --layout loose >/dev/null; f=$(find s -type f)
$ printf 'this is no gzip at all' >$f; quire blob check --store s
blob:sha256:2cf24dba…: not_gzip: …
? 4
$ quire blob get 2cf24dba --store s --json
{"error":"…","kind":"damaged","hint":"…"}
? 4

# bytes after the end are damage, and none of them is printed
$ printf hello >a; quire blob put a --store s --layout loose >/dev/null; f=$(find s -type f)
$ printf junk >>$f; quire blob check --store s
blob:sha256:2cf24dba…: trailing: …
? 4
$ quire blob get 2cf24dba --store s 2>/dev/null
? 4

# a checksum or a length that does not agree is damage
$ seq 1000 >a; ref=$(quire blob put a --store s --layout loose); f=$(find s -type f); cp $f good
$ size=$(stat -c %s good)
$ cp good $f; printf '\0\0' | dd of=$f bs=1 seek=$((size - 8)) conv=notrunc status=none
$ quire blob check --store s
blob:sha256:…: checksum: …
? 4
$ quire blob get $ref --store s 2>/dev/null
? 4
$ cp good $f; printf '\0\0' | dd of=$f bs=1 seek=$((size - 4)) conv=notrunc status=none
$ quire blob check --store s
blob:sha256:…: …: …
? 4
$ quire blob get $ref --store s 2>/dev/null
? 4
$ cp good $f; printf '\377' | dd of=$f bs=1 seek=$((size - 3)) conv=notrunc status=none
$ quire blob check --store s
blob:sha256:…: …: …
? 4
$ quire blob get $ref --store s 2>/dev/null
? 4
$ cp good $f; printf '\377\377\377\377' | dd of=$f bs=1 seek=20 conv=notrunc status=none
$ quire blob check --store s
blob:sha256:…: …: …
? 4
$ quire blob get $ref --store s 2>/dev/null
? 4
$ quire blob put --verify a --store s >/dev/null; cmp $f good

# the content of another blob is damage
$ printf hello >a; quire blob put a --store s --layout loose >/dev/null; f=$(find s -type f)
$ printf jello | gzip -n >$f; quire blob check --store s
blob:sha256:2cf24dba…: content: …
? 4
$ quire blob get 2cf24dba --store s 2>/dev/null
? 4
$ quire blob put --verify a --store s >/dev/null; quire blob check --store s

# a file that grows without end when it is unpacked is damage
$ printf hello >a; quire blob put a --store s --layout loose >/dev/null; f=$(find s -type f)
$ head -c 100000000 /dev/zero | gzip -n >$f; quire blob check --store s
blob:sha256:2cf24dba…: …: …
? 4
$ quire blob get 2cf24dba --store s -o out
quire: …
hint: …
? 4
$ test -e out
? 1

# a flat blob that was cut, changed or made longer is damaged
$ printf hello >a; quire blob put a --store s --layout flat >/dev/null; f=$(find s -type f)
$ for bad in hell jello hello+ ''; do
>     printf "$bad" >$f; quire blob check --store s >/dev/null; printf "$? "
>     quire blob get 2cf24dba --store s 2>/dev/null; echo $?
> done
4 4
4 4
4 4
4 4
$ printf jello >$f; quire blob check --store s
blob:sha256:2cf24dba…: content: …
? 4
$ quire blob put --verify a --store s >/dev/null; quire blob check --store s

# one bit of a large blob is found
$ head -c 3000000 /dev/urandom >a; quire blob put a --store s --layout flat >ref; f=$(find s -type f)
$ printf 'x' | dd of=$f bs=1 seek=1500000 conv=notrunc status=none
$ b=$(dd if=a bs=1 skip=1500000 count=1 status=none); [ "$b" = x ] && printf y | dd of=$f bs=1 seek=1500000 conv=notrunc status=none; true
$ quire blob check --store s
blob:sha256:…: content: …
? 4
$ quire blob get $(cat ref) --store s -o out
quire: …
hint: …
? 4
$ test -e out
? 1

# a problem in one blob does not hide the others
$ for w in a b c; do printf $w >$w; done
$ quire blob put a b c --store s --layout flat >/dev/null; for f in s/*; do printf zz >$f; done
$ quire blob check --store s | wc -l
3
$ quire blob check --store s --json | grep -c '"kind":"content"'
3
$ quire blob check ca978112 --store s
blob:sha256:ca978112…: content: …
? 4

# a blob whose file is missing from a home is damaged
$ head -c 300000 /dev/urandom >a; quire blob put a >ref; rm $(find $QUIRE_HOME/blobs -type f)
$ quire blob check
blob:sha256:…: missing: …
? 4
$ quire blob get $(cat ref) >/dev/null
quire: …
...
? 4
$ quire blob put a | diff ref -; quire blob check && quire blob get $(cat ref) | cmp - a

# a quire.db that is none is damaged
$ mkdir $QUIRE_HOME; printf 'this is not a database, not at all, not even nearly so' >$QUIRE_HOME/quire.db
$ quire blob ls
quire: …
...
? 4
$ printf x | quire blob put --json
{"error":"…","kind":"damaged","hint":"…"}
? 4

# what stands in the way of a blob is reported, and nothing is left behind
$ printf hello >a; printf b >b; f=s/2c/f2/4dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824.blob.gz
$ mkdir -p $f; quire blob put a --store s --layout loose
quire: …
...
? 3
$ find s -type f

# a full disk while storing is an error, and nothing is left behind
$ head -c 3000000 /dev/urandom >a; printf b | quire blob put >/dev/null
$ (trap '' XFSZ; ulimit -f 2000; quire blob put a)
quire: …
...
? 3
$ find $QUIRE_HOME -type f | grep -v -e quire.db -e gc.lock -e reserve
? 1
$ quire blob check; quire blob ls | wc -l; quire blob put a >/dev/null; quire blob check
1
