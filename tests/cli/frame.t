# quire alone explains itself
$ quire
usage: quire [OPTION...] NOUN VERB [...]
...
Nouns:
...
  blob …
...
Examples:
...

# an unknown command is a usage error
$ quire nonsense
quire: `nonsense` is not a command
hint: run `quire help` for the list
? 2

# a mistyped noun, verb or command is guessed
$ quire blbo ls
quire: `blbo` is not a command
hint: did you mean `quire blob`?
? 2
$ quire blob gte x
quire: `blob gte` is not a command
hint: did you mean `quire blob get`?
? 2
$ quire doctr
quire: `doctr` is not a command
hint: did you mean `quire doctor`?
? 2
$ quire blob xyzzy
quire: `blob xyzzy` is not a command
hint: run `quire blob --help` for the list
? 2

# a verb without its noun is recognised
$ quire put x
quire: `put` is not a command
hint: did you mean `quire blob put` or `quire artifact put`?
? 2

# a mistyped option is guessed, and the beginning of one is not accepted
$ quire blob put --verfy x
quire: `quire blob put` has no option --verfy
hint: did you mean --verify?
? 2
$ quire blob put --ver x
quire: `quire blob put` has no option --ver
hint: did you mean --verify?
? 2
$ quire --jsn version
quire: quire has no option --jsn
hint: did you mean --json?
? 2
$ quire blob ls --xyzzy
quire: `quire blob ls` has no option --xyzzy
hint: run `quire blob ls --help` for the list
? 2
$ quire blob ls -x
quire: `quire blob ls` has no option -x
hint: run `quire blob ls --help` for the list
? 2

# options of a command stand after it
$ quire --verify blob put
quire: quire has no option --verify
hint: give the options of a command after its name
? 2
$ quire blob --layout flat ls
quire: quire has no option --layout
hint: give the options of a command after its name
? 2

# a choice is checked and guessed
$ quire blob ls --store . --layout falt
quire: --layout must be packed, loose or flat, not `falt`
hint: did you mean `flat`?
? 2
$ quire blob ls --color=blue
quire: --color must be auto, always or never, not `blue`
? 2
$ quire completion bahs
quire: the argument must be bash, zsh or fish, not `bahs`
hint: did you mean `bash`?
? 2
$ QUIRE_KIND=opm quire blob ls
quire: QUIRE_KIND must be native, omp or jp, not `opm`
hint: did you mean `omp`?
? 2

# values are read in every way people write them
$ printf hello | quire blob put
blob:sha256:2cf24dba…
$ quire blob get 2cf24dba --range 1-2; echo
el
$ quire blob get 2cf24dba --range=1-2; echo
el
$ quire blob get --range -2 2cf24dba; echo
lo
$ quire blob get -ofile 2cf24dba && cat file; echo
hello
$ quire blob get -o other 2cf24dba && cat other; echo
hello
$ quire blob ls -ln1
blob:sha256:2cf24dba… 5 …

# a value that is missing or not wanted is told
$ quire blob get 2cf24dba --range
quire: --range needs a value: A-B
? 2
$ quire blob get 2cf24dba -o
quire: -o needs a value: FILE
? 2
$ quire blob ls --long=yes
quire: --long takes no value
? 2
$ quire --home= blob ls
quire: --home needs a path, not ``
? 2

# numbers and times are checked
$ quire blob ls --limit ten
quire: --limit needs a whole number, not `ten`
? 2
$ quire blob ls --limit -1
quire: --limit needs a whole number, not `-1`
? 2
$ quire blob ls --limit 99999999999999999999
quire: --limit needs a whole number, not `99999999999999999999`
? 2
$ quire blob ls --wait soon
quire: --wait needs a time, such as 500ms, 2s, 5m, 24h or 7d, not `soon`
? 2
$ for t in 0 7 500ms 2s 5m 24h 7d; do quire blob ls --wait $t; done

# the number of arguments is checked
$ quire blob get
quire: `quire blob get` needs REF
hint: usage: quire blob get REF
? 2
$ quire blob get a b
quire: `quire blob get` takes no argument `b`
hint: usage: quire blob get REF
? 2
$ quire blob stat
quire: `quire blob stat` needs REF
hint: usage: quire blob stat REF...
? 2
$ quire version now
quire: `quire version` takes no argument `now`
hint: usage: quire version
? 2
$ quire completion
quire: `quire completion` needs one of bash|zsh|fish
hint: usage: quire completion bash|zsh|fish
? 2

# two dashes end the options
$ printf x > --json; quire blob put -- --json
blob:sha256:2d711642…
$ quire -- version
quire 0.1.0

# global options stand anywhere
$ printf hello | quire --home here blob put -q
blob:sha256:2cf24dba…
$ quire --json --home here blob ls
{"ref":"blob:sha256:2cf24dba…","sha256":"2cf24dba…","size":5,"size_bytes":5,"stored":…}
$ quire blob --home=here --json ls
{"ref":"blob:sha256:2cf24dba…","sha256":"2cf24dba…","size":5,"size_bytes":5,"stored":…}
$ quire blob ls --home here --json
{"ref":"blob:sha256:2cf24dba…","sha256":"2cf24dba…","size":5,"size_bytes":5,"stored":…}
$ QUIRE_HOME=here quire blob ls
blob:sha256:2cf24dba…

# an option beats the environment, and the last one wins
$ printf a | quire --home one blob put >/dev/null
quire: created the home one
$ QUIRE_HOME=two quire --home one blob ls
blob:sha256:ca978112…
$ quire --home two --home one blob ls
blob:sha256:ca978112…
$ QUIRE_HOME= XDG_DATA_HOME=$PWD/xdg quire doctor | grep ' home  '
ok    home …/xdg/quire, in XDG_DATA_HOME, does not exist yet

# a noun without a verb lists its verbs
$ quire blob 2>/dev/null
? 2
$ quire blob
usage: quire blob VERB [...]
...
Verbs:
  put    store files by content and print their references
...
? 2
$ quire blob --json
{"error":"`quire blob` needs a verb","kind":"usage","hint":"add --help for the list"}
? 2

# with --json every error is one object on standard error
$ quire blob get zebra --json 2>/dev/null
? 1
$ quire blob get zebra --json
{"error":"…","kind":"invalid","hint":"…"}
? 1
$ quire --json nonsense
{"error":"`nonsense` is not a command","kind":"usage","hint":"run `quire help` for the list"}
? 2
$ quire blob put --bogus --json
{"error":"`quire blob put` has no option --bogus","kind":"usage","hint":"…"}
? 2
$ quire blob put --json no-such-file
{"error":"cannot read no-such-file: No such file or directory","kind":"not_found","hint":""}
? 3

# control characters in a message do not reach the terminal
$ quire "$(printf 'a\033[31mb')"
quire: `a\x1b[31mb` is not a command
hint: run `quire help` for the list
? 2

# the version is told in three ways
$ quire version
quire 0.1.0
$ quire --version
quire 0.1.0
$ quire blob put --version
quire 0.1.0
$ quire version --json
{"version":"0.1.0","libraries":{"…":"…"}}

# a full output device is an error
$ quire version >/dev/full
quire: cannot write to standard output: No space left on device
hint: free some space on that file system and try again
? 3
$ quire blob ls --help >/dev/full
quire: cannot write to standard output: No space left on device
...
? 3
$ printf hello | quire blob put >/dev/full
quire: cannot write to standard output: No space left on device
...
? 3
$ quire blob get 2cf24dba >/dev/full
quire: cannot write to standard output: No space left on device
...
? 3
$ quire blob ls --json >/dev/full
{"error":"cannot write to standard output: No space left on device","kind":"io","hint":"…"}
? 3

# a closed output is an error, a closed input too
$ quire version >&-
quire: cannot write to standard output: Bad file descriptor
? 3
$ quire blob put <&-
quire: cannot read standard input: Bad file descriptor
? 3

# a reader that goes away ends us by SIGPIPE, without a word
$ head -c 5000000 /dev/zero | quire blob put >ref
$ { quire blob get $(cat ref); echo $? >status; } | head -c 1 | wc -c
1
$ cat status
141
$ { (trap '' PIPE; quire blob get $(cat ref)); echo $? >status; } | head -c 1 | wc -c
1
$ cat status
141

# no colour when nothing is a terminal, colour when it is asked for
$ quire nonsense
quire: `nonsense` is not a command
...
? 2
$ quire --color=always nonsense 2>&1 | cat -v
^[[1;31mquire:^[[0m `nonsense` is not a command
^[[1mhint:^[[0m run `quire help` for the list
$ CLICOLOR_FORCE=1 quire nonsense 2>&1 | cat -v
^[[1;31mquire:^[[0m …
...
$ CLICOLOR_FORCE=1 NO_COLOR=1 quire nonsense 2>&1 | cat -v
quire: …
...
$ CLICOLOR_FORCE=1 quire nonsense --color=never 2>&1 | cat -v
quire: …
...
$ CLICOLOR_FORCE=1 quire blob ls -h | grep Options: | cat -v
^[[1mOptions:^[[0m

# words that other programs use lead to ours
$ for w in delete remove list find grep cat create copy undelete; do quire artifact $w; quire session $w; done 2>&1 | grep hint
hint: did you mean `quire artifact rm`?
hint: did you mean `quire session rm`?
hint: did you mean `quire artifact rm`?
hint: did you mean `quire session rm`?
hint: did you mean `quire artifact ls`?
hint: did you mean `quire session ls`?
hint: did you mean `quire artifact search`?
hint: run `quire session --help` for the list
hint: did you mean `quire artifact search`?
hint: run `quire session --help` for the list
hint: did you mean `quire artifact get`?
hint: did you mean `quire session show`?
hint: did you mean `quire artifact put`?
hint: did you mean `quire session new`?
hint: run `quire artifact --help` for the list
hint: did you mean `quire session fork`?
hint: did you mean `quire artifact restore`?
hint: did you mean `quire session restore`?
$ for w in prune clean fsck fix exec server list grep; do quire $w; done 2>&1 | grep hint
hint: did you mean `quire gc`?
hint: did you mean `quire gc`?
hint: did you mean `quire check`?
hint: did you mean `quire repair`?
hint: did you mean `quire run`?
hint: did you mean `quire serve`?
hint: did you mean `quire session ls`, `quire blob ls` or `quire output ls`?
hint: did you mean `quire search`?
$ quire prune --json
{"error":"`prune` is not a command","kind":"usage","hint":"did you mean `quire gc`?"}
? 2
$ for w in merge backup log; do quire $w; done 2>&1 | grep -c 'hint: .*quire'
3
$ quire session merge a b
quire: `session merge` is not a command
hint: sessions are not merged: `quire session append` adds entries, `quire session extract` copies a branch
? 2

# a home whose name is mistyped is told
$ quire session new >/dev/null; quire --home hoem session ls
quire: there is no home at hoem
$ quire --home hoem session ls --json; quire --home hoem stats | head -1; quire -q --home hoem session ls; test ! -e hoem
{"warning":"there is no home at hoem","kind":"no_home"}
quire: there is no home at hoem
…
$ quire --home srv/quire artifact put a </dev/null
quire: cannot create the home srv/quire: there is no directory srv
hint: correct --home, or create that directory first
? 1
$ test ! -e srv; QUIRE_HOME=$PWD/srv/quire quire session new --json
{"error":"cannot create the home …/srv/quire: there is no directory …/srv","kind":"not_found","hint":"correct QUIRE_HOME, or create that directory first"}
? 1
$ quire --home new/ artifact put a </dev/null; quire --home new artifact put a </dev/null; quire --home new artifact rm a
#1 a, version 1
quire: created the home new…
#1 a, version 1
$ quire --home other session archive a; test ! -e other
quire: no session a in …
hint: …
$ QUIRE_HOME=third quire session new >/dev/null; quire mcp --home fourth </dev/null
quire: creating the home fourth
$ XDG_DATA_HOME=$PWD/a/b QUIRE_HOME= quire session new | grep -c a/b/quire
1
