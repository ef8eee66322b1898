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
24c24,32
<     "content": "b25lCnR3bwo=",
---
>     "content": [
>       {
>         "type": "text",
>         "content": {
>           "$blob": "c3f9c8c283a2b1f2f1896f27a01cbe3cddc0c9d93f752e4639035a0f5b36f6e8",
>           "size": 8
>         }
>       }
>     ],
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
quire: …/events.json: line 1, byte 76: blob 2689367b205c16ce32ed4200942b8b8b1e262dfc70d9bc9fbc77c49699a4f1df is not in the store
quire: …/events.json cannot be hydrated: 1 of its blobs is missing or damaged
hint: fetch them from where it came from, or name their directory with --store; nothing was changed
? 4
$ quire jp hydrate .jp/conversations/1 -o out 2>said; echo $?; test -e out; echo $?; cmp was .jp/conversations/1/events.json
4
1
$ quire jp print .jp/conversations/1
quire: …/events.json: line 1, byte 76: blob 2689367b205c16ce32ed4200942b8b8b1e262dfc70d9bc9fbc77c49699a4f1df is not in the store
result
  (blob 2689367b205c16ce32ed4200942b8b8b1e262dfc70d9bc9fbc77c49699a4f1df is not in the store)

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
quire: …/3-old is from before December 2025: its messages.json has pairs, not events
hint: open it once with JP, which migrates it
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

# content that is null is told
$ mkdir -p .jp/conversations/1; echo '[{"type":"tool_call_response","content":null}]' >.jp/conversations/1/events.json
$ quire jp externalize .jp/conversations/1
quire: …/events.json: line 1, byte 41: its content is null
moved 0 payloads (0 B) out of 1 conversation, 0 new blobs
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

# a damaged blob is written again before its text is dropped
$ for n in 21 22; do mkdir -p d/.jp/conversations/177800000$n-x; printf '[{"timestamp":"2026-11-16 10:00:03.0","type":"tool_call_response","id":"c","content":"text that exists once","is_error":false}]' >d/.jp/conversations/177800000$n-x/events.json; done
$ quire jp externalize d/.jp/conversations/17780000021-x
moved 1 payload (21 B) out of 1 conversation, 1 new blob
$ b=$(echo d/.jp/blobs/*/*/*.gz); printf '\377' | dd of=$b bs=1 seek=20 conv=notrunc status=none
$ zcat $b >/dev/null 2>&1 || echo damaged
damaged
$ quire jp externalize d/.jp/conversations/17780000022-x
moved 1 payload (21 B) out of 1 conversation, 1 new blob
$ zcat $b; echo
text that exists once

# short text cannot be found in the store
$ mkdir -p g/.jp/conversations/17780000041-x; printf '[{"timestamp":"2026-11-16 10:00:03.0","type":"tool_call_response","id":"c","content":"check succeeded","is_error":false}]' >g/.jp/conversations/17780000041-x/events.json
$ quire jp externalize g/.jp/conversations/17780000041-x
moved 1 payload (15 B) out of 1 conversation, 1 new blob
$ grep -rc "check succeeded" g/.jp/blobs | grep -c ":0"
1
$ cat g/.jp/blobs/*/*/*.gz | wc -c
35

# a file that unpacks to more than its reference says is not unpacked to its end
$ mkdir -p e/.jp/conversations/17780000031-x; printf '[{"timestamp":"2026-11-16 10:00:03.0","type":"tool_call_response","id":"c","content":"check succeeded","is_error":false}]' >e/.jp/conversations/17780000031-x/events.json
$ quire jp externalize e/.jp/conversations/17780000031-x
moved 1 payload (15 B) out of 1 conversation, 1 new blob
$ b=$(echo e/.jp/blobs/*/*/*.gz); head -c 5000000 /dev/urandom | gzip -1 >$b
$ quire jp hydrate e/.jp/conversations/17780000031-x 2>&1 | grep -o 'more than the 15 bytes'
more than the 15 bytes

# a wrong size is told, and what the digest proves comes back
$ mkdir -p s/.jp/conversations/1; printf '[{"type":"tool_call_response","content":"b2s="}]' >s/.jp/conversations/1/events.json
$ quire jp externalize s/.jp/conversations/1; sed -i 's/"size":2/"size":3/' s/.jp/conversations/1/events.json
moved 1 payload (2 B) out of 1 conversation, 1 new blob
$ quire jp hydrate s/.jp/conversations/1
quire: …/events.json: line 1, byte 67: blob 2689367b205c16ce32ed4200942b8b8b1e262dfc70d9bc9fbc77c49699a4f1df has 2 bytes, not the 3 that are written here
brought 1 payload (2 B) back into 1 conversation
? 4
$ cat s/.jp/conversations/1/events.json
[{"type":"tool_call_response","content":"b2s="}]

# an id, or the beginning of one, does where a path does
$ mkdir -p i/.jp/conversations/17780000011-one i/.jp/conversations/.archive/17780000025-two i/src/deep; cd i
$ echo '[{"type":"chat_request","content":"first"}]' >.jp/conversations/17780000011-one/events.json
$ echo '[{"type":"chat_request","content":"second"}]' >.jp/conversations/.archive/17780000025-two/events.json
$ cd src/deep; quire jp print jp-c17780000011 | tail -1; quire jp print 1778000001 | tail -1; quire jp print 17780000025-two | tail -1
  first
  first
  second
$ quire jp files 17780000025
…/.jp/conversations/.archive/17780000025-two/events.json
$ quire jp externalize jp-c17780000025
moved 0 payloads (0 B) out of 1 conversation, 0 new blobs
$ quire jp print jp-c1778
quire: `jp-c1778` is the beginning of several conversations: jp-c17780000011, jp-c17780000025
hint: give more digits
? 1
$ quire jp print jp-c9
quire: no conversation `jp-c9` in …/i/.jp
hint: `quire jp ls` lists them
? 1
$ cd /; quire jp print jp-c9
quire: no conversation `jp-c9`: no directory from here upwards has a .jp
hint: name the path of a conversation, or change to its workspace
? 1

# the private location of a workspace is found by its id, or by its link
$ mkdir -p p/.jp/conversations/17780000011-both data/jp/workspace/proj-ab1cd/conversations; export XDG_DATA_HOME=$PWD/data
$ echo '[]' >p/.jp/conversations/17780000011-both/events.json; printf 'DO NOT EDIT\nab1cd\n' >p/.jp/.id
$ for n in 17780000011-both 17780000033-alone; do mkdir data/jp/workspace/proj-ab1cd/conversations/$n; echo '[{"type":"chat_request","content":"private"}]' >data/jp/workspace/proj-ab1cd/conversations/$n/events.json; done
$ mkdir -p data/jp/workspace/other-ab1cx/conversations/17780000044; echo '[]' >data/jp/workspace/other-ab1cx/conversations/17780000044/events.json
$ cd p; quire jp ls
jp-c17780000011   active         0  -                 
jp-c17780000033   active         1  -                 
$ quire jp print 17780000033 | tail -1
  private
$ quire jp print 17780000044
quire: no conversation `17780000044` in …/p/.jp
hint: `quire jp ls` lists them
? 1
$ rm .jp/.id; quire jp ls | wc -l; ln -s $PWD/.jp ../data/jp/workspace/proj-ab1cd/storage; quire jp ls | wc -l
1
2

# a conversation is created, appended to, shown and copied
$ mkdir -p n/.jp/sub; cd n; id=$(quire jp new --title 'Hello, World!'); echo $id | sed 's/[0-9]\{11\}$/N/'
jp-cN
$ ls .jp/conversations | sed 's/^[0-9]*/N/'; ls -A .jp/conversations/*; cat .jp/conversations/*/base_config.json .jp/conversations/*/events.json
N-hello--world
base_config.json
events.json
metadata.json
{}
[]
$ sed 's/[0-9]/9/g' .jp/conversations/*/metadata.json
{
  "title": "Hello, World!",
  "last_activated_at": "9999-99-99 99:99:99.999"
}
$ printf '{"type":"turn_start","timestamp":"2026-11-16 10:00:00.0"}\n\n{"timestamp":"2026-11-16 10:00:01.0","type":"tool_call_response","id":"c","content":"b2s=","is_error":false}\n' | quire jp append $id
appended 2 events
$ cat .jp/conversations/*/events.json
[
  {
    "type": "turn_start",
    "timestamp": "2026-11-16 10:00:00.0"
  },
  {
    "timestamp": "2026-11-16 10:00:01.0",
    "type": "tool_call_response",
    "id": "c",
    "content": "b2s=",
    "is_error": false
  }
]
$ quire jp externalize $id
moved 1 payload (2 B) out of 1 conversation, 1 new blob
$ echo '{"type":"chat_request","content":"now"}' | quire jp append --json $id
{"events":1}
$ quire jp print $id --style user | tail -1; tail -6 .jp/conversations/*/events.json | sed 's/[0-9]/9/g'
  now
  {
    "timestamp": "9999-99-99 99:99:99.999",
    "type": "chat_request",
    "content": "now"
  }
]
$ quire jp show $id | sed 's/[0-9]\{11\}/N/; s/202.-..-.. ..:../T/'
id        jp-cN
title     Hello, World!
state     active
created   T
modified  T
events    3
files     3
blobs     1
path      …/n/.jp/conversations/N-hello--world
$ quire jp show --files $id | sed 's/[0-9]\{11\}/N/'
.jp/conversations/N-hello--world/base_config.json
.jp/conversations/N-hello--world/events.json
.jp/conversations/N-hello--world/metadata.json
.jp/blobs/26/89/367b205c16ce32ed4200942b8b8b1e262dfc70d9bc9fbc77c49699a4f1df.blob.gz
$ fork=$(cd .jp/sub && quire jp fork $id); test $fork != $id; quire jp ls | wc -l; quire jp print $id >a; quire jp print $fork | cmp - a
2
$ quire jp fork $id --title 'Another' --json | sed 's/[0-9]\{11\}/N/g'
{"id":"jp-cN","path":"…/n/.jp/conversations/N-another"}

# events that are none are refused, all of them
$ mkdir -p m/.jp; cd m; id=$(quire jp new); cp .jp/conversations/*/events.json was
$ printf '{"type":"turn_start"}\n{"content":"x"}\n' | quire jp append $id
quire: line 2: the event has no type
hint: write an event a line, as JP does; nothing was appended
? 1
$ echo '{"type":"turn_start","timestamp":"soon"}' | quire jp append $id
quire: line 1: its timestamp is not a time
hint: write an event a line, as JP does; nothing was appended
? 1
$ echo '{"type"' | quire jp append $id 2>&1 | head -1 | cut -c1-15
quire: line 1: 
$ cmp was .jp/conversations/*/events.json
$ printf '[{"type":"turn_start","timestamp":"2026-11-16 10:00:00.0"}]' | tee .jp/conversations/*/events.json >was; echo '{"timestamp":"2026-11-16 10:00:00.0", "type":"x"}' | quire jp append $id; cat .jp/conversations/*/events.json
appended 1 event
[{"type":"turn_start","timestamp":"2026-11-16 10:00:00.0"},{"timestamp":"2026-11-16 10:00:00.0", "type":"x"}]
$ echo 5 | quire jp new --config -
quire: the configuration is not a JSON object
hint: give the base_config.json of another conversation
? 1
$ quire jp new ../nowhere
quire: no .jp in ../nowhere
hint: create one, or name a directory that has one
? 1
$ for i in 1 2 3 4 5; do quire jp new; done | sort -u | wc -l; ls -A .jp/conversations | wc -l
5
6

# the archive, and removal, in every location that has it
$ mkdir -p r/.jp data/jp/workspace/r-ab1cd/conversations; printf 'x\nab1cd\n' >r/.jp/.id; export XDG_DATA_HOME=$PWD/data; cd r; id=$(quire jp new --title one); cp -a .jp/conversations/* ../data/jp/workspace/r-ab1cd/conversations
$ local=$(quire jp new --local --title two); ls ../data/jp/workspace/r-ab1cd/conversations | wc -l; quire jp ls | cut -c30-60 | cut -d' ' -f1 | wc -l
2
2
$ quire jp archive $id | sed 's/[0-9]\{11\}/N/'
…/r/.jp/conversations/.archive/N-one
…/data/jp/workspace/r-ab1cd/conversations/.archive/N-one
$ quire jp ls --json | grep -c '"state":"archived"'; grep -c archived_at .jp/conversations/.archive/*/metadata.json
1
1
$ quire jp archive $id
quire: conversation jp-c… is archived already
quire: conversation jp-c… is archived already
? 1
$ quire jp unarchive --json $id | wc -l; grep -c archived_at .jp/conversations/*/metadata.json; ls -A .jp/conversations/.archive
2
0
$ quire jp rm --dry-run $id | sed 's/[0-9]\{11\}/N/' | tail -1; test -d .jp/conversations/*-one
…/r-ab1cd/conversations/N-one/metadata.json
$ quire jp rm --json $id | wc -l; quire jp ls | wc -l; find .. -name '*-one' | wc -l
6
1
0
$ quire jp rm $id
quire: no conversation `jp-c…` in …/r/.jp
hint: `quire jp ls` lists them
? 1

# what a crash left half done is not seen, and goes with the next change
$ mkdir -p k/.jp/conversations/.quire-new-0123456789abcdef k/.jp/conversations/.quire-rm-0123456789abcdef; cd k; touch .jp/conversations/.quire-new-0123456789abcdef/events.json .jp/conversations/.quire-rm-0123456789abcdef/events.json
$ quire jp ls; id=$(quire jp new); ls -A .jp/conversations | wc -l
1

# a command that wrote sees to a collection of its location, once an hour
$ mkdir -p c/.jp; cd c; one=$(quire jp new); two=$(quire jp new)
$ for i in $one $two; do echo "{\"type\":\"tool_call_response\",\"content\":\"text of $i\"}" | quire jp append $i; quire jp externalize $i; done
appended 1 event
moved 1 payload (23 B) out of 1 conversation, 1 new blob
appended 1 event
moved 1 payload (23 B) out of 1 conversation, 1 new blob
$ ls -A .jp/.quire; cat .jp/.quire/.gitignore
.gitignore
gc.lock
*
$ quire jp rm $one >files; export QUIRE_GC_GRACE=0s; echo '{"type":"turn_start"}' | quire jp append $two; sleep 0.5; find .jp/blobs -type f | wc -l
appended 1 event
2
$ touch -d '2 hours ago' .jp/.quire/gc.lock; echo '{"type":"turn_start"}' | QUIRE_GC_AUTO=off quire jp append $two; sleep 0.5; find .jp/blobs -type f | wc -l
appended 1 event
2
$ echo '{"type":"turn_start"}' | quire jp append $two; for i in $(seq 100); do test $(find .jp/blobs -type f | wc -l) = 1 && break; sleep 0.1; done; find .jp/blobs -type f | wc -l
appended 1 event
1
$ quire jp print $two >/dev/null

# a location whose last conversation was deleted is collected without --yes
$ mkdir -p l/.jp; cd l; id=$(quire jp new); echo '{"type":"tool_call_response","content":"b2s="}' | quire jp append $id; quire jp externalize $id; quire jp rm $id >files
appended 1 event
moved 1 payload (2 B) out of 1 conversation, 1 new blob
$ mv .jp/conversations away; quire --home .jp gc --grace 0 2>&1 | tail -1; mv away .jp/conversations
hint: list them with --dry-run --list; to remove them, give --yes
$ quire --home .jp gc --grace 0 --json | grep -o '"removed":1\|"refused":false'; find .jp/blobs -type f | wc -l
"removed":1
"refused":false
0

# a conversation in a workspace is locked where JP locks it, in private data
$ mkdir -p z/.jp data/jp/workspace/z-ab1cd/locks; printf 'x\nab1cd\n' >z/.jp/.id; export XDG_DATA_HOME=$PWD/data; cd z; id=$(quire jp new)
$ flock ../data/jp/workspace/z-ab1cd/locks/$id.lock quire --wait 0 jp archive $id
quire: JP is working on this conversation: …/z-ab1cd/locks/….lock is locked
hint: wait for it to finish, or end it
? 3
$ quire jp archive $id | grep -c .archive
1
