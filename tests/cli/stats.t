# of nothing
$ quire stats --json
{"sessions":0,"active":0,"archived":0,"session_bytes":0,"entries":0,"messages":0,"outputs":0,"output_bytes":0,"artifacts":0,"artifact_bytes":0,"versions":0,"memories":0,"blobs":0,"blob_bytes":0,"stored_bytes":0,"references":0,"referenced_bytes":0,"unreferenced":0,"ratio":0.00,"largest_blobs":[],"database_bytes":0,"free_bytes":0,"largest_sessions":[],"oldest":null,"newest":null,"tenants":[{"id":1,"name":"default",…}]}

# of a few things
$ S=$(quire session new --title 'a title' | cut -d'"' -f4)
$ echo '{"type":"message","message":{"role":"user","content":"hello"}}' | quire session append $S >/dev/null
$ echo hello | quire artifact put a.txt - >/dev/null; echo hello again | quire artifact put a.txt - >/dev/null
$ quire stats
sessions     1, 0 of them archived, …
entries      1, 1 of them messages
outputs      0, 0 B
artifacts    1, 12 B, 2 versions
memory       0 entries
blobs        2, 0 of them unreferenced
content      18 B in 2 references, 18 B distinct, 18 B stored (1.00)
quire.db     … KiB, 0 B of it free
largest      …  a title
oldest       …
newest       …
largest blobs       12 B  blob:sha256:…
…              6 B  blob:sha256:…
$ quire tenant add acme >/dev/null 2>&1; quire stats | tail -2
#1 default: 1 session, …; 1 artifact, 12 B; 0 memory entries
#2 acme: 0 sessions, 0 B; 0 artifacts, 0 B; 0 memory entries
$ quire --tenant acme stats
quire: statistics cover all tenants together
hint: leave out --tenant
? 3
