# the completion scripts are well-formed
! bash zsh fish
$ for shell in bash zsh fish; do
>     quire completion $shell >script && $shell -n script || echo $shell
> done

# bash completes exactly what the table has
! bash
$ quire help --list >table
$ cat >complete.bash <<'END'
> source <(quire completion bash)
> try() {
>     COMP_WORDS=("$@")
>     COMP_CWORD=$(($# - 1))
>     _quire
>     printf '%s\n' "${COMPREPLY[@]}" | grep . | sort
> }
> try quire '' >got
> awk '!/--/ { print $1 }' table | sort -u | diff - got
> try quire blob '' >got
> awk '/^blob/ && !/--/ { print $2 }' table | sort | diff - got
> grep -v -e -- table | while read -r name; do
>     try quire $name -- >got
>     { sed -n "s/^$name --/--/p" table; grep '^--' table; } | sort |
>         diff - got || echo "$name"
> done
> echo one; try quire --home x --json blob put --layout ''
> echo two; try quire blob ls --layout = f
> echo three; try quire --kind = j
> echo four; try quire completion ''
> echo five; try quire -q blob g
> END
$ bash complete.bash
one
flat
loose
packed
two
flat
three
jp
four
bash
fish
zsh
five
get

# fish completes exactly what the table has
! fish
$ quire help --list >table; quire completion fish >quire.fish
$ cat >complete.fish <<'END'
> source quire.fish
> function try
>     complete -C "$argv" | cut -f1 | sort
> end
> try 'quire ' >got
> awk '!/--/ { print $1 }' table | sort -u | diff - got
> try 'quire blob ' >got
> awk '/^blob/ && !/--/ { print $2 }' table | sort | diff - got
> for name in (grep -v -e -- table)
>     try "quire $name --" >got
>     begin; sed -n "s/^$name --/--/p" table; grep '^--' table; end | sort -u | diff - got
>     or echo "$name"
> end
> echo one; try 'quire --home x --json blob put --layout '
> echo two; try 'quire blob ls --layout=f'
> echo three; try 'quire --kind j'
> echo four; try 'quire completion '
> END
$ fish --no-config complete.fish
one
flat
loose
packed
two
--layout=flat
three
jp
four
bash
fish
zsh

# the zsh script lists exactly what the table has
$ quire help --list >table
$ quire completion zsh | awk '
>     /^_quire_globals/ { cmd = "" }
>     /^_quire_.*\(\) \{/ {
>         cmd = $1; sub(/^_quire_/, "", cmd); sub(/\(.*/, "", cmd)
>         sub(/_/, " ", cmd)
>     }
>     /_arguments -s -S/ { print cmd }
>     /^        .--/ {
>         sub(/^        ./, ""); sub(/[=[].*/, "")
>         print cmd (cmd == "" ? "" : " ") $0
>     }' | sort >got
$ sort table | diff - got

# zsh completes commands, verbs, options and choices
! zsh
$ mkdir fpath; quire completion zsh >fpath/_quire
$ cat >complete.zsh <<'END'
> zmodload zsh/zpty
> zpty z zsh -f -i
> zpty -w z "PS1=; cd $PWD; fpath=($PWD/fpath \$fpath); autoload -U compinit; compinit -u -D; COLUMNS=200; zstyle ':completion:*' verbose no"
> zpty -w z "show() { print; print -r -- \"=\$BUFFER=\"; BUFFER= }; zle -N show; bindkey '^X' show; setopt nobeep"
> try() {
>     zpty -n -w z "$1"$'\t\x18'
>     zpty -r z got '*=quire*=*'
>     print -r -- $got | tr -d '\r' | sed -n 's/^=\(quire.*[^ ]\) *=.*/\1/p' | tail -1
> }
> try 'quire bl'
> try 'quire --json blob che'
> try 'quire blob put --veri'
> try 'quire blob ls --layout fl'
> try 'quire compl'
> try 'quire completion fi'
> END
$ timeout 60 zsh -f complete.zsh
quire blob
quire --json blob check
quire blob put --verify
quire blob ls --layout flat
quire completion
quire completion fish

# names are listed for the store that the words typed so far choose
$ S=$(quire session new --title 'the title' | cut -d'"' -f4); quire tenant add acme -q >/dev/null
$ echo x | quire artifact put notes/a.md >/dev/null; echo x | quire artifact put 'b c' >/dev/null
$ quire __complete sessions | sed "s/$S/S/"
last	the one used last in this directory
S	the title
$ quire __complete tenants; quire __complete settings | grep -c quota; quire __complete memory-types | paste -sd' '
default
acme
3
user feedback project reference learning context
$ quire __complete agents | head -2
claude-code	Claude Code
codex	Codex
$ quire __complete artifacts | sort
b c
notes/a.md
$ quire __complete artifacts -- --home elsewhere; quire __complete artifacts -- --home = elsewhere
$ QUIRE_HOME=elsewhere quire __complete artifacts -- --home=$QUIRE_HOME artifact get | wc -l; test ! -e elsewhere
2
$ quire session archive $S >/dev/null; quire __complete archived | sed "s/$S/S/"
S	the title
$ quire __complete nonsense; quire --help | grep __complete
? 1

# bash completes sessions, tenants, settings, memory types and artifacts
! bash
$ S=$(quire session new | cut -d'"' -f4); quire tenant add acme -q >/dev/null; quire tenant add umbra -q >/dev/null
$ echo x | quire artifact put 'a $(touch harm) b' >/dev/null
$ cat >complete.bash <<'END'
> source <(quire completion bash)
> try() {
>     COMP_WORDS=("$@")
>     COMP_CWORD=$(($# - 1))
>     _quire
>     printf '%s\n' "${COMPREPLY[@]}" | grep . | sort
> }
> try quire session show ${1%????}
> try quire session rm $1 l
> try quire --session = ${1%???}
> try quire --tenant a
> try quire tenant rm u
> try quire config set quota.s
> try quire memory add --type fe
> try quire artifact get a
> COMP_WORDS=(quire --home "$PWD/none" session show ''); COMP_CWORD=5; _quire; echo "${COMPREPLY[@]}"
> END
$ bash complete.bash $S | sed "s/$S/S/"; test ! -e harm
S
last
S
acme
umbra
quota.session
feedback
a\ \$\(touch\ harm\)\ b
last

# fish completes sessions, tenants, settings, memory types and artifacts
! fish
$ S=$(quire session new --title t | cut -d'"' -f4); quire tenant add acme -q >/dev/null
$ echo x | quire artifact put 'a $(touch harm) b' >/dev/null; quire completion fish >quire.fish
$ cat >complete.fish <<'END'
> source quire.fish
> function try
>     complete -C "$argv" | cut -f1 | sort
> end
> try "quire session show "(string sub -e -4 $argv[1])
> try 'quire --tenant a'
> try 'quire tenant rm a'
> try 'quire config set quota.s'
> try 'quire memory add --type fe'
> try 'quire artifact get a'
> END
$ fish --no-config complete.fish $S | sed "s/$S/S/"; test ! -e harm
S
acme
acme
quota.session
feedback
a $(touch harm) b

# zsh completes sessions, tenants, settings, memory types and artifacts
! zsh
$ S=$(quire session new --title t | cut -d'"' -f4); quire tenant add acme -q >/dev/null
$ echo x | quire artifact put 'a $(touch harm) b' >/dev/null
$ mkdir fpath; quire completion zsh >fpath/_quire
$ cat >complete.zsh <<'END'
> zmodload zsh/zpty
> zpty z zsh -f -i
> zpty -w z "PS1=; cd $PWD; fpath=($PWD/fpath \$fpath); autoload -U compinit; compinit -u -D; COLUMNS=200; zstyle ':completion:*' verbose no"
> zpty -w z "show() { print; print -r -- \"=\$BUFFER=\"; BUFFER= }; zle -N show; bindkey '^X' show; setopt nobeep"
> try() {
>     zpty -n -w z "$1"$'\t\x18'
>     zpty -r z got '*=quire*=*'
>     print -r -- $got | tr -d '\r' | sed -n 's/^=\(quire.*[^ ]\) *=.*/\1/p' | tail -1
> }
> try "quire session show ${1%????}"
> try 'quire --tenant ac'
> try 'quire tenant rm a'
> try 'quire config set quota.s'
> try 'quire memory add --type fe'
> try 'quire artifact get a'
> END
$ timeout 60 zsh -f complete.zsh $S | sed "s/$S/S/"; test ! -e harm
quire session show S
quire --tenant acme
quire tenant rm acme
quire config set quota.session
quire memory add --type feedback
quire artifact get a\ \$\(touch\ harm\)\ b
