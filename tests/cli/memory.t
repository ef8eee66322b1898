# a fact is remembered, listed, shown and changed
$ quire memory add --type project --title 'the build cache is on disk' --tag build --tag build
#1     20…  [project] the build cache is on disk +build +build
$ printf 'under\n~/.cache' | quire memory add --type reference --title 'where the cache is' --content - --source me --json
{"id":2,"type":"reference","title":"where the cache is","content":"under\n~/.cache","source":"me","tags":[],"artifact_id":null,"session":null,"created_at":"…Z","updated_at":"…Z","valid_from":"…Z","valid_to":null}
$ quire memory ls
#2     20…  [reference] where the cache is
#1     20…  [project] the build cache is on disk +build +build
$ quire memory ls --type project,user --json
{"id":1,"type":"project","title":"the build cache is on disk","content":"","source":"","tags":["build","build"],…"cursor":"…-1"}
$ quire memory ls --tag BUILD; quire memory ls --tag buil
#1     20…  [project] the build cache is on disk +build +build
$ quire memory show mem:2
#2     20…  [reference] where the cache is
source: me

under
~/.cache
$ quire memory edit '#2' --title 'where it is' --tag a --tag b
#2     20…  [reference] where it is +a +b
$ quire memory edit 2 --type learning --no-tags --content ''
#2     20…  [learning] where it is
$ quire memory rm 2; quire memory show 2
quire: no valid memory entry #2
hint: …
? 1
$ for t in a b c; do quire memory add --type user --title $t >/dev/null; done; quire memory rm 3 4 99
quire: no memory entry #99…
...
? 1
$ quire memory invalidate 3 4; quire memory rm 3 4 5; quire memory ls --json | wc -l
1
$ quire memory rm 2
quire: no memory entry #2
hint: `quire memory ls` lists valid entries
? 1

# what makes no sense is wrong usage
$ quire memory add --type fact --title x
quire: unknown memory type fact
hint: it is one of user, feedback, project, reference, learning, context
? 2
$ quire memory add --type user
quire: --title is missing
hint: give --type and --title
? 2
$ quire memory add --type user --title ''
quire: the title of a memory entry is empty
hint: give 1 to 200 bytes
? 2
$ quire memory add --type user --title "$(printf '%0201d' 0)"
quire: the title of a memory entry has 201 bytes, above the limit of 200
hint: …
? 2
$ head -c 65537 /dev/zero | quire memory add --type user --title x --content -
quire: the content of a memory entry has 65537 bytes, above the limit of 65536
hint: …
? 2
$ quire memory add --type user --title "$(printf 'a\377')"
quire: the title of a memory entry is not UTF-8 at byte 1
hint: …
? 2
$ quire memory show x
quire: `x` is not an id
hint: an id looks like 12, #12 or mem:12
? 2
$ quire memory ls --as-of yesterday
quire: `yesterday` is not a time
hint: a time looks like 2026-02-16T10:20:30Z
? 2
$ quire memory ls --cursor 7
quire: `7` is not a cursor
hint: …
? 2
$ quire memory add --type user --title x --supersedes 1,y
quire: `1,y` is not a list of ids
hint: give ids such as 3,#4,mem:5
? 2
$ quire memory ls

# NUL and emoji survive
$ printf 'a\0b 😀' | quire memory add --type user --title 'x 😀' --content - --json
{"id":1,"type":"user","title":"x 😀","content":"a\u0000b 😀",…}
$ quire memory show 1 --json
{"id":1,"type":"user","title":"x 😀","content":"a\u0000b 😀",…}

# what is true no longer is kept for questions about the past
$ quire memory add --type context --title 'main is frozen' >/dev/null
$ at=$(quire memory show 1 --json | sed 's/.*"valid_from":"\([^"]*\)".*/\1/'); sleep 0.01
$ quire memory add --type context --title 'main is open again' --supersedes '#1' >/dev/null
$ quire memory ls
#2     20…  [context] main is open again
$ quire memory ls --as-of $at
#1     20…  [context] main is frozen
$ quire memory show 1 --as-of $at
#1     20…  [context] main is frozen
$ quire memory search frozen --as-of $at
#1     20…  [context] main is frozen
$ quire memory search frozen
quire: no memory entry has a word of frozen
hint: ask with other words; `quire memory ls` lists what is known
? 1
$ quire memory ls --as-of 2001-01-01
$ quire memory invalidate 2; quire memory invalidate 2
quire: no valid memory entry #2
hint: …
? 1
$ quire memory ls
$ end=$(quire memory show 1 --as-of $at --json | sed 's/.*"valid_to":"\([^"]*\)".*/\1/')
$ quire memory show 1 --as-of $end
quire: no valid memory entry #1
hint: …
? 1

# relations, and the graph of them
$ for t in one two three; do quire memory add --type project --title $t >/dev/null; done
$ quire memory relate 1 supports mem:2 --json
{"id":1,"source_id":1,"relation":"supports","target_id":2}
$ quire memory relate 2 refines 3
#2 --[refines]--> #3
$ quire memory relate 1 supports 2
quire: #1 supports #2 already exists, as relation #1
hint: nothing is left to do
? 1
$ quire memory relate 1 supports 1
quire: memory entry #1 cannot be related to itself
hint: name two entries
? 2
$ quire memory relate 1 likes 2
quire: unknown relation likes
hint: it is one of relates_to, refines, contradicts, supersedes, supports
? 2
$ quire memory relate 1 supports 9
quire: no valid memory entry #9
hint: …
? 1
$ quire memory graph
#3     20…  [project] three
#2     20…  [project] two
#1     20…  [project] one
#1 --[supports]--> #2
#2 --[refines]--> #3
$ quire memory graph --around 1
#1     20…  [project] one
#2     20…  [project] two
#1 --[supports]--> #2
$ quire memory graph --around 1 --depth 2 --json | cut -c1-40
{"entry":{"id":1,"type":"project","title
{"entry":{"id":2,"type":"project","title
{"entry":{"id":3,"type":"project","title
{"relation":{"id":1,"source_id":1,"relat
{"relation":{"id":2,"source_id":2,"relat
$ quire memory unrelate 1; quire memory unrelate 1
quire: no relation #1
hint: `quire memory graph` shows the relations
? 1

# an entry links an artifact as long as there is one
$ echo x | quire artifact put a.md >/dev/null
$ quire memory add --type reference --title 'it is in a.md' --artifact '#1'
#1     20…  [reference] it is in a.md  (artifact #1)
$ quire memory show 1 --json
{"id":1,…"artifact_id":1,…"artifact":{"id":1,"path":"a.md","session":"…"…}}
$ quire artifact rm a.md; quire memory show 1 --json
{"id":1,…"artifact_id":null,…"valid_to":null}
$ quire artifact restore a.md >/dev/null; quire memory ls
#1     20…  [reference] it is in a.md  (artifact #1)
$ quire memory edit 1 --artifact none; quire memory edit 1 --artifact 7
#1     20…  [reference] it is in a.md
quire: no artifact #7
hint: …
? 1

# a session links what it may read, and sees its own entries first
$ A=$(quire session new | cut -d'"' -f4); B=$(quire session new | cut -d'"' -f4)
$ echo x | quire artifact put a --session $A >/dev/null
$ quire memory add --type user --title 'not mine' --artifact 1 --session $B
quire: no artifact #1
hint: …
? 1
$ quire memory add --type user --title 'mine' --artifact 1 --session $A --json | grep -c "\"session\":\"$A\""
1
$ quire memory add --type user --title 'for all' --artifact 1
#2     20…  [user] for all  (artifact #1)
$ quire memory add --type user --title 'now it may' --artifact 1 --session $B
#3     20…  [user] now it may  (artifact #1)
$ quire memory ls --session $A
#2     20…  [user] for all  (artifact #1)
#1     20…  [user] mine  (artifact #1)
$ quire memory ls --session nobody
quire: no session nobody in …
hint: …
? 1
$ quire session rm $A; quire memory ls
#3     20…  [user] now it may
#2     20…  [user] for all
#1     20…  [user] mine

# and by words that begin like those of the question, or like their stems
$ quire memory add --type project --title 'deployment happens on Fridays' >/dev/null
$ for q in deploy Deployments deploying deployment; do quire memory search $q | cut -c1-3; done
#1 
#1 
#1 
#1 
$ quire memory search '"deploy"'
quire: no memory entry has a word of "deploy"
hint: …
? 1

# entries are found by the words of a question
$ quire memory add --type learning --title 'parseHTTPHeader drops folded lines' --tag network >/dev/null
$ quire memory add --type reference --title 'the dashboard' --content 'https://example.org/latency and 東京都の天気' >/dev/null
$ quire memory add --type user --title 'likes folded maps' >/dev/null
$ for q in header NETWORK 東京 latency 'what is a dashboard?'; do quire memory search "$q" | cut -c1-3; done
#1 
#1 
#2 
#2 
#2 
$ quire memory search folded | cut -c1-3
#3 
#1 
$ quire memory search 'why folded' | cut -c1-3
#1 
#3 
$ quire memory search 'why folded' --no-intent -n 1 --json
{"id":3,…"score":…}
$ quire memory search ''
quire: the query has no search term
hint: use one or more words of the entry
? 2
$ quire memory search 'dashboard* NOT (title:' | cut -c1-3
#2 

# a list goes on where it ended
$ for i in 1 2 3 4 5; do quire memory add --type user --title "t$i" >/dev/null; done
$ C=$(quire memory ls -n 2 --json | tail -1 | sed 's/.*"cursor":"\([^"]*\)".*/\1/')
$ quire memory ls -n 2 --cursor $C
#3     20…  [user] t3
#2     20…  [user] t2

# other programs' homes have no memory
$ mkdir -p omp/agent/sessions; quire --home omp/agent --kind omp memory ls
quire: …omp/agent is a home of another program: it has no memory
hint: name a home of Quire's own with --home
? 2

# what cannot be meant is refused
$ quire memory add --type user --title a >/dev/null; quire memory edit 1
quire: no change was given
hint: …
? 2
$ quire memory add --type user --title b --artifact mem:1
quire: `mem:1` is a memory entry, not an artifact
hint: …
? 2
$ quire memory invalidate 1 --when 2001-02-03T04:05:06Z
quire: memory entry #1 became true after that time
hint: give a later time, or leave it out for now
? 2
$ printf '/mem add link 1 supports 99\n' | quire slash --session user | grep -c quire
0
? 1

# --limit 0 lists all
$ for i in $(seq 60); do quire memory add --type user --title "fact $i" >/dev/null; done
$ quire memory ls | wc -l; quire memory ls -n 0 | wc -l; quire memory ls -n 55 | wc -l; quire memory search fact -n 0 | wc -l
50
60
55
60
