# what is added is listed, the newest first
$ quire history ls; quire history ls --json
$ test ! -e $QUIRE_HOME
$ quire history add 'why does the build fail?'; quire history add 'fix it'
$ quire history ls
…  fix it
…  why does the build fail?
$ printf '  from a pipe  \r\n\r\n  second line\t\n\n' | quire history add - --cwd /srv/x --json
{"id":3}
$ quire history ls --json --cwd /srv/x
{"id":3,"prompt":"from a pipe\n\n  second line","created_at":…,"cwd":"/srv/x"…}
$ quire history ls -n 1 | cut -c19-
from a pipe…
$ stat -c %a $QUIRE_HOME/history.db; ls -A $QUIRE_HOME
600
history.db

# a prompt is there once, and the newest when it was typed again
$ quire history add one --json; quire history add two --json; sleep 1.1; quire history add ' one ' --json
{"id":1}
{"id":2}
{"id":1}
$ quire history ls | cut -c19-
one
two

# blanks alone are not kept
$ quire history add '  '; quire history add --json ''; printf '\n \n' | quire history add - --quiet
the prompt is blank and was not stored
{"id":null}
$ quire history ls

# search finds words, beginnings and parts; nothing found is the answer no
$ quire history add 'git commit -m "Fix it"'; quire history add '100% Größe, main.rs'
$ quire history search mit | cut -c19-
git commit -m "Fix it"
$ quire history search 'FIX git' --json | grep -o '"prompt":"git commit'
"prompt":"git commit
$ for q in gro größe main.rs rs.main % 0% '100% gr' '"' '-m'; do quire history search -- "$q" | wc -l; done | paste -sd' '
1 1 1 1 1 1 1 1 2
$ quire history search absent; quire history search absent --json
? 1
$ quire history search '"*' ; quire history search "'; drop table history"
? 1

# a command is found by its own text; AND, OR, NOT and quotes are syntax
$ for p in 'rm -rf /tmp/x' 'kind:message is a filter' 'ls *.c'; do quire history add "$p"; done
$ for q in 'rm -rf' 'rm -rf /tmp/x' /tmp/ kind:message '*.c' 'ls OR rm' '"rm -rf"'; do quire history search -- "$q" | wc -l; done | paste -sd' '
1 1 1 1 1 2 1

# an empty query is wrong usage, also where there is no history
$ quire history search ''
quire: the query is empty
hint: give a word to search for
? 2
$ quire history search ' ' --json
{"error":"the query is empty","kind":"invalid","hint":"…"}
? 2
$ quire history search
quire: …
hint: …
? 2
$ quire history add
quire: …
hint: …
? 2

# a search without a history finds nothing, and makes nothing
$ quire history search x
? 1
$ test ! -e $QUIRE_HOME

# by directory
$ mkdir a b; (cd a && quire history add 'in a'); (cd b && quire history add 'in b')
$ quire history ls --cwd a | cut -c19-; quire history search in --cwd ./b/../b | cut -c19-
in a
in b
$ quire history search in --cwd /nowhere
? 1

# limits: as many as asked for, a hundred unless asked, a thousand at most, all for 0
! sqlite3
$ seq 1100 | while read n; do echo "INSERT INTO history(prompt,created_at) VALUES('p$n',$n);"; done >rows.sql
$ quire history add first; { echo 'BEGIN;'; cat rows.sql; echo 'COMMIT;'; } | sqlite3 $QUIRE_HOME/history.db
$ for n in 0 1 7 1000 5000; do quire history ls --limit $n | wc -l; done | paste -sd' '
1101 1 7 1000 1000
$ quire history ls | wc -l; quire history search p | wc -l; quire history search p -n 3 | cut -c19- | paste -sd' '
100
100
p1100 p1099 p1098

# rows of other programs may have anything in them
! sqlite3
$ quire history add first
$ sqlite3 $QUIRE_HOME/history.db "INSERT INTO history(prompt, created_at, cwd) VALUES('', -5, ''), (x'00ff41', 99999999999999999, x'ff'), (42, 'text', 7)"
$ quire history ls --json | sort
{"id":1,"prompt":"first",…}
{"id":2,"prompt":"","created_at":"1969-12-31T23:59:55.000Z","cwd":"","session":null}
{"id":3,"prompt":"\u0000�A","created_at":null,"cwd":"�","session":null}
{"id":4,"prompt":"42","created_at":null,"cwd":"7","session":null}
$ quire history ls | wc -l; quire history search 4 | wc -l
4
1

# several at once
$ for i in 1 2 3 4 5 6 7 8; do (for j in 1 2 3 4 5; do quire history add "by $i, $j" || echo failed; quire history add same || echo failed; done) & done; wait
$ quire history ls | wc -l; quire history search by | wc -l
41
40

# prompts are removed by id, by words, by directory, or all of them
$ for p in one two three secret-1 secret-2; do quire history add $p --cwd /srv/$p; done
$ quire history rm 2 '#3'; quire history ls | cut -c19-
secret-2
secret-1
one
$ quire history rm --match secret --dry-run | cut -c19-; quire history ls | wc -l
secret-2
secret-1
3
$ quire history rm --match secret --json
{"id":5,"prompt":"secret-2",…}
{"id":4,"prompt":"secret-1",…}
$ quire history search secret; quire history rm --match secret
? 1
$ quire history add four --cwd /srv/one; quire history add five; quire history rm --cwd /srv/one; quire history ls | cut -c19-
five
$ quire history rm --all; quire history ls; quire history rm --all

# a prompt that does not exist removes nothing, and none named is wrong usage
$ quire history add one; quire history rm 1 9
quire: no prompt 9 in the history
hint: `quire history ls --json` lists the ids
? 1
$ quire history rm 9 --dry-run --json
{"error":"no prompt 9 in the history","kind":"not_found","hint":"…"}
? 1
$ quire history ls | cut -c19-
one
$ quire history rm
quire: no prompt is named
hint: give ids, as `quire history ls --json` prints them, or --match QUERY, --cwd DIR or --all
? 2
$ quire history rm x
quire: `x` is not the id of a prompt
hint: `quire history ls --json` prints the ids
? 2
$ quire history rm 1 --all
quire: ids and --match, --cwd or --all exclude each other
hint: leave out one of them
? 2

# the session it was typed in
$ S=$(quire session new | cut -d'"' -f4)
$ quire history add hello --session ${S%????}; quire history ls --json | grep -c "\"session\":\"$S\""
1
$ QUIRE_SESSION=nothing quire history add hello
quire: no session …
hint: …
? 1

# what is no history is left as it is
$ mkdir -p $QUIRE_HOME; head -c 3000 /dev/zero | tr '\0' j >$QUIRE_HOME/history.db; cksum <$QUIRE_HOME/history.db >before
$ quire history ls
quire: …history.db is damaged: file is not a database
hint: move it away, and a new one will be created
? 4
$ quire history add x; quire history search x
quire: …history.db is damaged: file is not a database
hint: move it away, and a new one will be created
quire: …history.db is damaged: file is not a database
hint: move it away, and a new one will be created
? 4
$ cksum <$QUIRE_HOME/history.db | cmp - before
$ mv $QUIRE_HOME/history.db old; quire history add x; quire history ls | wc -l
1

# escape sequences do not reach the screen
$ printf 'a\033[31mred\033[0m\007b' | quire history add -; quire history ls | cut -c19-
aredb
$ quire history ls --json | grep -c '\\u001b'
1

# a full output is told
$ quire history add x; quire history ls >/dev/full
quire: cannot write to standard output: No space left on device
hint: …
? 3
