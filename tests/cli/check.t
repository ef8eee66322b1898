# a home that is not there, or empty, has nothing wrong
$ quire check
quire: there is no home at … yet
0 sessions, 0 blobs, 0 references, 0 blobs unreferenced: 0 problems
$ quire check --quick --json
{"sessions":0,"blobs":0,"references":0,"unreferenced":0,"problems":0}
$ quire check --quick --full
quire: --quick and --full exclude each other
hint: leave out one of them
? 2

# what is wrong is told with its place and what to do, and mended
$ S=$(quire session new | cut -d'"' -f4); file=$(quire session files $S)
$ echo '{"type":"custom","id":"a1"}' | quire session append $S >/dev/null
$ echo hello | quire artifact put a.txt - >/dev/null
$ quire check --full
1 session, 1 blob, 1 reference, 0 blobs unreferenced: 0 problems
$ printf 'rubbish\n' >>"$file"
$ quire check
sessions/…jsonl, line 3, byte …: garbage: …
  next: `quire repair` mends it and keeps the original
1 session, 1 blob, 1 reference, 0 blobs unreferenced: 1 problem
? 4
$ quire check --json
{"where":"sessions/…jsonl","kind":"garbage","line":3,"byte":…,"message":"…","next":"…"}
{"sessions":1,"blobs":1,"references":1,"unreferenced":0,"problems":1}
? 4
$ quire repair --dry-run
sessions/…jsonl, line 3, byte …: garbage: …
  plan: a mended copy would take its place, the original would be kept beside it
1 session, 1 blob, 1 reference, 0 blobs unreferenced: 1 problem
? 4
$ quire repair
sessions/…jsonl, line 3, byte …: garbage: …
  mended: mended; what it was is kept beside it in ….bak
1 session, 1 blob, 1 reference, 0 blobs unreferenced: 0 problems
$ quire repair
1 session, 1 blob, 1 reference, 0 blobs unreferenced: 0 problems

# text that mentions a blob is no damage
$ S=$(quire session new | cut -d'"' -f4)
$ ref=blob:sha256:0123456789012345678901234567890123456789012345678901234567890123
$ echo '{"type":"message","message":{"role":"user","content":"see '$ref'"}}' | quire session append $S >/dev/null
$ echo '{"type":"message","message":{"role":"user","content":[{"type":"text","text":"'$ref'"}]}}' | quire session append $S >/dev/null
$ quire session check $S; quire check
1 session, 0 blobs, 0 references, 0 blobs unreferenced: 0 problems

# a reference that leads nowhere is told with the byte where it stands
$ S=$(quire session new | cut -d'"' -f4)
$ ref=blob:sha256:0123456789012345678901234567890123456789012345678901234567890123
$ echo '{"type":"custom","id":"a1","data":"'$ref'"}' | quire session append $S >/dev/null
$ quire check
sessions/…jsonl, byte …: missing_blob: it refers to blob:sha256:0123456789…0123, which is not there
  next: …
1 session, 0 blobs, 1 reference, 0 blobs unreferenced: 1 problem
? 4
$ quire repair --json
{"where":"sessions/…jsonl","kind":"missing_blob","byte":…,"message":"…","next":"…","mended":false}
{"sessions":1,"blobs":0,"references":1,"unreferenced":0,"problems":1}
? 4

# a flipped bit in a blob, and a home that is checked for all tenants
$ head -c 100000 /dev/zero | tr '\0' x >big; quire config set blob.inline 10
$ quire blob put big
blob:sha256:…
$ file=$(find "$QUIRE_HOME" -name '*.blob.gz'); printf X | dd of="$file" bs=1 seek=40 conv=notrunc 2>/dev/null
$ quire check --quick
0 sessions, 1 blob, 0 references, 1 blob unreferenced: 0 problems
$ quire check
blob:sha256:…: …: …
  next: …
0 sessions, 1 blob, 0 references, 1 blob unreferenced: 1 problem
? 4
$ quire tenant add acme >/dev/null 2>&1; quire --tenant acme check
quire: a home is checked for all tenants together
hint: leave out --tenant
? 3

# a damaged search index is found, and built again
$ quire memory add --type project --title walrus >/dev/null; quire search walrus --json | head -c 16
{"kind":"memory"
$ quire search walrus --flat >/dev/null; quire reindex; quire check
0 sessions, 0 blobs, 0 references, 0 blobs unreferenced: 0 problems
$ file=$(find "$QUIRE_HOME" -name '*.postings'); printf X | dd of="$file" bs=1 seek=2 conv=notrunc 2>/dev/null
$ quire check
search/rows: search: the search index is damaged: ….postings, byte …: …
  next: `quire repair`, or `quire reindex`, builds it again
0 sessions, 0 blobs, 0 references, 0 blobs unreferenced: 1 problem
? 4
$ quire repair
search/rows: search: …
  mended: the index was rebuilt
0 sessions, 0 blobs, 0 references, 0 blobs unreferenced: 0 problems
$ quire check; quire search walrus --json | head -c 16
0 sessions, 0 blobs, 0 references, 0 blobs unreferenced: 0 problems
{"kind":"memory"
