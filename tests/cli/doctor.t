# doctor tells what it found
$ quire doctor
ok    quire           0.1.0
ok    library         sqlite …
...
ok    home            …/home/quire, from QUIRE_HOME, does not exist yet
ok    kind            native, the kind of a new home
ok    blob layout     packed
...
…  space …
...
…  kernel          Linux …
…  openat2 …
...
…  run …
...
ok    processor       …
$ test -e $QUIRE_HOME || echo it only looked
it only looked

# doctor as JSON is one object a check
$ quire doctor --json | grep -v '^{"check":"[a-zA-Z0-9_ ]*","status":"[okwarnfil]*","detail":"..*","hint":".*"}$'
? 1
$ quire doctor --json | grep '"check":"home"'
{"check":"home","status":"ok","detail":"…/home/quire, from QUIRE_HOME, does not exist yet","hint":""}

# doctor says how home and kind were chosen
$ quire --home x --kind jp doctor | grep -e ' home  ' -e ' kind  ' -e ' layout  '
ok    home            x, from --home, does not exist yet
ok    kind            jp, from --kind
ok    blob layout     loose
$ QUIRE_KIND=omp quire doctor | grep -e ' kind  ' -e ' layout  '
ok    kind            omp, from QUIRE_KIND
ok    blob layout     flat
$ QUIRE_HOME= quire doctor | grep ' home  '
ok    home            …/home/.local/share/quire, the default, does not exist yet
$ printf x | quire blob put >/dev/null; quire doctor | grep -e ' home  ' -e ' kind  '
ok    home            …/home/quire, from QUIRE_HOME
ok    kind            native, detected

# a home that cannot be used is a failure with a hint
$ printf x >file; quire --home file doctor | grep -A1 ' home  '
fail  home            file is not a directory
                      hint: name the directory that holds the store
$ quire --home file doctor >/dev/null
? 1
$ quire --home file doctor --json | grep '"home"'
{"check":"home","status":"fail","detail":"file is not a directory","hint":"name the directory that holds the store"}

# a home that others can read is a warning
$ printf x | quire blob put >/dev/null; chmod 755 $QUIRE_HOME; quire doctor | grep -A1 ' home  '
warn  home            …/home/quire, from QUIRE_HOME, mode 0755
                      hint: others can read it; make its mode 0700

# a collection that would be stopped, which nobody would hear of, is a warning
$ printf x | quire blob put >/dev/null; quire doctor | grep ' collection  '
ok    collection      0 of 1 blobs are in use
$ quire config set gc.grace 0; seq 100 | split -l 1; quire blob put x?? >refs
$ quire doctor | grep -A1 ' collection  '
warn  collection      refused: 101 of 101 blobs would be removed, more than half
                      hint: list them with `quire gc --dry-run --list`; to remove them, `quire gc --yes`
$ mkdir elsewhere; touch elsewhere/s.jsonl; quire gc --add-root elsewhere; rm -r elsewhere
$ quire doctor | grep -A1 ' collection  '
warn  collection      …elsewhere…
                      hint: …
