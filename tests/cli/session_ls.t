# ls tells all there is to know of a session
$ quire session ls; quire session ls --json; quire session recent
$ S=$(quire session new --cwd /srv/demo --title 'a title' | cut -d'"' -f4)
$ quire session append $S >/dev/null <<'END'
> {"type":"message","id":"a1","message":{"role":"user","content":"the first words"}}
> {"type":"message","id":"a2","message":{"role":"assistant","content":[{"type":"text","text":"hi"}],"stopReason":"stop"}}
> END
$ quire session ls --json
{"id":"…","path":"…/--srv-demo--/….jsonl","cwd":"/srv/demo","title":"a title","created":"20…Z","modified":"20…-…-…T…:…:….…Z","messages":2,"bytes":…,"parent":null,"first":"the first words","status":"complete","archived":false,"pinned":false,"held":false,"created_at":"20…Z","modified_at":"20…-…-…T…:…:….…Z","size_bytes":…,"backend":"file"}
$ test "$(quire session ls --json | cut -d'"' -f4)" = $S && quire session ls --ids | grep -c "^$S\$"
1
$ quire session ls
id                modified           msgs        size  title                 directory
…  20…-…-… …:…      2  … B  a title               /srv/demo

# ls --totals adds numbers, tokens and cost
$ quire session ls --totals; quire session ls --totals --json
$ S=$(quire session new --cwd /srv/demo --title 'a title' | cut -d'"' -f4)
$ quire session append $S >/dev/null <<'END'
> {"type":"message","id":"a1","message":{"role":"user","content":"the first words"}}
> {"type":"message","id":"a2","message":{"role":"assistant","content":[],"usage":{"input":100,"output":20,"cacheRead":5,"cacheWrite":1,"totalTokens":126,"cost":{"total":0.0015}},"stopReason":"stop"}}
> {"type":"message","id":"a3","message":{"role":"assistant","content":[],"usage":{"input":7,"cost":{"input":1.5e-9}},"stopReason":"stop"}}
> END
$ quire session ls --totals --json
{"id":"…",…,"messages":3,…,"archived":false,…,"number":1,"state":"active","tokens":{"input":107,"output":20,"cache_read":5,"cache_write":1,"total":133},"cost":0.001500002,"cost_source":"reported"}
$ quire session ls --totals
id                modified           msgs        size  number        tokens        cost  title                 directory
…  20…-…-… …:…      3  …      1           133  0.001500002  a title               /srv/demo
$ quire session ls --json | grep -c number
0
? 1
$ sleep 0.02; quire session new --title second >/dev/null; quire session archive $S >/dev/null
$ quire session ls --totals --json | grep -o '"number".*'
"number":2,"state":"active","tokens":{"input":0,"output":0,"cache_read":0,"cache_write":0,"total":0},"cost":0,"cost_source":"unknown"}
$ quire session ls --totals --archived --json | grep -o '"number":[^,]*,"state":[^,]*'
"number":1,"state":"archived"
$ quire session ls --totals --ids | wc -l; quire session ls --totals -n 0 | wc -l; quire session ls --totals --cwd /nowhere
1
2
$ quire session rm $S >/dev/null; quire session ls --archived --totals
$ quire session new --title third >/dev/null; quire session ls --totals --json | grep -c '"number":3'
1

# a session says where it is stored
$ quire session new >/dev/null; quire session ls --json
{"id":"…","path":"…",…,"backend":"file"}

# ls shows the last changed first, some of them, or those of one directory
$ for d in /srv/a /srv/b /srv/c; do quire session new --cwd $d --title $d >/dev/null; sleep 0.02; done
$ quire session new >/dev/null
$ quire session ls --json | grep -o '"title":[^,]*'
"title":null
"title":"/srv/c"
"title":"/srv/b"
"title":"/srv/a"
$ quire session ls -n 2 --json | wc -l; quire session ls --limit 0 --json | wc -l
2
4
$ quire session ls --cwd /srv/b --json | grep -o '"cwd":[^,]*'
"cwd":"/srv/b"
$ quire session ls --cwd /srv/nowhere
$ quire session ls --all --ids | wc -l; quire session ls --cwd . --ids | wc -l
4
1
$ quire session ls --all --cwd .
quire: --cwd and --all exclude each other
hint: leave one of them out
? 2
$ quire session recent --json | wc -l; mkdir below; cd below; quire session recent; cd ..
1
$ for i in 1 2 3 4 5 6 7 8 9 10 11; do quire session new; done >/dev/null
$ quire session recent --ids | wc -l; quire session recent -n 3 --ids | wc -l
10
3

# the ids in the table are as long as it takes to tell them apart
$ for i in 1 2 3 4 5 6; do quire session new; done >/dev/null
$ quire session ls | sed 1d | cut -d' ' -f1 >short; sort -u short | wc -l
6
$ while read -r id; do quire session files $id | wc -l; done <short | uniq -c | sed 's/^ *//'
6 1

# files lists the session and its outputs
$ S=$(quire session new | cut -d'"' -f4); file=$(quire session files $S)
$ mkdir "${file%.jsonl}"; echo out >"${file%.jsonl}/0.bash.log"
$ quire session files $S
…/sessions/….jsonl
…/sessions/…/0.bash.log
$ quire session files $S -0 | tr '\0' '\n' | wc -l; quire session files $S --json
2
{"path":"…jsonl"}
{"path":"…/0.bash.log"}
$ quire session files ./nowhere.jsonl
quire: …
...
? 1

# fork copies entries and outputs, and the source is left alone
$ S=$(quire session new --title T | cut -d'"' -f4); file=$(quire session files $S)
$ for i in 1 2; do echo '{"type":"custom","id":"a'$i'"}'; done | quire session append $S >/dev/null
$ mkdir "${file%.jsonl}"; echo out >"${file%.jsonl}/0.bash.log"; cp "$file" before
$ quire session fork $S >said; cat said
{"id":"…","path":"…/sessions/…"}
$ F=$(cut -d'"' -f4 said); test $F != $S && cmp before "$file"
$ quire session show $F --json >1; quire session show $S --json | cmp - 1; quire session files $F | wc -l
2
$ quire session ls --json | grep "^{\"id\":\"$F\"" | grep -o '"parent":"[^"]*"' | sed "s/$S/S/"
"parent":"S"
$ quire session fork $S --cwd /srv/elsewhere
{"id":"…","path":"…/--srv-elsewhere--/…"}
$ quire session fork nonsense
quire: …
...
? 1

# a fork from another home takes the blobs along, and goes into no other without them
$ python3 -c '
> import json, base64, os
> data = base64.b64encode(bytes(range(256)) * 9).decode()
> print(json.dumps({"type": "message", "message": {"role": "user", "content": [
>     {"type": "image", "data": data, "mimeType": "image/png"}]}}))' >entry
$ A=$PWD/A B=$PWD/B; S=$(quire -q --home $A session new | cut -d'"' -f4)
$ quire --home $A session append $S <entry >/dev/null; file=$(quire --home $A session files $S)
$ mkdir "${file%.jsonl}"; echo out >"${file%.jsonl}/0.bash.log"
$ F=$(quire -q --home $B session fork "$file" | cut -d'"' -f4); quire --home $B session files $F | wc -l
2
$ mv A gone; quire --home $B session check $F; quire --home $B session show $F --json --hydrate | grep -c AAECAwQF
1
$ mv gone A; quire --home $A session archive $S >/dev/null; file=$(quire --home $A session files $S | head -n 1)
$ rm -rf B; F=$(quire -q --home $B session fork "$file" | cut -d'"' -f4); quire --home $B session check $F
$ rm -rf B; E=$(quire --home $A session show $S --json | cut -d'"' -f8); F=$(quire -q --home $B session extract "$file" $E | cut -d'"' -f4)
$ quire --home $B session files $F | wc -l; mv A gone; quire --home $B session check $F; quire --home $B session show $F --json --hydrate | grep -c AAECAwQF; mv gone A
2
1
$ quire --home $A session check $S; quire --home $B session move "$file" --cwd /srv/b
quire: … does not lie in …/B
hint: `quire session fork` brings a copy of it here
? 1
$ cp "$file" alone.jsonl; rm -rf B; quire -q --home $B session fork ./alone.jsonl
quire: alone.jsonl refers to 1 image that this home does not have, and lies in no home
hint: copy the file of the session into sessions/ of the home that has its blobs, and fork it from there
? 1
$ quire --home $B session ls --ids
$ quire --home $A session fork ./alone.jsonl
{"id":"…","path":"…"}

# extract takes the path to one entry
$ S=$(quire session new | cut -d'"' -f4)
$ for i in 1 2 3; do echo '{"type":"custom","id":"a'$i'"}'; done | quire session append $S >/dev/null
$ echo '{"type":"custom","id":"b1"}' | quire session append $S --at a1 >/dev/null
$ quire session extract $S a2 >said; cat said
{"id":"…","path":"…"}
$ quire session tree $(cut -d'"' -f4 said) --json | cut -d'"' -f4
a1
a2
$ quire session extract $S nowhere
quire: …nowhere…
...
? 1
$ quire session ls --ids | wc -l
2

# move takes a session and its outputs to another directory
$ S=$(quire session new --cwd /srv/a | cut -d'"' -f4); file=$(quire session files $S)
$ echo '{"type":"custom","id":"a1"}' | quire session append $S >/dev/null
$ mkdir "${file%.jsonl}"; echo out >"${file%.jsonl}/0.bash.log"
$ quire session move $S --cwd /srv/b
{"id":"…","path":"…/--srv-b--/…"}
$ test ! -e "$file" && quire session files $S | grep -c srv-b; quire session ls --json | grep -o '"cwd":[^,]*'
2
"cwd":"/srv/b"
$ quire session show $S --json
{"type":"custom","id":"a1",…}
$ quire session move $S
quire: --cwd is missing
hint: usage: quire session move S --cwd DIR, or --project OLD NEW
? 2

# archive puts a session away, unarchive brings it back
$ S=$(quire session new --title T | cut -d'"' -f4)
$ echo '{"type":"custom","id":"a1"}' | quire session append $S >/dev/null
$ file=$(quire session files $S); quire session archive $S
…
$ test -e "$file"; quire session ls
? 0
$ quire session ls --archived --json
{"id":"…","path":"…","cwd":"…","title":"T",…,"archived":true,…}
$ quire session show $S --json
{"type":"custom","id":"a1",…}
$ quire session unarchive $(quire session ls --archived --ids) --json
{"path":"…"}
$ quire session ls --ids | wc -l; quire session ls --archived; test -e "$file"
1
$ T=$(quire session new | cut -d'"' -f4); U=$(quire session new | cut -d'"' -f4)
$ quire session archive $T nonsense $U
quire: …nonsense…
...
? 1
$ quire session archive $T $U $T last
…
…
$ quire session ls --ids | wc -l; quire session ls --archived --ids | wc -l
1
2
$ quire session unarchive $(quire session ls --archived --ids) | wc -l; quire session ls --ids | wc -l
2
3
$ quire session archive nonsense
quire: …
...
? 1

# rm deletes sessions and their outputs, for good
$ S=$(quire session new | cut -d'"' -f4); T=$(quire session new | cut -d'"' -f4)
$ file=$(quire session files $S); mkdir "${file%.jsonl}"; echo out >"${file%.jsonl}/0.bash.log"
$ quire session rm --dry-run $S
…jsonl
…/0.bash.log
$ quire session rm --dry-run $T --json
{"path":"…jsonl","bytes":…}
$ quire session ls --ids | wc -l
2
$ quire session rm $S nonsense $T
quire: …nonsense…
...
? 1
$ quire session ls --ids | wc -l
2
$ quire session rm $S $T
$ quire session ls; ls -d "${file%.jsonl}"*
ls: …
? 2
$ quire session rm
quire: `quire session rm` needs S
hint: usage: quire session rm S...
? 2

# rm --dry-run lists exactly what rm deletes
$ S=$(quire session new | cut -d'"' -f4); echo x | quire artifact put a - --session $S >/dev/null
$ echo y | quire artifact put old - --session $S >/dev/null; quire artifact rm old --session $S >/dev/null
$ quire run --session $S -c 'mkdir -p d; echo 12 >d/b; echo 1 >$SESSION_SCRATCHPAD_DIR/s'
$ file=$(quire session files $S); mkdir "${file%.jsonl}"; echo out >"${file%.jsonl}/0.bash.log"
$ find $QUIRE_HOME -path "*$S*" -type f | sort >before; quire session rm --dry-run $S | sort >listed
$ grep -v ^artifact listed | cmp - before && grep ^artifact listed
artifact #… a
artifact #… old
artifact #… d/b
$ quire session rm --dry-run $S --json >dry; quire session rm --json $S >wet; cmp dry wet && grep row dry
{"row":"artifact #… d/b","bytes":3}
{"row":"artifact #… a","bytes":2}
{"row":"artifact #… old","bytes":2}
$ quire check
1 session, …: 0 problems
$ quire session restore $S >/dev/null; find $QUIRE_HOME -path "*$S*" -type f | sort | cmp - before
$ quire session rm --now --json $S | cmp - dry; find $QUIRE_HOME -path "*$S*"; quire check
0 sessions, …: 0 problems

# a session file anywhere can be named by its path
$ printf '{"type":"session","version":3,"id":"far","timestamp":"2026-01-02T03:04:05.678Z","cwd":"/x"}\n{"type":"custom","id":"a1","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z"}\n' >far.jsonl
$ quire session show ./far.jsonl --json
{"type":"custom","id":"a1",…}
$ echo '{"type":"custom","id":"a2"}' | quire session append far.jsonl
{"id":"a2","parentId":"a1"}
$ wc -l <far.jsonl; quire session ls
3

# a new session is never modified before it was created
$ for i in 1 2 3 4 5 6 7 8 9 10; do quire session new; done >/dev/null; quire session ls --json >list
$ python3 -c '
> import json
> print(all(r["modified_at"] >= r["created_at"] for r in map(json.loads, open("list"))))'
True

# an append to an archived session says so
$ S=$(quire session new | cut -d'"' -f4); quire session archive $S >/dev/null
$ echo '{"type":"custom","id":"a1"}' | quire session append $S
quire: warning: session … is archived: `quire session unarchive` brings it back to the lists
{"id":"a1","parentId":null}
$ quire session show $S --json | cut -c1-25
{"type":"custom","id":"a1

# an answer without dollars gets them from a table of prices
$ S=$(quire session new --title priced | cut -d'"' -f4)
$ say() { echo "{\"type\":\"message\",\"message\":{\"role\":\"assistant\",\"model\":\"$1\",\"content\":[],\"usage\":$2}}" | quire session append $S >/dev/null; }
$ costs() { quire session ls --totals --json | grep -o '"cost".*'; }
$ say claude-sonnet-4-5-20250929 '{"input":1000,"output":100,"cacheRead":10000,"cacheWrite":0}'; costs
"cost":0.0075,"cost_source":"computed"}
$ say anthropic/claude-sonnet-4-5 '{"input":0,"output":1000,"cost":{"total":0.5}}'; costs
"cost":0.5075,"cost_source":"computed"}
$ quire session ls --totals | grep -o '~[0-9.]*'
~0.5075
$ say our-own '{"input":1000,"output":100}'; costs
"cost":0.5075,"cost_source":"partial"}
$ echo '{"prices":[{"model":"our-","input":1000,"output":0},{"model":"claude-sonnet-4-5","input":0,"output":0}]}' >prices
$ QUIRE_PRICES_FILE=$PWD/prices; export QUIRE_PRICES_FILE; costs
"cost":1.5,"cost_source":"computed"}
$ echo '{"prices":[{"model":"our-","input":1}]}' >prices; quire session ls --totals
quire: …/prices: price 1 of the table has no input or no output
hint: the guide has an example under "Costs"
? 3
$ rm prices; quire session ls --totals
quire: cannot read the table of prices …/prices: No such file or directory
hint: `quire config set prices.file` returns to the built-in one
? 3
$ unset QUIRE_PRICES_FILE; quire config set prices.file prices
quire: invalid value prices for prices.file: expected an absolute path
hint: the default is none
? 2
