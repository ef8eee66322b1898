# every command has help on standard output, within 80 columns, with examples last
$ quire help --list | grep -v -e -- >names
$ while read -r name; do
>     quire $name --help 2>err >page || echo "$name: exit status $?"
>     test -s err && cat err
>     awk -v name="$name" 'length > 80 { print name ": " $0 }' page
>     sed -n 1p page | grep -q "^usage: quire $name" || echo "$name: no usage"
>     grep -q '^Exit status: ' page || echo "$name: no exit status"
>     tail -1 page | grep -q '^  .*quire' || echo "$name: no example at the end"
> done <names

# help for a noun, and for all, has the same manners
$ for page in 'blob --help' 'help blob' '--help' 'help' ''; do
>     quire $page 2>err >page || echo "$page: exit status $?"
>     test -s err && cat err
>     awk 'length > 80' page
>     tail -1 page | grep -q '^  .*quire' || echo "$page: no example at the end"
> done

# the three ways to ask for help give the same page
$ quire blob get --help >1; quire help blob get >2; quire -h blob get >3
$ cmp 1 2 && cmp 1 3
$ quire blob get -qh >4; quire blob get --help extra words >5; cmp 1 4 && cmp 1 5

# help on what is not there is a usage error
$ quire help nonsense
quire: `nonsense` is not a command
hint: run `quire help` for the list
? 2
$ quire help blob nonsense
quire: `blob nonsense` is not a command
hint: run `quire blob --help` for the list
? 2

# the page of a verb
$ quire blob ls --help
usage: quire blob ls [-l] [-n N] [--store DIR] [--layout packed|loose|flat]

List the blobs in the store.

One reference a line, by ascending digest. With `--json`: ref, sha256,
size_bytes, stored_bytes. The size of a large file in a loose store is unknown
without unpacking it: `-`, in JSON null; `blob stat` prints it.

Options:
  -l, --long                  also the size, and the bytes it takes in the store
  -n, --limit N               at most N; 0, the default, for all
  --store DIR                 use the blobs directory DIR instead of the home's
  --layout packed|loose|flat  the layout of DIR; detected unless given

Options of every command (--home, --json, --quiet, ...): see `quire --help`.
Exit status: 0 done, 1 no match or refused, 2 wrong usage, 3 failed, 4 damaged.

Examples:
  quire blob ls --long

# help is there as data
$ quire help --json blob ls
{"command":"blob ls","usage":"quire blob ls [-l] …","summary":"list the blobs in the store","options":[{"name":"long","summary":"…"},{"name":"limit","value":"N","summary":"…"},…]}
$ quire help --json | wc -l; quire help --list | grep -c -v -e --
114
114

# every example runs
$ printf notes >notes.txt; printf picture >picture.png; printf sk-live-0123456789 >key.txt
$ echo '[{"role":"user","content":"hello"}]' >talk.json
$ printf hello | quire blob put
blob:sha256:2cf24dba…
$ printf '{"type":"custom","id":"a1"}\n' >entries.jsonl
$ mkdir -p .jp/conversations/17780000011-hello; echo '[]' >.jp/conversations/17780000011-hello/events.json
$ cat >messages.jsonl <<'END'
> {"type":"message","message":{"role":"user","content":"linker error E0277"}}
> {"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"1","name":"bash","arguments":{"command":"git rebase main"}}]}}
> {"type":"message","message":{"role":"toolResult","toolCallId":"1","toolName":"bash","content":[{"type":"text","text":"permission denied"}],"isError":true}}
> END
$ quire session append $(quire session new --json | cut -d'"' -f4) <messages.jsonl | wc -l
3
$ quire help --examples >examples; grep -c '^quire\|^printf' examples
153
$ grep -v '^#' examples | while read -r line; do
>     sh -c "$line" >said 2>&1 || { echo "$line: exit status $?"; cat said; }
> done

# the help lists exactly the options of the table
$ quire help --list >table
$ grep -v -e '^--' table | grep -v -e ' --' | while read -r name; do
>     quire $name --help | sed -n 's/^  \(-., \)\{0,1\}--\([a-z-]*\).*/\2/p' |
>         sed "s/^/$name --/"
> done >from-help
$ grep -e '. --' table | diff - from-help
$ quire --help | sed -n 's/^  \(-., \)\{0,1\}--\([a-z-]*\).*/--\2/p' >from-help
$ grep -e '^--' table | diff - from-help

# the man pages list exactly the commands and options of the table
! scdoc
$ quire help --list >table; quire help --man-list
quire
quire-session
quire-blob
quire-output
quire-artifact
quire-memory
quire-history
quire-jp
quire-tenant
quire-tool
quire-config
quire-trash
quire-setup
quire-open
quire-import
quire-resume
quire-search
quire-diff
quire-read
quire-run
quire-serve
quire-mcp
quire-watch
quire-slash
quire-gc
quire-check
quire-repair
quire-reindex
quire-stats
quire-du
quire-retain
quire-purge
quire-sync
quire-doctor
quire-completion
quire-help
quire-version
$ for page in $(quire help --man-list); do
>     quire help --man $page | tee $page.scd | scdoc >$page.1 || echo $page
>     grep -q '^\.SH EXIT STATUS' $page.1 || echo "$page: no exit status"
> done
$ list() {
>     awk -v noun="$2" '/^# OPTIONS/ { cmd = ""; take = 1 }
>         /^# COMMANDS/ { take = 1 }
>         /^# [^OC]/ { take = 0 }
>         take && /^## / { cmd = noun substr($0, 4); print cmd }
>         take && /^\*.*\\-\\-/ {
>             gsub(/\\/, ""); sub(/^.*--/, "--"); sub(/\*.*/, "")
>             print cmd (cmd == "" ? "" : " ") $0
>         }' "$1"
> }
$ for page in $(quire help --man-list); do
>     word=${page#quire}; word=${word#-}
>     if [ -z "$word" ]; then list $page.scd ''
>     elif grep -q '^# COMMANDS' $page.scd; then list $page.scd "$word "
>     else echo $word; list $page.scd '' | sed "s/^/$word /"; fi
> done | sort >from-man
$ sort table | diff - from-man
$ quire help --man blob | cmp - quire-blob.scd && quire help --man | cmp - quire.scd
