# of nothing
$ quire stats --json
{"sessions":0,"active":0,"archived":0,"session_bytes":0,"entries":0,"messages":0,"outputs":0,"output_bytes":0,"artifacts":0,"artifact_bytes":0,"versions":0,"memories":0,"blobs":0,"blob_bytes":0,"stored_bytes":0,"references":0,"referenced_bytes":0,"unreferenced":0,"ratio":0.00,"largest_blobs":[],"database_bytes":0,"free_bytes":0,"search_bytes":0,"search_texts":0,"search_places":0,"search_sources":0,"largest_sessions":[],"oldest":null,"newest":null,"tenants":[{"id":1,"name":"default",…}]}

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
search       0 B, 0 texts in 0 places of 0 sources
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

# the search index, as the last search left it
$ S=$(quire session new --cwd /work --title 'a walrus' | cut -d'"' -f4)
$ say() { echo '{"type":"message","message":{"role":"user","content":"'"$1"'"}}'; }
$ { say twice; say twice; say once; } | quire session append $S >/dev/null
$ quire stats | grep ^search; ls "$QUIRE_HOME" | grep -c search
search       0 B, 0 texts in 0 places of 0 sources
0
? 1
$ quire reindex; quire stats | grep ^search
search       … B, 3 texts in 4 places of 1 source
$ say later | quire session append $S >/dev/null; quire stats --json | grep -o '"search_[a-z]*":[0-9]*' | tail -3
"search_texts":3
"search_places":4
"search_sources":1
$ rm -r "$QUIRE_HOME/search"; quire stats --json | grep -o '"search_bytes":[0-9]*'
"search_bytes":0
