# what nothing refers to is marked, then removed
$ printf one | quire blob put >refs; printf two | quire blob put >>refs
$ printf three | quire blob put >>refs; printf four | quire blob put >>refs
$ quire artifact put a.txt - <refs >put
$ sed -n '1,3p' refs | xargs quire blob pin
$ quire gc --json
{"scanned":5,"referenced":4,"marked":1,"removed":0,"bytes_freed":0,"freed_bytes":0,"waiting":1,…"returned_bytes":0,"dry_run":false,"refused":false}
$ quire gc
0 of 5 blobs removed, 4 in use, 1 is within its grace time
$ quire gc --dry-run --grace 0
1 of 5 blobs would be removed (4 B), 4 in use
$ quire gc --dry-run --grace 0 --list; printf four | sha256sum | cut -c 1-64
04efaf080f5a3e74e1c29d1ca6a48569382cbbcd324e8d59d2b83ef21c039f00
04efaf080f5a3e74e1c29d1ca6a48569382cbbcd324e8d59d2b83ef21c039f00
$ quire gc --grace 0 --list --json
{"sha256":"04efaf080f5a3e74e1c29d1ca6a48569382cbbcd324e8d59d2b83ef21c039f00"}
{"scanned":5,"referenced":4,"marked":0,"removed":1,"bytes_freed":4,…}
$ quire blob get $(sed -n 4p refs)
quire: no blob 04efaf080f5a in …
hint: …
? 1

# pins are listed, and let go
$ printf one | quire blob put | xargs quire blob pin
$ quire blob pin; quire blob pin --json
blob:sha256:7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed
{"ref":"blob:sha256:7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"}
$ quire blob unpin 7692c3ad; quire blob pin
$ quire blob unpin 7692c3ad
quire: 7692c3ad3540… is not pinned
hint: `quire blob pin` lists what is
? 1
$ quire blob pin 123456
quire: no blob …
hint: …
? 1

# more than half needs a word
$ printf one | quire blob put >ref; printf two | quire blob put >>ref
$ quire gc --grace 0 --dry-run
2 of 2 blobs would be removed with --yes: it is more than half (6 B), 0 in use
$ quire gc --grace 0
0 of 2 blobs removed, 0 in use, 2 are not referenced
quire: more than half of the 2 blobs would be removed, so none was
hint: list them with --dry-run --list; to remove them, give --yes
? 1
$ quire gc --grace 0 --yes
2 of 2 blobs removed (6 B), 0 in use

# a home that is not there is not made
$ quire --home nowhere gc; ls nowhere
quire: there is no home at nowhere
0 of 0 blobs removed, 0 in use
ls: …nowhere…
? 2
$ mkdir plain; quire --home plain gc; quire --home plain reindex; ls plain
0 of 0 blobs removed, 0 in use
$ quire --home plain gc --drop-root /x
quire: /x is not registered
hint: `quire gc --roots` lists what is
? 1

# a dry run reads a home that cannot be written, and changes nothing
$ printf one | quire blob put >ref
$ find $QUIRE_HOME -type f -exec sha256sum {} + >before
$ quire gc --dry-run --grace 0 --yes
1 of 1 blobs would be removed (3 B), 0 in use
$ find $QUIRE_HOME -type f -exec sha256sum {} + | diff before -

# a session keeps its images, also in the archive, until it is removed
$ id=$(quire session new --json | sed 's/{"id":"//; s/".*//')
$ data=$(head -c 3000 /dev/zero | base64 -w0)
$ printf '{"type":"message","message":{"role":"user","content":[{"type":"image","mimeType":"image/png","data":"%s"}]}}\n' $data | quire session append $id >added
$ quire gc --grace 0
0 of 1 blobs removed, 1 in use
$ quire session archive $id >where; quire gc --grace 0
0 of 1 blobs removed, 1 in use
$ quire session rm $id; quire gc --yes
0 of 1 blobs removed, 1 in use
$ quire trash empty; quire gc --yes
0 of 1 blobs removed, 0 in use, 1 is within its grace time
$ quire gc --grace 0 --yes
1 of 1 blobs removed …

# what is registered outside is looked at, and what is no file stops it
$ printf one | quire blob put >ref; mkdir else; cp ref else/notes.jsonl
$ quire gc --add-root else; quire gc --roots
/…/else
$ quire gc --grace 0
0 of 1 blobs removed, 1 in use
$ rm else/notes.jsonl; quire gc --grace 0 --yes
quire: root …else is empty and was not before
hint: restore its files, or, if they are gone for good: quire gc --drop-root …
? 1
$ quire gc --drop-root else; quire gc --drop-root else
quire: …else is not registered
hint: `quire gc --roots` lists what is
? 1
$ mkdir -p $QUIRE_HOME/sessions; ln -s /etc $QUIRE_HOME/sessions/elsewhere
$ quire gc
quire: …/sessions/elsewhere is not a regular file: its references cannot be read
hint: …
? 3

# files of sessions that no longer exist are found, and removed after the grace time
$ export QUIRE_HOME=$PWD/stray; S=$(quire session new | cut -d'"' -f4); echo x | quire --session user artifact put a - >/dev/null
$ echo x | quire output sink --tool t --threshold 0 --session $S >/dev/null 2>&1; quire run --session $S -c 'echo >kept'
$ at=$(dirname $(quire session files $S | head -1)); mkdir -p stray/artifacts/sessions/gone/agent $at/2026-02-16T10-20-30-000Z_gone $at/notes
$ echo left >stray/artifacts/sessions/gone/agent/file; quire check
artifacts/sessions/gone: orphan: workspace of a session that does not exist, 1 file
  next: `quire gc` removes it once it is older than gc.grace
sessions/…/2026-02-16T10-20-30-000Z_gone: orphan: outputs of a session that does not exist, 0 files
  next: `quire gc` removes it once it is older than gc.grace
1 session, …: 2 problems
? 4
$ quire gc; quire gc --grace 0 --dry-run
0 of … blobs removed, … in use
0 of … blobs would be removed, … in use, 2 directories of removed sessions
$ quire gc --grace 0 --json
{…"orphans":2,…}
$ quire check; ls $at stray/artifacts/sessions | grep -c .; quire --session $S artifact get kept
1 session, …: 0 problems
6

$ quire session rm -q $S; quire gc --grace 0 >gone; find stray/sessions stray/artifacts/sessions -type f

# it is not for one tenant, nor for a blobs directory
$ quire tenant add acme -q >token; quire --tenant acme gc
quire: blobs are stored for all tenants together and are not collected for one of them
hint: leave out --tenant
? 2

# nonsense
$ quire gc --add-root /dev/null
quire: /dev/null is neither a file nor a directory
hint: name a session file, or the directory they lie in
? 2
$ quire gc --dry-run --add-root .
quire: --roots, --add-root and --drop-root cannot be combined with other options
hint: give it alone, then run `quire gc`
? 2
$ quire gc --grace soon 2>/dev/null
? 2
$ quire gc extra 2>/dev/null
? 2

# a home of oh-my-pi is collected by itself, too, once an hour
$ mkdir -p o/agent/sessions; for w in one two three; do printf $w | quire --home o/agent blob put - >/dev/null; done; ls -A o/agent/.quire
.gitignore
gc.lock
$ printf '{"type":"session","id":"s","version":3,"timestamp":"2026-11-16T10:00:00.000Z","cwd":"/"}\n{"type":"custom","id":"a","parentId":null,"timestamp":"2026-11-16T10:00:00.000Z","data":["blob:sha256:%s","blob:sha256:%s"]}\n' $(printf one | sha256sum | cut -c 1-64) $(printf two | sha256sum | cut -c 1-64) >o/agent/sessions/x.jsonl
$ touch -d '2 hours ago' o/agent/.quire/gc.lock; printf two | QUIRE_GC_GRACE=0s quire --home o/agent blob put - >/dev/null; for i in $(seq 100); do test $(ls o/agent/blobs | wc -l) = 2 && break; sleep 0.1; done; ls o/agent/blobs | wc -l
2
