# a new session has an id and a file, at once
$ quire session new >said; cat said
{"id":"…","path":"…/home/quire/sessions/--…--/20…_….jsonl"}
$ file=$(sed 's/.*"path":"//; s/"}$//' said); wc -l <"$file"
1
$ stat -c %a "$file"
600
$ quire session new --json | sed 's/"[^"]*"/""/g'
{"":"","":""}

# a new session has a project directory and a title
$ quire session new --cwd /srv/demo --title 'first steps'
{"id":"…","path":"…/sessions/--srv-demo--/…"}
$ quire session ls --json
{"id":"…","path":"…","cwd":"/srv/demo","title":"first steps",…}
$ quire session show --session $(quire session ls --ids)
first steps
session … in /srv/demo, 20…Z

nothing yet

# append reads JSON lines and says what became of each
$ S=$(quire session new | cut -d'"' -f4)
$ quire session append $S <<'END'
> {"type":"message","id":"a1","message":{"role":"user","content":"hello"}}
> {"type":"message","id":"a2","message":{"role":"assistant","content":[{"type":"text","text":"hi"}]}}
> END
{"id":"a1","parentId":null}
{"id":"a2","parentId":"a1"}
$ printf '{"type":"mode_change","mode":"plan"}' | quire session append $S
{"id":"…","parentId":"a2"}
$ quire session show $S --json | sed 's/"timestamp":"[^"]*"/"timestamp":""/; s/"id":"[0-9a-f]\{8\}"/"id":"new"/'
{"type":"message","id":"a1","parentId":null,"timestamp":"","message":{"role":"user","content":"hello"}}
{"type":"message","id":"a2","parentId":"a1","timestamp":"","message":{"role":"assistant","content":[{"type":"text","text":"hi"}]}}
{"type":"mode_change","id":"new","parentId":"a2","timestamp":"","mode":"plan"}
$ printf '\n  \r\n\n' | quire session append $S

# S may be left out where --session or the environment says it
$ S=$(quire session new | cut -d'"' -f4)
$ echo '{"type":"custom","id":"a1"}' | quire session append --session $S
{"id":"a1","parentId":null}
$ echo '{"type":"custom","id":"a2"}' | QUIRE_SESSION=$S quire session append
{"id":"a2","parentId":"a1"}
$ echo '{"type":"custom","id":"a3"}' | quire session append last
{"id":"a3","parentId":"a2"}
$ quire session show </dev/null
quire: `quire session show` needs a session
hint: name it, or give --session S; `last` is the one used last in this directory
? 2
$ quire session show nonsense
quire: …nonsense…
...
? 1

# id, parentId and timestamp are kept when given
$ S=$(quire session new | cut -d'"' -f4)
$ echo '{"type":"custom","id":"x","parentId":null,"timestamp":"2026-01-02T03:04:05.678Z"}' | quire session append $S
{"id":"x","parentId":null}
$ quire session show $S --json
{"type":"custom","id":"x","parentId":null,"timestamp":"2026-01-02T03:04:05.678Z"}
$ echo '{"type":"custom","id":"y"}' | quire session append $S
{"id":"y","parentId":"x"}
$ echo '{"type":"custom","id":"z","parentId":"x"}' | quire session append $S
{"id":"z","parentId":"x"}

# --at puts the first line below another entry, and the rest below that
$ S=$(quire session new | cut -d'"' -f4)
$ for i in 1 2 3; do echo '{"type":"custom","id":"a'$i'"}'; done | quire session append $S | wc -l
3
$ for i in 1 2; do echo '{"type":"custom","id":"b'$i'"}'; done | quire session append $S --at a1
{"id":"b1","parentId":"a1"}
{"id":"b2","parentId":"b1"}
$ echo '{"type":"custom","id":"c1"}' | quire session append $S --at root
{"id":"c1","parentId":null}
$ echo '{"type":"custom","id":"d1"}' | quire session append $S --at nowhere
quire: line 1: …nowhere…
...
? 1

# --expect appends only to the leaf one has seen
$ S=$(quire session new | cut -d'"' -f4)
$ echo '{"type":"custom","id":"a1"}' | quire session append $S --expect root
{"id":"a1","parentId":null}
$ echo '{"type":"custom","id":"a2"}' | quire session append $S --expect root
quire: line 1: …
...
? 1
$ printf '{"type":"custom","id":"a2"}\n{"type":"custom","id":"a3"}\n' | quire session append $S --expect a1
{"id":"a2","parentId":"a1"}
{"id":"a3","parentId":"a2"}
$ echo '{"type":"custom","id":"a4"}' | quire session append $S --expect a2 --json
{"error":"line 1: …","kind":"changed","hint":"…"}
? 1

# --op makes trying again harmless
$ S=$(quire session new | cut -d'"' -f4)
$ printf '{"type":"custom","customType":"a"}\n{"type":"custom","customType":"b"}\n' >two
$ quire session append $S --op turn-1 <two >1; quire session append $S --op turn-1 <two >2
$ sed 's/}$/,"existed":true}/' 1 | diff - 2
$ quire session show $S --json | wc -l
2
$ (cat two; echo '{"type":"custom","customType":"c"}') | quire session append $S --op turn-1
{"id":"…","parentId":null,"existed":true}
{"id":"…","parentId":"…","existed":true}
{"id":"…","parentId":"…"}
$ quire session append $S --op turn-2 --expect root <two
quire: line 1: …
...
? 1

# a name of an operation that was used for another entry is refused
$ S=$(quire session new | cut -d'"' -f4)
$ echo '{"type":"custom","id":"a1","data":1}' | quire session append $S --op o
{"id":"a1","parentId":null}
$ echo '{"type":"custom","data":2}' | quire session append $S --op o
quire: line 1: operation o was already used for another entry, a1
hint: …
? 1
$ echo '{"data":1, "type":"custom"}' | quire session append $S --op o
{"id":"a1","parentId":null,"existed":true}

# a type that is one letter from a known one is a mistake, and a message has a role
$ S=$(quire session new | cut -d'"' -f4)
$ echo '{"type":"mesage","id":"a1"}' | quire session append $S
quire: line 1: invalid entry: unknown type 'mesage', did you mean 'message'?
hint: the option `any` of an append takes it as it is
? 3
$ echo '{"type":"message","message":{"content":"hi"}}' | quire session append $S
quire: line 1: invalid entry: role of the message is missing
hint: …
? 3
$ echo '{"type":"mesage","id":"a1"}' | quire session append $S --any
{"id":"a1","parentId":null}
$ echo '{"type":"turn_start","id":"a2"}' | quire session append $S
{"id":"a2","parentId":"a1"}

# a retry goes on where it ended, wherever the leaf is by now
$ S=$(quire session new | cut -d'"' -f4)
$ echo '{"type":"custom","id":"a1"}' | quire session append $S --op o
{"id":"a1","parentId":null}
$ echo '{"type":"custom","id":"b1"}' | quire session append $S --at root
{"id":"b1","parentId":null}
$ printf '{"type":"custom","id":"a1"}\n{"type":"custom","id":"a2"}\n' | quire session append $S --op o
{"id":"a1","parentId":null,"existed":true}
{"id":"a2","parentId":"a1"}

# a line that is refused is named, and those before it stay
$ S=$(quire session new | cut -d'"' -f4)
$ printf '{"type":"custom","id":"a1"}\n\n{"type":\n{"type":"custom","id":"a2"}\n' | quire session append $S
{"id":"a1","parentId":null}
quire: line 3: …
...
? 3
$ for bad in '[]' '1' 'null' '{}' '{"type":1}' '{"type":"x"} {}' '{"type":"x","id":"a1"}'; do
>     echo "$bad" | quire session append $S 2>&1 | head -1 | cut -c1-13
> done
quire: line 1
quire: line 1
quire: line 1
quire: line 1
quire: line 1
quire: line 1
quire: line 1
$ echo '{' | quire session append $S --json
{"error":"line 1: …","kind":"invalid","hint":"…"}
? 3
$ quire session show $S --json | wc -l
1
$ quire session check $S

# a line is answered before the next one is waited for
! python3
$ S=$(quire session new | cut -d'"' -f4)
$ cat >talk.py <<'END'
> import subprocess, sys
> p = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
> for i in range(3):
>     p.stdin.write(b'{"type":"custom","id":"a%d"}\n' % i)
>     p.stdin.flush()
>     print(p.stdout.readline().decode().strip(), flush=True)
> p.stdin.close()
> print(p.wait())
> END
$ python3 talk.py quire session append $S --sync
{"id":"a0","parentId":null}
{"id":"a1","parentId":"a0"}
{"id":"a2","parentId":"a1"}
0

# many lines, and long ones
! python3
$ S=$(quire session new | cut -d'"' -f4)
$ seq 20000 | sed 's/.*/{"type":"custom","id":"n&"}/' | quire session append $S --sync >said; wc -l <said; tail -1 said
20000
{"id":"n20000","parentId":"n19999"}
$ python3 -c 'print("{\"type\":\"message\",\"id\":\"big\",\"message\":{\"role\":\"user\",\"content\":\"" + "x" * 400000 + "\"}}")' | quire session append $S
{"id":"big","parentId":"n20000"}
$ quire session show $S --json | tail -1 | wc -c | sed 's/40....$/many/'
many

# another writer is waited for, as long as --wait says
! python3
$ S=$(quire session new | cut -d'"' -f4)
$ cat >hold.py <<'END'
> import subprocess, sys
> p = subprocess.Popen(['quire', 'session', 'append', sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
> p.stdin.write(b'{"type":"custom"}\n')
> p.stdin.flush()
> p.stdout.readline()
> print(subprocess.run(sys.argv[2:], input=b'{"type":"custom"}\n').returncode, flush=True)
> p.stdin.close()
> p.wait()
> END
$ python3 hold.py $S quire session append $S --wait 100ms
quire: …
...
3
$ python3 hold.py $S quire session append $S --wait 0 --json
{"error":"…","kind":"busy","hint":"…"}
3
$ python3 hold.py $S quire session show $S >said; tail -1 said
0

# branch goes back, and the place outlives the command
$ S=$(quire session new | cut -d'"' -f4)
$ for i in 1 2 3; do echo '{"type":"message","id":"a'$i'","message":{"role":"user","content":"'$i'"}}'; done | quire session append $S >/dev/null
$ quire session branch $S a1
{"id":"…","parentId":"a1"}
$ quire session context $S | grep -c '"2"'
0
? 1
$ echo '{"type":"message","id":"b2","message":{"role":"user","content":"other"}}' | quire session append $S >/dev/null
$ quire session context $S | grep -o '"content":"[^"]*"'
"content":"1"
"content":"other"
$ quire session branch $S root
{"id":"…","parentId":null}
$ quire session branch $S nowhere
quire: …nowhere…
...
? 1
$ quire session branch $S
quire: `quire session branch` needs ENTRY
hint: usage: quire session branch S ENTRY
? 2

# branch with a summary says there what was left
$ S=$(quire session new | cut -d'"' -f4)
$ for i in 1 2; do echo '{"type":"custom","id":"a'$i'"}'; done | quire session append $S >/dev/null
$ quire session branch $S a1 --summary 'tried, too slow'
{"id":"…","parentId":"a1"}
$ quire session show $S --json | tail -1
{"type":"branch_summary",…"fromId":"a1","summary":"tried, too slow"…}
$ printf 'two\nlines\n' | quire session branch $S root --summary -
{"id":"…","parentId":null}
$ quire session show $S --json | tail -1
{"type":"branch_summary",…"fromId":"root","summary":"two\nlines"…}

# label marks an entry, and takes the mark away
$ S=$(quire session new | cut -d'"' -f4)
$ echo '{"type":"custom","id":"a1"}' | quire session append $S >/dev/null
$ quire session label $S a1 checkpoint; quire session tree $S --json | head -1
{"id":"a1","parentId":null,"type":"custom","depth":0,"leaf":false,"label":"checkpoint",…}
$ quire session label $S a1 --json
{"id":"…","parentId":"…"}
$ quire session tree $S --json | head -1
{"id":"a1","parentId":null,"type":"custom","depth":0,"leaf":false,"label":null,…}
$ quire session label $S nowhere x
quire: …nowhere…
...
? 1

# rename gives a title, and takes it away
$ S=$(quire session new | cut -d'"' -f4)
$ quire session rename $S 'a "better" title'; quire session ls --json | grep -o '"title":.*,"created"'
"title":"a \"better\" title","created"
$ quire session rename $S '' --json
{"id":"…","path":"…"}
$ quire session ls --json | grep -o '"title":[^,]*'
"title":null
$ quire session check $S

# a name must mean one session
$ quire session new >/dev/null; quire session new >/dev/null
$ quire session show 0
quire: …
...
? 1
$ quire session fork 0
quire: …
...
? 1

# rewrite replaces entries by id, all or none, and keeps the original
$ S=$(quire session new | cut -d'"' -f4); file=$(quire session files $S)
$ cat >entries <<'END'
> {"type":"message","id":"a1","message":{"role":"user","content":"my secret"}}
> {"type":"message","id":"a2","message":{"role":"assistant","content":[{"type":"toolCall","id":"t","name":"bash","arguments":{"command":"echo secret"}}]}}
> {"type":"custom","id":"a3","data":1}
> END
$ quire session append $S <entries >/dev/null; cp "$file" before
$ quire session show $S --json | sed 's/secret/redacted/' | quire session rewrite $S --json >said; cat said
{"entries":2,"kept":"….bak"}
$ grep -c secret "$file"; grep -c redacted "$file"; sed -n 's/.*"kept":"\([^"]*\)".*/\1/p' said | xargs cmp before
0
2
$ diff before "$file" | grep -c '^[<>]'; quire session tree $S --json | cut -d'"' -f4 | tr '\n' ' '; quire session check $S
4
a1 a2 a3 
$ quire session show $S --json | quire session rewrite $S
nothing changed
$ cp "$file" before; printf '%s\n' '{"type":"custom","id":"a3","data":2}' '{"type":"custom","id":"zz"}' | quire session rewrite $S
quire: … has no entry zz
...
? 1
$ echo '{"type":"custom","id":"a3","parentId":"a1"}' | quire session rewrite $S
quire: entry a3 would get another parent
hint: leave parentId out; `session append --at` adds an entry elsewhere
? 1
$ echo '{"type":"custom"}' | quire session rewrite $S
quire: an entry has no id
...
? 1
$ cmp before "$file"; echo '{"type":"custom","id":"a3","data":2}' | quire session rewrite $S; quire session show $S --json | tail -n 1 | cut -d, -f5
1 entry rewritten; the original is in ….bak
"data":2}
$ quire session files $S | wc -l; quire session rm $S >/dev/null; ls $(dirname "$file")
3

# a new session has a parent and a file of one's choice
$ S=$(quire session new | cut -d'"' -f4); quire session new --parent $S --file ./here.jsonl | sed 's/"id":"[^"]*"/ID/'
{ID,"path":"…/here.jsonl"}
$ grep -o '"parentSession":"[^"]*"' here.jsonl | sed "s/$S/S/"; echo '{"type":"custom","id":"a1"}' | quire session append ./here.jsonl
"parentSession":"S"
{"id":"a1","parentId":null}
$ quire session new --file ./here.jsonl
quire: …here.jsonl already exists
...
? 1
$ quire session new --file nowhere/here.jsonl
quire: …nowhere does not exist
hint: create the directory first
? 1
$ quire session new --parent nonsense
quire: …
...
? 1

# context falls back to the last entry where it is asked to
$ S=$(quire session new | cut -d'"' -f4); echo '{"type":"message","message":{"role":"user","content":"hi"}}' | quire session append $S >/dev/null
$ quire session context $S --leaf nowhere
quire: …
...
? 1
$ quire session context $S --leaf nowhere --lenient | grep -o '"content":"hi"'
"content":"hi"

# a string above 500,000 characters is kept whole
$ S=$(quire session new | cut -d'"' -f4); X=$(head -c 600000 /dev/zero | tr '\0' x)
$ printf '{"type":"message","message":{"role":"user","content":"%s"}}\n{"type":"message","message":{"role":"toolResult","toolCallId":"c","content":[{"type":"text","text":"%sy"}]}}\n' "$X" "$X" >in
$ quire session append $S --quiet <in | grep -o truncated
truncated
truncated
$ quire session show $S --json | grep -c '"quireWhole":\["blob:sha256:.*truncated large content\]"'; find "$QUIRE_HOME/sessions" -name '*.jsonl' -size +1100k | wc -l
2
0
$ quire session show $S --json --hydrate | grep -o '"content.*' >out; grep -o '"content.*' in | cmp - out
$ for to in 'context' 'export --to markdown' 'export --to codex'; do [ $(quire -q session $to $S | tr -dc x | wc -c) -ge 1200000 ] && echo whole; done
whole
whole
whole
$ quire gc --grace 0 --yes >/dev/null; quire session fork $S >/dev/null; quire session show last --json --hydrate | grep -o '"content.*' | cmp - out

# a project directory that was renamed keeps its sessions, those below it too
$ quire session new --cwd /srv/old --title one; quire session new --cwd /srv/old/part --title two; quire session new --cwd /srv/older --title three
{"id":…
{"id":…
{"id":…
$ quire session move --project /srv/old /srv/new | wc -l
2
$ for d in /srv/new /srv/new/part /srv/older /srv/old; do quire session ls --ids --cwd $d | wc -l; done
1
1
1
0
$ quire session move --project /srv/old /srv/new
quire: no session belongs to /srv/old
hint: `quire session ls` shows directories
? 1
$ quire session move --project /srv/new
quire: --project needs the new directory alone
hint: usage: quire session move S --cwd DIR, or --project OLD NEW
? 2
