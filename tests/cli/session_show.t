# a transcript shows who said what
$ S=$(quire session new --cwd /srv/demo --title 'a title' | cut -d'"' -f4)
$ quire session append $S >/dev/null <<'END'
> {"type":"model_change","id":"m1","model":"openai/gpt-4o"}
> {"type":"thinking_level_change","id":"m2","thinkingLevel":"high"}
> {"type":"message","id":"a1","message":{"role":"user","content":"read it\nplease"}}
> {"type":"message","id":"a2","message":{"role":"assistant","provider":"anthropic","model":"claude","content":[{"type":"thinking","thinking":"one\ntwo\nthree\nfour"},{"type":"text","text":"Reading."},{"type":"toolCall","id":"t1","name":"read","arguments":{"path":"a.c"}}]}}
> {"type":"message","id":"a3","message":{"role":"toolResult","toolCallId":"t1","toolName":"read","content":[{"type":"text","text":"1\n2\n3\n4\n5\n6\n7\n8\n9\n10"}]}}
> {"type":"message","id":"a4","message":{"role":"toolResult","toolName":"bash","isError":true,"content":[{"type":"text","text":"no"}]}}
> {"type":"compaction","id":"a5","summary":"long","shortSummary":"short","firstKeptEntryId":"a4","tokensBefore":42}
> {"type":"custom_message","id":"a6","customType":"ext","content":"injected","display":true}
> {"type":"something_new","id":"a7"}
> END
$ quire session label $S a1 start; quire session show $S
a title
session … in /srv/demo, 20…Z

- model openai/gpt-4o  m1
- thinking high  m2

user  a1  [start]
  read it
  please

assistant  a2  anthropic/claude
  one
  two
  three
  … 1 more line
  Reading.
  → read {"path":"a.c"}

result  a3  read
  1
  2
  3
  4
  5
  6
  7
  8
  … 2 more lines

result  a4  bash, failed
  no

compaction  a5  of 42 tokens
  short

custom  a6  ext
  injected

- an entry of type something_new  a7
- label start on a1  …
$ quire session show $S --full | sed -n '/^assistant/,/^comp/p' | grep -c '^  '
17
$ quire session show $S --full | grep -A 1 ^compaction
compaction  a5  of 42 tokens
  long

# other roles have a form of their own
$ S=$(quire session new | cut -d'"' -f4)
$ quire session append $S >/dev/null <<'END'
> {"type":"message","id":"a1","message":{"role":"bashExecution","command":"ls -l","output":"total 0\n","exitCode":2}}
> {"type":"message","id":"a2","message":{"role":"fileMention","files":[{"path":"a.c","content":"x"},{"path":"b.c"}]}}
> {"type":"message","id":"a3","message":{"role":"assistant","content":[],"stopReason":"error","errorMessage":"overloaded"}}
> {"type":"message","id":"a4","message":{"role":"custom","customType":"hook","content":"text"}}
> {"type":"message","id":"a5","message":{"role":"user","content":[{"type":"video"},{"type":"redactedThinking","data":"x"},7]}}
> END
$ quire session show $S | sed 1,2d
bashExecution  a1
  ls -l
  total 0
  exit status 2

fileMention  a2
  a.c
  b.c

assistant  a3  error
  overloaded

custom  a4  hook
  text

user  a5
  [video]
  [redactedThinking]
  7

# what could steer a terminal does not reach it
$ S=$(quire session new --title "$(printf 'ti\033[31mtle')" | cut -d'"' -f4)
$ quire session append $S >/dev/null <<'END'
> {"type":"message","id":"a1","message":{"role":"user\u001b[1m","content":"a\u001b[31mred\u001b[0m\u001b]0;title\u0007 b\u0000\u0008\u007f\u009b31m\r\nc\td \u202eback\u202c \ud800 end\u001b"}}
> {"type":"message","id":"a2","message":{"role":"assistant","content":[{"type":"toolCall","name":"x\u001by","arguments":{"a":"\u009b"}}]}}
> {"type":"cust\u001bom","id":"a3"}
> END
$ quire session label $S a1 "$(printf 'la\033[2Jbel')"
$ { quire session show $S; quire session show $S --all --full; quire session tree $S; quire session ls; } >said
$ LC_ALL=C tr -d '\n\t -~' <said | sed 's/[…→●○←│├─�]//g' | wc -c
0
$ grep -A 3 ^user said | head -3
user  a1  [label]
  ared b31m
  c	d back � end
$ head -1 said
title

# --json gives every entry, in the order of the file, on one line
$ S=$(quire session new | cut -d'"' -f4); file=$(quire session files $S)
$ printf '{"type":"custom",\n "id":"a1", "x":1e-07,\n"parentId":null}\n{"id":"a2","parentId":"a1","type":"custom","s":"\\/"}\n' >>"$file"
$ quire session show $S --json
{"type":"custom",…"id":"a1", "x":1e-07,…"parentId":null}
{"id":"a2","parentId":"a1","type":"custom","s":"\/"}

# --all shows every entry and marks the current path
$ S=$(quire session new | cut -d'"' -f4)
$ for i in 1 2 3; do echo '{"type":"message","id":"a'$i'","message":{"role":"user","content":"'$i'"}}'; done | quire session append $S >/dev/null
$ echo '{"type":"message","id":"b1","message":{"role":"user","content":"b"}}' | quire session append $S --at a1 >/dev/null
$ quire session show $S | sed 1,2d
user  a1
  1
  (2 branches go on from here)

user  b1
  b
$ quire session show $S --all | sed 1,2d
● user  a1
  1
  (2 branches go on from here)

○ user  a2
  2

○ user  a3
  3

(from a1)

● user  b1  ← leaf
  b
$ LC_ALL=C quire session show $S --all | tail -2
* user  b1  <- leaf
  b
$ quire session branch $S root >/dev/null; quire session show $S | tail -1
at the beginning; --all shows 5 entries

# images are named
! python3
$ S=$(quire session new | cut -d'"' -f4)
$ python3 -c 'import base64, json
> data = base64.b64encode(bytes(3000)).decode()
> print(json.dumps({"type": "message", "id": "a1", "message": {"role": "user", "content": [
>     {"type": "image", "data": data, "mimeType": "image/png"},
>     {"type": "image", "data": data[:40], "mimeType": "image/gif"}]}}))' >entry
$ quire session append $S <entry
{"id":"a1","parentId":null}
$ quire session show $S | tail -2
  [image image/png, 2.9 KiB, blob:sha256:…]
  [image image/gif, 30 B]
$ quire session files $S --refs
blob:sha256:…
$ quire session files $S --refs --json
{"ref":"blob:sha256:…"}
$ quire session show $S --json | grep -o '"data": "[^"]\{16\}'
"data": "blob:sha256:…
"data": "AAAAAAAAAAAAAAAA
$ quire session show $S --json --hydrate | grep -o '"data": "[^"]*"' | wc -c
4062
$ quire session show $S --hydrate
quire: --hydrate needs --json
hint: give --json as well
? 2
$ quire session context $S | grep -c blob:
0
? 1
$ rm -r "$QUIRE_HOME"/quire.db*; quire session context $S >said
quire: warning: the image blob:sha256:… is not in the store: it stays a reference
$ quire session context $S --json 2>&1 >/dev/null
{"warning":"…","kind":"missing_blob"}
$ quire -q session context $S | cmp - said; quire session show $S | grep png
  [image image/png, blob:sha256:…, not in the store]

# tree has a line an entry, parents first
$ S=$(quire session new | cut -d'"' -f4)
$ for i in 1 2 3; do printf '{"type":"message","id":"a%d","message":{"role":"user","content":"say\\n %d"}}\n' $i $i; done | quire session append $S >/dev/null
$ echo '{"type":"message","id":"b1","message":{"role":"assistant","content":[{"type":"text","text":"b"}]}}' | quire session append $S --at a1 >/dev/null
$ quire session tree $S --json
{"id":"a1","parentId":null,"type":"message","depth":0,"leaf":false,"label":null,"children":2,"on_path":true,"orphan":false}
{"id":"a2","parentId":"a1","type":"message","depth":1,"leaf":false,"label":null,…}
{"id":"a3","parentId":"a2","type":"message","depth":2,"leaf":false,"label":null,…}
{"id":"b1","parentId":"a1","type":"message","depth":1,"leaf":true,"label":null,…}
$ quire session tree $S
a1  user        say 1
├─ a2  user        say 2
│  a3  user        say 3
b1  assistant   b  ← leaf
$ LC_ALL=C quire session tree $S
a1  user        say 1
|- a2  user        say 2
|  a3  user        say 3
b1  assistant   b  <- leaf
$ echo '{"type":"model_change","id":"c1","model":"x/y"}' | quire session append $S --at root >/dev/null
$ quire session label $S a2 here; quire session tree $S | tail -5
│  a3  user        say 3
b1  assistant   b

c1  model_cha…  model x/y
…  label       label here on a2  ← leaf
$ quire session tree $S | grep 'a2  user'
├─ a2  user        say 2  [here]

# tree lines fit the screen
! script python3
$ S=$(quire session new | cut -d'"' -f4)
$ python3 -c 'import json
> for i, text in enumerate(["word " * 100, "漢字" * 100, "x"]):
>     print(json.dumps({"type": "message", "message": {"role": "user", "content": text}}))' | quire session append $S >/dev/null
$ script -qec "stty cols 60; quire --color never session tree $S" /dev/null | tr -d '\r' | python3 -c '
> import sys, unicodedata
> for line in sys.stdin:
>     print(sum(2 if unicodedata.east_asian_width(c) == "W" else 1 for c in line.rstrip("\n")))'
60
…
…
$ quire session tree $S | head -1 | wc -m
81

# an empty session has an empty tree
$ S=$(quire session new | cut -d'"' -f4); quire session tree $S; quire session tree $S --json

# context is one object
$ S=$(quire session new | cut -d'"' -f4); quire session context $S
{"messages":[],"thinkingLevel":"off","models":{},"injectedTtsrRules":[],"mode":"none"…}
$ quire session append $S >/dev/null <<'END'
> {"type":"message","id":"a1","message":{"role":"user","content":"hello"}}
> {"type":"thinking_level_change","id":"a2","thinkingLevel":"high"}
> {"type":"model_change","id":"a3","model":"openai/gpt-4o"}
> {"type":"mode_change","id":"a4","mode":"plan","data":{"f":1}}
> END
$ quire session context $S
{"messages":[{"role":"user","content":"hello"}],"thinkingLevel":"high","models":{"default":"openai/gpt-4o"},"injectedTtsrRules":[],"mode":"plan","modeData":{"f":1}}
$ quire session context $S --leaf a1
{"messages":[{"role":"user","content":"hello"}],"thinkingLevel":"off","models":{},"injectedTtsrRules":[],"mode":"none"…}
$ quire session context $S --leaf null
{"messages":[],"thinkingLevel":"off","models":{},"injectedTtsrRules":[],"mode":"none"…}
$ quire session context $S --leaf nowhere
quire: …nowhere…
...
? 1

# export writes a session that stands by itself
! python3
$ S=$(quire session new --cwd /srv/demo --title T | cut -d'"' -f4)
$ python3 -c 'import base64, json
> data = base64.b64encode(bytes(3000)).decode()
> print(json.dumps({"type": "message", "id": "a1", "message": {"role": "user", "content": [
>     {"type": "image", "data": data, "mimeType": "image/png"}]}}))' | quire session append $S >/dev/null
$ for i in 1 2; do echo '{"type":"custom","id":"b'$i'"}'; done | quire session append $S --at a1 >/dev/null
$ echo '{"type":"custom","id":"c1"}' | quire session append $S --at a1 >/dev/null
$ quire session export $S | head -1
{"type":"session","version":3,"id":"…","timestamp":"…","cwd":"/srv/demo","title":"T"}
$ quire session export $S | sed 1d >1; quire session show $S --json | cmp - 1
$ quire session export $S --hydrate -o whole.jsonl; grep -c blob: whole.jsonl
0
? 1
$ quire session export $S --path | grep -o '"id": \{0,1\}"[abc][0-9]"' | tr -d ' '
"id":"a1"
"id":"c1"
$ quire -q --home other session check ./whole.jsonl && quire -q --home other session show ./whole.jsonl --json | cut -c1-20 | wc -l
4
$ quire session export $S -o missing/x
quire: cannot write missing/x: No such file or directory
hint: create its directory first
? 3
$ quire session export nonsense -o x; ls x
quire: …
...
ls: …
? 2

# on a terminal heads are bold, and long sessions are paged
! script
$ S=$(quire session new --cwd /x | cut -d'"' -f4)
$ echo '{"type":"message","id":"a1","message":{"role":"user","content":"hello"}}' | quire session append $S >/dev/null
$ script -qec "quire session show $S" /dev/null | cat -v | tail -3
^M
^[[1muser^[[0m^[[2m  a1^[[0m^M
  hello^M
$ seq 20 | sed 's/.*/{"type":"message","message":{"role":"user","content":"&"}}/' | quire session append $S >/dev/null
$ PAGER='sed s/^/paged:/' script -qec "stty rows 10; quire session show $S" /dev/null | grep -c '^paged:  '
21
$ echo '{"type":"custom","id":"a2","x":"'$(printf '\302\233\177')'"}' | quire session append $S >/dev/null
$ script -qec "quire --no-pager session show $S --json" /dev/null | tail -1 | grep -o '"x":"[^"]*"'
"x":"\u009b\u007f"
$ quire session show $S --json | tail -1 | grep -o '"x":"[^"]*"' | cat -v
"x":"M-BM-^[^?"

# escapes in a timestamp and in the id that a compaction keeps from are read
$ cat >s.jsonl <<'END'
> {"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.678Z","cwd":"/x"}
> {"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"lost"}}
> {"type":"message","id":"\ud800","parentId":"a","timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"kept"}}
> {"type":"compaction","id":"c","parentId":"\ud800","timestamp":"2026-01-02T03:04:07\u002e000Z","summary":"S","firstKeptEntryId":"\ud800","tokensBefore":3}
> END
$ quire session context ./s.jsonl
{"messages":[{"role":"compactionSummary","summary":"S","tokensBefore":3,"timestamp":1767323047000},{…"content":"kept"…}],…}
