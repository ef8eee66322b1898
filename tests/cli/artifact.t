# an artifact is put, replaced, listed and read
$ export QUIRE_SESSION=user
$ echo hello | quire artifact put notes/a.md
#1 notes/a.md, version 1
$ echo again | quire artifact put 'notes\\a.md' --json
{"id":1,"path":"notes/a.md","size":6,"size_bytes":6,"sha256":"…","version":2,"mime":"text/markdown","media_type":"text/markdown","created":false,"created_at":"20…T…Z","modified_at":"20…T…Z","conversation_used_bytes":6,"tenant_used_bytes":6}
$ quire artifact get notes/a.md
again
$ quire artifact get '#1' --version 1
hello
$ quire artifact ls
#1     20…  6 B  notes/a.md
$ quire artifact ls --json
{"id":1,"path":"notes/a.md","session":"user","size":6,"size_bytes":6,"sha256":"…","version":2,"mime":"text/markdown","media_type":"text/markdown","purpose":null,"source":null,"agent":null,"source_agent_id":null,"tags":["document","markdown"],"metadata":{},"created_at":"…Z","modified_at":"…Z","deleted_at":null,"cursor":"…"}
$ quire artifact versions notes/a.md --json
{"size":6,"size_bytes":6,"sha256":"…","version":2,"mime":"text/markdown","media_type":"text/markdown","created_at":"…Z"}
{"size":6,"size_bytes":6,"sha256":"…","version":1,"mime":"text/markdown","media_type":"text/markdown","created_at":"…Z"}

# what its content tells becomes tags and metadata, whichever way it comes in
$ printf '\357\273\277name,amount\na,1\n' >sales.csv; quire artifact put report.csv sales.csv --tag x --tag x --tag csv >/dev/null
$ quire artifact stat report.csv --json
{…"tags":["x","csv","data","report"],"metadata":{"columns":["name","amount"],"column_count":2,"rows":2},…}
$ quire artifact get report.csv | cmp - sales.csv
$ printf 'name\nb\nc\n' | quire artifact put report.csv - >/dev/null; quire artifact stat report.csv --json
{…"tags":["x","csv","data","report"],"metadata":{"columns":["name"],"column_count":1,"rows":3},…}

# what it says of itself is given with it
$ echo '{}' | quire artifact put x.json --tag one --tag two --purpose 'a try' --source shell --meta '{"k":1}'
#1 x.json, version 1
$ quire artifact stat x.json --json
{"id":1,"path":"x.json",…"mime":"application/json","media_type":"application/json","purpose":"a try","source":"shell","agent":null,"source_agent_id":null,"tags":["one","two","data","json"],"metadata":{"k":1},…}

# the agent that wrote it is source_agent_id, as in the tool
$ echo x | quire artifact put report --agent scout-7 >/dev/null; quire artifact stat report --json
{…"agent":"scout-7","source_agent_id":"scout-7",…}
$ quire artifact ls --json
{…"source_agent_id":"scout-7",…}

# a session has artifacts of its own, and nobody else's
$ export QUIRE_SESSION=user
$ S=$(quire session new | cut -d'"' -f4)
$ echo mine | quire artifact put a --session $S
#1 a, version 1
$ quire artifact get a
quire: no artifact a in session user
hint: `quire artifact ls` lists those of the session, `ls --deleted` soft-deleted ones
? 1
$ quire artifact get '#1'
quire: artifact #1 belongs to another session
hint: cite a memory entry that links it: --via mem:ID
? 1
$ QUIRE_SESSION=$S quire artifact get a
mine
$ quire artifact ls --all-sessions
#1     20…  5 B  a

# what is put away can be brought back
$ echo x | quire artifact put a
#1 a, version 1
$ quire artifact rm a; quire artifact ls
$ quire artifact ls --deleted
#1     20…  2 B  a
$ quire artifact restore a
#1     20…  2 B  a
$ quire artifact rm a --purge; quire artifact restore a
quire: no soft-deleted artifact a
hint: `quire artifact ls --deleted` lists them
? 1

# several are removed together, or none
$ for n in w x y z; do echo $n | quire artifact put $n >/dev/null; done; quire artifact rm x nothing z
quire: …nothing…
...
? 1
$ quire artifact ls | wc -l; quire artifact rm x y '#4'; quire artifact ls
4
#1     20…  2 B  w
$ quire artifact rm --purge '#2' '#3' '#4'; quire artifact ls --deleted

# paths are judged by one rule
$ printf 'a//b/\n../c\n/abs\n.env\nCON.txt\na:b\n\nfine name\n' | quire artifact path
{"ok":true,"path":"a/b"}
{"ok":false,"reason":"traversal"}
{"ok":false,"reason":"absolute"}
{"ok":false,"reason":"hidden"}
{"ok":false,"reason":"reserved_name"}
{"ok":false,"reason":"colon"}
{"ok":false,"reason":"empty"}
{"ok":true,"path":"fine name"}
$ printf 'a\0b\nc\0' | quire artifact path -0
{"ok":true,"path":"a"}
{"ok":false,"reason":"control_char"}
$ echo x | quire artifact put ../up
quire: invalid path: … (traversal)
hint: a path looks like notes/today.md
? 2

# more than 16 mebibytes are refused, and the size is told
$ head -c 16777217 /dev/zero | quire artifact put big
quire: content has 16777217 bytes, above the limit of 16777216 for an artifact
hint: keep it as a blob, or raise quota.file
? 1
$ head -c 16777217 /dev/zero | quire artifact put big --json
{"error":"…","kind":"too_large","hint":"…"}
? 1
$ quire artifact ls

# other programs' homes have no artifacts
$ mkdir -p omp/agent/sessions; echo x | quire --home omp/agent --kind omp artifact put a
quire: …omp/agent is a home of another program: it has no artifacts and no tenants
hint: name a home of Quire's own with --home
? 2

# artifacts are found by words in path, purpose, tags and text
$ export QUIRE_SESSION=user
$ echo 'int parseHTTPHeader(char *line);' | quire artifact put src/http.c --tag network >/dev/null
$ echo '東京都は日本の首都です' | quire artifact put notes/東京.md >/dev/null
$ echo 'Grüße aus C++, it'"'"'s snake_case' | quire artifact put notes/mixed.md --purpose greeting >/dev/null
$ quire artifact search header
#1     20…  src/http.c
       int parseHTTPHeader(char *line);
$ for q in parsehttpheader http.c network 首都 都 GRUßE "it's" case greeting '"snake case"' 'line header'; do
>     quire artifact search "$q" --json | sed 's/.*"path":"\([^"]*\)".*/\1/'
> done
src/http.c
src/http.c
src/http.c
notes/東京.md
notes/東京.md
notes/mixed.md
notes/mixed.md
notes/mixed.md
notes/mixed.md
notes/mixed.md
src/http.c
$ quire artifact search greet --json
{"id":3,"path":"notes/mixed.md","session":"user","score":…,"snippet":"Grüße aus C++, it's snake_case","part":true}
$ echo 'the C library, in c' | quire artifact put c.txt >/dev/null; echo 'echo $HOME is home' | quire artifact put sh.txt --tag 'C#' >/dev/null
$ for q in 'C++' '"aus C++"' 'c++,' 'C#' '$HOME' 'c' 'home'; do
>     echo "$q:" $(quire artifact search "$q" --json | sed 's/.*"path":"\([^"]*\)".*/\1/' | sort)
> done
C++: notes/mixed.md
"aus C++": notes/mixed.md
c++,: notes/mixed.md
C#: sh.txt
$HOME: sh.txt
c: c.txt notes/mixed.md sh.txt src/http.c
home: sh.txt
$ quire artifact search 'c--' --json | wc -l; quire artifact search 'C&'
4
quire: no artifact has C& in it
hint: …
? 1
$ quire artifact search nowhere
quire: no artifact has nowhere in it
hint: all words must be there; --all-sessions looks in every session
? 1
$ quire artifact search ''
quire: the query is empty
hint: give a word to search for
? 2


# AND, OR and AND NOT between words are operators
$ echo 'sales of Q4' | quire artifact put both - >/dev/null; echo 'sales of Q3' | quire artifact put one - >/dev/null
$ echo 'create table if not exists' | quire artifact put table - >/dev/null
$ quire artifact search 'sales AND Q4' --json | cut -d, -f2
"path":"both"
$ quire artifact search 'Q4 OR Q3' --json | cut -d, -f2 | sort
"path":"both"
"path":"one"
$ quire artifact search 'sales AND NOT Q4' --json | cut -d, -f2
"path":"one"
$ quire artifact search '(Q4 OR Q3) -Q4' --json | cut -d, -f2
"path":"one"
$ quire artifact search '"IF NOT EXISTS"' --json | cut -d, -f2
"path":"table"

# what is put away, replaced or deleted is not found
$ echo 'the first word' | quire artifact put a >/dev/null
$ echo 'another text' | quire artifact put a >/dev/null
$ quire artifact search first
quire: …
...
? 1
$ quire artifact search another | head -1
#1     20…  a
$ quire artifact rm a; quire artifact search another
quire: …
...
? 1
$ quire artifact restore a >/dev/null; quire artifact search another | head -1
#1     20…  a
$ S=$(quire session new | cut -d'"' -f4)
$ echo 'of a session' | quire artifact put b --session $S >/dev/null
$ quire artifact search session --all-sessions | head -1
#2     20…  b
$ quire session rm $S; quire artifact search session --all-sessions
quire: …
...
? 1

# an artifact of another session is read by citing what links it
$ S=$(quire session new --cwd /p --json | sed 's/.*"id":"\([^"]*\)".*/\1/'); echo findings | quire artifact put report.md --session $S
#1 report.md, version 1
$ quire memory add --type reference --title 'The report' --artifact 1
#1 …
$ quire memory add --type reference --title 'Something else'
#2 …
$ quire artifact get '#1' --via mem:1
findings
$ quire artifact get '#1' --via mem:2
quire: memory entry #2 does not link artifact #1
hint: `quire memory show 2` says what it links
? 1
$ quire artifact get '#1' --via mem:3
quire: no memory entry #3
hint: `quire memory ls` lists those that are valid
? 1
$ quire artifact get '#9' --via mem:1
quire: no artifact #9 in session user
hint: …
? 1
$ quire artifact get '#1' --via report
quire: `report` is not an id
hint: …
? 2
$ quire artifact get '#1' --session $S --via mem:77
findings
$ quire artifact get '#1' --read all; quire artifact stat '#1' --read all --json
findings
{"id":1,…,"created_at":"20…T…Z","modified_at":"20…T…Z","deleted_at":null,"reads":3,"read_at":"20…T…Z"}
$ quire artifact get '#1' --read some
quire: --read must be session or all, not `some`
? 2
$ quire artifact rm '#1' --session $S; quire memory show 1 --json
{"id":1,…,"artifact_id":null,…}
$ quire artifact get '#1' --via mem:1
quire: no artifact #1 in session user
hint: …
? 1

# pages of a list, none twice
$ for i in 1 2 3 4 5; do echo $i | quire artifact put p$i >/dev/null; done
$ quire artifact ls --json --limit 2 | grep -o '"path":"[^"]*"'
"path":"p5"
"path":"p4"
$ C=$(quire artifact ls --json --limit 2 | tail -1 | sed 's/.*"cursor":"\([^"]*\)".*/\1/'); quire artifact ls --json --limit 2 --cursor $C | grep -o '"path":"[^"]*"'
"path":"p3"
"path":"p2"
$ quire artifact ls --cursor 12
quire: `12` is not a cursor
hint: …
? 2

# by time
$ echo 3 | quire artifact put p3
#1 p3, version 1
$ quire artifact search 3 --since 2020-01-01T00:00:00Z | grep -c p3; quire artifact search 3 --until 2020-01-01T00:00:00Z
1
quire: no artifact has 3 in it
hint: …
? 1
$ quire artifact search 3 --since yesterday
quire: `yesterday` is not a time
hint: a time looks like 2026-02-16T10:20:30Z
? 2

# the counters are right
$ quire artifact recount; quire artifact recount --json
all counters are right
{"wrong":0}
$ echo x | quire artifact put a; sqlite3 "$QUIRE_HOME/quire.db" 'UPDATE tenant SET used = 7, n = 99'; quire artifact recount
#1 a, version 1
1 counter was wrong and is corrected
? 4
$ quire artifact recount
all counters are right

# words of a session that was removed are found no more, also by a new index
$ S=$(quire session new --cwd /p --json | sed 's/.*"id":"\([^"]*\)".*/\1/'); echo zebra | quire artifact put a --session $S; echo zebra too | quire artifact put b
#1 a, version 1
#2 b, version 1
$ quire memory add --type learning --title 'Zebras are striped'
#1 …
$ quire session rm $S; quire artifact search zebra -a --json | grep -o '"id":[0-9]*'
"id":2
$ quire reindex; quire artifact search zebra -a --json | grep -o '"id":[0-9]*'; quire memory search zebras --json | grep -o '"id":[0-9]*'
"id":2
"id":1

# a tag is a whole tag, whatever is in it
$ echo red | quire artifact put a --tag one --tag two; quire artifact search red --tag one | grep -c a
#1 a, version 1
1
$ quire artifact search red --tag ,
quire: no artifact has red in it
hint: …
? 1

# a fresh home answers as one that has something
$ export QUIRE_SESSION=user
$ quire artifact search ''
quire: the query is empty
hint: …
? 2
$ quire artifact ls --session nosuch
quire: no session nosuch in …
hint: …
? 1
$ echo x | quire artifact put a; quire artifact get '#99999999999999999999999'
#1 a, version 1
quire: no artifact #99999999999999999999999 in session user
hint: …
? 1

# what was damaged is not found by its old words
$ quire config set blob.layout loose; printf 'alphaword %s\n' one | quire artifact put a.txt
#1 a.txt, version 1
$ find "$QUIRE_HOME/blobs" -type f -exec truncate -s 5 {} +; echo gamma | quire artifact put a.txt
#1 a.txt, version 2
$ quire artifact search gamma | grep -c a.txt; quire artifact search alphaword
1
quire: no artifact has alphaword in it
hint: …
? 1

# a copy of a session's file that is removed takes nothing of the session along
$ quire session new >new; file=$(quire session files last); export QUIRE_SESSION=$file
$ echo keep | quire artifact put a.txt >put
$ copy=${file%/*}/2020-01-01T00-00-00-000Z_copy.jsonl; cp $file $copy
$ quire session rm $copy; quire artifact get a.txt
keep
$ quire session rm $file; quire artifact ls --all-sessions

# a file is no directory
$ echo x | quire artifact put f.txt
#1 f.txt, version 1
$ echo x | quire artifact put f.txt/under
quire: f.txt/under cannot be stored below a file
hint: use another path, or delete the other artifact first
? 1

# --media-type and --mime are one option, -n is --limit, and 0 is all
$ for i in 1 2 3; do echo text $i | quire artifact put a$i --media-type text/x-$i; done >/dev/null
$ echo text 4 | quire artifact put a4 --mime text/y-4 >/dev/null
$ quire artifact stat a2 --json | grep -o '"m[^,]*type":[^,]*\|"mime":[^,]*'
"mime":"text/x-2"
"media_type":"text/x-2"
$ quire artifact search text --media-type text/x --json | wc -l; quire artifact search text --mime text/y --json | wc -l
3
1
$ quire artifact ls -n 2 | wc -l; quire artifact ls -n 0 | wc -l; quire artifact search text -n 1 | grep -c '^#'
2
4
1

# on a terminal a list has column names
! script
$ echo x | quire artifact put a >/dev/null; quire artifact ls | wc -l
1
$ NO_COLOR=1 script -qec 'quire artifact ls' /dev/null | tr -d '\r'
id     modified                size  path
#1     20…-…-… …:…         2 B  a
$ script -qec 'quire artifact ls --json' /dev/null | wc -l
1

# without --session the last session of the directory is meant, and a write creates one
$ quire artifact ls; echo one | quire artifact put a.txt; quire session ls --ids | wc -l
#1 a.txt, version 1
1
$ mkdir below; cd below; quire artifact get a.txt
quire: no artifact a.txt in session user
hint: …
? 1
$ quire run -c 'echo two >b.txt'; quire session ls --ids --all | wc -l; quire artifact get b.txt
2
two
$ cd ..; quire artifact get a.txt; quire artifact put c.txt </dev/null >/dev/null; quire session ls --ids --all | wc -l
one
2
$ A=$(quire session files last | sed 's/.*_//; s/.jsonl//'); B=$(quire session new | cut -d'"' -f4); echo '{"type":"custom"}' | quire session append last >/dev/null
$ quire session files last | grep -c $B; echo x | quire artifact put d.txt --session $A >/dev/null; quire session files last | grep -c $A
1
1
$ echo '{"action":"list"}' | quire tool workspace | grep -o '"filename":"[^"]*"' | sort
"filename":"a.txt"
"filename":"c.txt"
"filename":"d.txt"
