# check is silent when all is well
$ quire session check; quire session check --json
$ S=$(quire session new | cut -d'"' -f4); quire session check; quire session check $S last --json
$ quire session check nonsense
quire: …
...
? 1

# check tells what is wrong, and where
$ S=$(quire session new | cut -d'"' -f4); file=$(quire session files $S)
$ echo '{"type":"custom","id":"a1"}' | quire session append $S >/dev/null
$ size=$(wc -c <"$file"); printf 'rubbish\n{"type":"custom","id":"a2","parentId":"a1","timestamp":"2026-01-01T00:00:00.000Z"}\n{"type":"cus' >>"$file"
$ quire session check $S
line 3, byte …: garbage: …
line 5, byte …: torn: …
? 4
$ quire session check $S --json | head -1 | sed "s/$size/SIZE/"
{"line":3,"byte":SIZE,"kind":"garbage","message":"…"}
$ quire --session $S session check --json
{"line":3,"byte":…,"kind":"garbage","message":"…"}
{"line":5,"byte":…,"kind":"torn","message":"…"}
? 4
$ quire session new >/dev/null; quire session check
…jsonl: line 3, byte …: garbage: …
…jsonl: line 5, byte …: torn: …
? 4
$ quire session check --json
{"line":3,"byte":…,"kind":"garbage","message":"…","path":"…jsonl"}
{"line":5,"byte":…,"kind":"torn","message":"…","path":"…jsonl"}
? 4
$ quire session show $S --json | grep -o '"id":"[^"]*"'
{"warning":"2 places in …jsonl cannot be read; `quire session check` lists them","kind":"damaged"}
"id":"a1"
"id":"a2"

# repair mends and keeps the original
$ S=$(quire session new | cut -d'"' -f4); file=$(quire session files $S)
$ echo '{"type":"custom","id":"a1"}' | quire session append $S >/dev/null
$ quire session repair $S
…jsonl is not damaged
$ quire session repair $S --json
{"path":"…jsonl","kept":null}
$ printf 'rubbish\n' >>"$file"; cp "$file" damaged; quire session repair $S --json >said; cat said
{"path":"…jsonl","kept":"…"}
$ cmp damaged "$(sed 's/.*"kept":"//; s/"}$//' said)"; quire session check $S; quire session show $S --json
{"type":"custom","id":"a1",…}
$ printf 'rubbish\n' >>"$file"; quire session repair $S
…jsonl is repaired; the original is in …

# a header that cannot be read is damage, and the file is left alone
$ printf 'no header\n{"type":"custom","id":"a1"}\n' >bad.jsonl; cp bad.jsonl before
$ quire session show ./bad.jsonl
quire: …
...
? 4
$ echo '{"type":"custom"}' | quire session append ./bad.jsonl
quire: …
...
? 4
$ cmp bad.jsonl before; quire session check ./bad.jsonl
line 1, byte 0: …
...
? 4

# repair keeps a line that is nested too deeply to be read
$ S=$(quire session new | cut -d'"' -f4); file=$(quire session files $S)
$ echo '{"type":"custom","id":"a1"}' | quire session append $S >/dev/null
$ python3 -c 'print("""{"type":"custom","id":"d1","parentId":"a1","timestamp":"2026-01-01T00:00:00.000Z","data":""" + 600 * "[" + 600 * "]" + "}")' >deep
$ cat deep >>"$file"; echo '{"type":"custom","id":"b1","parentId":"d1","timestamp":"2026-01-01T00:00:00.000Z"}' >>"$file"
$ quire session check $S
line 3, byte …: too_deep: nested too deeply
line 4, byte …: missing_parent: …
? 4
$ quire session repair $S >/dev/null; sed -n 3p "$file" | cmp - deep; quire session tree $S --json | cut -d'"' -f4
a1
b1
$ quire session check $S
line 3, byte …: too_deep: nested too deeply
? 4
$ quire session repair $S
…jsonl is not damaged

# migrate brings an old file up to date
$ cat >old.jsonl <<'END'
> {"type":"session","id":"old","timestamp":"2026-01-02T03:04:05.678Z","cwd":"/x"}
> {"type":"message","timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"one"}}
> {"type":"message","timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"hookMessage","content":"two"}}
> END
$ cp old.jsonl before; quire session show ./old.jsonl --json >1; cmp old.jsonl before
$ cat 1
{"type":"message",…"content":"one"…}
{"type":"message",…"role":"custom"…}
$ quire session tree ./old.jsonl --json | cut -d, -f3-5
"type":"message","depth":0,"leaf":false
"type":"message","depth":1,"leaf":true
$ quire session migrate ./old.jsonl --json; quire session migrate ./old.jsonl
{"from":1,"to":3}
already at version 3
$ head -1 old.jsonl; quire session show ./old.jsonl --json | cmp - 1
{"type":"session",…"version":3…}
$ sed 's/"type":"session"/&,"version":2/' before >two.jsonl; quire session migrate ./two.jsonl
migrated from version 2 to version 3

# a version is a number, however it is spelled
$ cat >old.jsonl <<'END'
> {"type":"session","version":1.0,"id":"old","timestamp":"2026-01-02T03:04:05.678Z","cwd":"/x"}
> {"type":"message","timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"one"}}
> END
$ quire session tree ./old.jsonl --json | cut -d, -f2-3
"parentId":null,"type":"message"
$ quire session migrate ./old.jsonl --json
{"from":1,"to":3}

# a header with a long id belongs to its session
$ id=$(printf 'a%.0s' $(seq 200)); file=$(quire session files $(quire session new | cut -d'"' -f4))
$ sed -i "s/\"id\":\"[^\"]*\"/\"id\":\"$id\"/" "$file"; mv "$file" "${file%_*}_$id.jsonl"
$ echo text | quire --session $id artifact put a.txt - >/dev/null; quire check | tail -n 1
1 session, 1 blob, 1 reference, 0 blobs unreferenced: 0 problems
