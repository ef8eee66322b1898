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
