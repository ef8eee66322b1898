# content goes out and comes back
$ c=.jp/conversations/17780000011-hello; mkdir -p $c; printf '{\n  "title": "Hello"\n}\n' >$c/metadata.json
$ cat >$c/events.json <<'END'
> [
>   {
>     "timestamp": "2026-11-16 10:00:00.0",
>     "type": "turn_start"
>   },
>   {
>     "timestamp": "2026-11-16 10:00:01.5",
>     "type": "chat_request",
>     "content": "what is there?"
>   },
>   {
>     "timestamp": "2026-11-16 10:00:02.0",
>     "type": "tool_call_request",
>     "id": "call_1",
>     "name": "ls",
>     "arguments": {
>       "dir": "L3RtcA=="
>     }
>   },
>   {
>     "timestamp": "2026-11-16 10:00:03.0",
>     "type": "tool_call_response",
>     "id": "call_1",
>     "content": "b25lCnR3bwo=",
>     "is_error": false
>   },
>   {
>     "timestamp": "2026-11-16 10:00:04.0",
>     "type": "chat_response",
>     "message": "two things"
>   }
> ]
> END
$ cp $c/events.json plain.json
$ quire jp externalize $c
moved 1 payload (8 B) out of 1 conversation, 1 new blob
$ diff plain.json $c/events.json
24c24,27
<     "content": "b25lCnR3bwo=",
---
>     "content": {
>       "$blob": "c3f9c8c283a2b1f2f1896f27a01cbe3cddc0c9d93f752e4639035a0f5b36f6e8",
>       "size": 8
>     },
? 1
$ quire jp externalize --json $c
{"payloads":0,"blobs":0,"bytes":0,"size_bytes":0,"conversations":1,"problems":0}
$ zcat .jp/blobs/*/*/*.blob.gz
one
two
$ quire jp hydrate $c -o - | cmp - plain.json
$ quire jp hydrate $c -o copy.json; cmp copy.json plain.json
$ quire jp hydrate --json $c; cmp $c/events.json plain.json
{"payloads":1,"bytes":8,"size_bytes":8,"conversations":1,"problems":0}
$ quire jp externalize --json .jp
{"payloads":1,"blobs":0,"bytes":8,"size_bytes":8,"conversations":1,"problems":0}
$ quire jp ls
jp-c17780000011   active         5  2026-11-16 10:00  Hello
$ (cd $c && quire jp ls --json)
{"id":"jp-c17780000011","title":"Hello","state":"active","events":5,"modified_at":"2026-11-16T10:00:04.000Z","path":"…/.jp/conversations/17780000011-hello"}
$ quire jp print $c
turn 1

user  2026-11-16 10:00
  what is there?

call ls  2026-11-16 10:00
  {
    "dir": "/tmp"
  }

result ls  2026-11-16 10:00
  one
  two

assistant  2026-11-16 10:00
  two things
$ quire jp print $c --style brief
turn 1

user  2026-11-16 10:00
  what is there?

call ls  2026-11-16 10:00

result ls  (8 B)  2026-11-16 10:00

assistant  2026-11-16 10:00
  two things
$ quire jp print $c --style user --json
{"turn":1,"kind":"user","label":"","created_at":"2026-11-16T10:00:01.500Z","size_bytes":14,"missing":false,"encoding":"utf-8","text":"what is there?"}
$ quire jp print $c --turns 2-
$ quire jp files $c
.jp/conversations/17780000011-hello/events.json
.jp/conversations/17780000011-hello/metadata.json
.jp/blobs/c3/f9/c8c283a2b1f2f1896f27a01cbe3cddc0c9d93f752e4639035a0f5b36f6e8.blob.gz
$ (cd $c && quire jp files .) | sed "s|$PWD|HERE|"
events.json
metadata.json
HERE/.jp/blobs/c3/f9/c8c283a2b1f2f1896f27a01cbe3cddc0c9d93f752e4639035a0f5b36f6e8.blob.gz
$ quire jp files -0 .jp | tr '\0' '!'; echo
.jp/conversations/17780000011-hello/events.json!.jp/conversations/17780000011-hello/metadata.json!.jp/blobs/c3/f9/c8c283a2b1f2f1896f27a01cbe3cddc0c9d93f752e4639035a0f5b36f6e8.blob.gz!

# a blob that is missing is told, and the rest is done
$ mkdir -p .jp/conversations/1; echo '[{"type":"tool_call_response","id":"1","content":"b2s="},{"type":"tool_call_response","id":"1","content":"bm8K"}]' >.jp/conversations/1/events.json
$ quire jp externalize .jp/conversations/1/events.json
moved 2 payloads (5 B) out of 1 conversation, 2 new blobs
$ cp .jp/conversations/1/events.json was; rm .jp/blobs/26/89/*
$ quire jp files .jp/conversations/1
.jp/conversations/1/events.json
quire: .jp/blobs/26/89/367b205c16ce32ed4200942b8b8b1e262dfc70d9bc9fbc77c49699a4f1df.blob.gz is referenced and missing
hint: copy it from the machine the conversation is from
.jp/blobs/…
? 4
$ quire jp hydrate .jp/conversations/1
quire: …/events.json: line 1, byte 50: blob 2689367b205c is not in the store
quire: …/events.json cannot be hydrated: 1 of its blobs is missing or damaged
hint: fetch them from where it came from, or name their directory with --store; nothing was changed
? 4
$ quire jp hydrate .jp/conversations/1 -o out 2>said; echo $?; test -e out; echo $?; cmp was .jp/conversations/1/events.json
4
1
$ quire jp print .jp/conversations/1
quire: …/events.json: line 1, byte 50: blob 2689367b205c is not in the store
result
  (blob 2689367b205c is not in the store)

result
  no
? 4

# what strangers said cannot steer the terminal, nor pass for a heading
$ mkdir -p .jp/conversations/1; printf '[{"type":"chat_request","content":"a\\u001b[31mb\\u0007c\\rassistant\\u2028user\\n\\nend"}]' >.jp/conversations/1/events.json
$ quire jp print .jp/conversations/1
turn 1

user
  abc
  assistant
  user

  end

# one that cannot be read is told with its place, and the others have their turn
$ mkdir -p .jp/conversations/1 .jp/conversations/2 .jp/conversations/.archive/3-old
$ printf '[\n{"type" 1}]' >.jp/conversations/1/events.json; cp .jp/conversations/1/events.json was
$ echo '[{"type":"tool_call_response","content":"b2s="}]' >.jp/conversations/2/events.json
$ echo '[{"message":"hi","reply":"ho"}]' >.jp/conversations/.archive/3-old/messages.json
$ quire jp externalize .jp
quire: …/conversations/1/events.json is not JSON: line 2, byte 9: …
hint: mend it there; it was left as it is
quire: …/3-old is of before December 2025: its messages.json has pairs, not events
hint: open it once with JP, which brings it up to date
moved 1 payload (2 B) out of 1 conversation, 1 new blob
? 4
$ cmp was .jp/conversations/1/events.json
$ quire jp ls .jp
jp-c1             active         0  -                 (…/conversations/1/events.json is not JSON: line 2, byte 9: …)
jp-c2             active         1  -                 
jp-c3             archived       0  -                 
$ quire jp print .jp/conversations/.archive/3-old
turn 1

user
  hi

assistant
  ho
$ quire jp files .jp/conversations/.archive/3-old
.jp/conversations/.archive/3-old/messages.json

# what is odd is left alone and told
$ mkdir -p .jp/conversations/1; echo '[{"type":"tool_call_response","content":{"text":"a","blob":"YQ=="}}]' >.jp/conversations/1/events.json
$ quire jp externalize --json .jp/conversations/1
{"error":"…/events.json: line 1, byte 41: it has more than one of $blob, text and blob","kind":"damaged"…}
{"payloads":0,"blobs":0,"bytes":0,"size_bytes":0,"conversations":1,"problems":1}
? 4

# links, other places, and none at all
$ mkdir -p ws/.jp/conversations/1 lone; echo '[]' >real.json; ln -s ../../../../real.json ws/.jp/conversations/1/events.json
$ quire jp externalize ws/.jp/conversations/1
quire: …/events.json is a symbolic link
hint: name the conversation that it leads to
? 1
$ echo '[{"type":"tool_call_response","content":"b2s="}]' >lone/events.json
$ quire jp externalize lone
quire: cannot tell where the blobs of lone are: it is not in a directory called conversations
hint: name their directory with --store
? 1
$ quire jp externalize lone --store b; find b -type f
moved 1 payload (2 B) out of 1 conversation, 1 new blob
b/26/89/367b205c16ce32ed4200942b8b8b1e262dfc70d9bc9fbc77c49699a4f1df.blob.gz
$ quire jp hydrate lone --store b -o -
[{"type":"tool_call_response","content":"b2s="}]
$ quire jp externalize nowhere
quire: cannot open nowhere: No such file or directory
? 1
$ quire jp ls /
quire: no conversation in /
hint: name the directory of one, its events.json, or a `.jp` that holds some
? 1
$ quire jp print lone --turns x --store b
quire: --turns needs a range of turns, not `x`
hint: write it as 3, 2-4, 2- or -2
? 2

# `conversation` is an alias of `jp`, in every verb
$ mkdir -p .jp/conversations/1; echo '[]' >.jp/conversations/1/events.json
$ for v in externalize hydrate print files ls; do quire jp $v .jp/conversations/1 >a 2>&1; echo $?; quire conversation $v .jp/conversations/1 >b 2>&1; echo $?; cmp a b; done | paste -sd' '
0 0 0 0 0 0 0 0 0 0
$ quire conversation ls --help | head -1; quire help conversation | grep alias
usage: quire jp ls [DIR]
`quire conversation` is an alias of `quire jp`.
$ quire conversation nothing
quire: `jp nothing` is not a command
hint: run `quire jp --help` for the list
? 2
$ quire completion bash | grep 'noun=jp'; quire completion zsh | grep 'conversation)'; quire completion fish | grep -A1 'case conversation'
    [[ $noun == conversation ]] && noun=jp
        jp|conversation) _quire_jp ;;
            case conversation
                echo jp
