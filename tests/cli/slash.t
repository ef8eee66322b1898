# an agent's text in, a block for each command out
$ printf 'Here it is.\n/write --persist out/report.md\n= Findings\n/list\n/endwrite\nLook:\n/list\n/read out/report.md\n' | quire slash --session user
[/write --persist out/report.md]
OK: persisted 16 bytes (artifact #1, 16 of 1073741824 bytes used)
[END WRITE]

[/list]
out/report.md (16 bytes, mime=text/markdown, id=1)
[END LIST]

[/read out/report.md]
= Findings
/list
[END READ]

$ quire artifact get out/report.md; quire artifact stat '#1' --json | grep -o '"agent":"[a-z]*"'
= Findings
/list"agent":"agent"

# a text without commands has no replies, and makes nothing
$ printf 'hello\n /list\n```\n/list\n```\n' | quire slash --session user; quire slash </dev/null
$ test ! -e $QUIRE_HOME

# with --json one object a reply, and one before it for a file
$ export QUIRE_SESSION=user
$ printf '/write a\n1\r\n2\n/endwrite\n/read a\n' | quire slash --json --session user
{"event":"file","path":"a","size":3,"size_bytes":3,"encoding":"utf-8","content":"1\n2"}
{"command":"write","args":"a","line":1,"status":"ok","kind":"ok","id":null,"truncated":false,"skipped":0,"encoding":"utf-8","body":"OK: captured 3 bytes for 'a' (shown to the client, not kept; --persist keeps it)"}
{"command":"read","args":"a","line":5,"status":"not_found","kind":"not_found","id":null,"truncated":false,"skipped":0,"encoding":"utf-8","body":"ERR: 'a' not found in this conversation's artifacts; /list shows all of them"}
? 1
$ printf '/write a\n\377\n/endwrite\n' | quire slash --json | head -1
{"event":"file","path":"a","size":1,"size_bytes":1,"encoding":"base64","content":"/w=="}
$ printf '\211PNG\r\n\032\n' >x.png; quire artifact put x.png x.png >out; echo '/read x.png' | quire slash --json --session user
{"command":"read",…"body":"(image attached: x.png, 8 bytes, mime=image/png, id=1)","part":{"mime":"image/png","media_type":"image/png","encoding":"base64","content":"iVBORw0KGgo="}}

# content that begins with ERR: is no failure, and cannot end its block
$ export QUIRE_SESSION=user
$ printf 'ERR: no\n[END READ]\n' >a; quire artifact put a a >out; echo '/read a' | quire slash --session user
[/read a]
ERR: no
 [END READ]
[END READ]

$ echo '/read a' | quire slash --session user --json | grep -o '"status":"ok".*body.*'
"status":"ok",…"body":"ERR: no\n[END READ]\n"}

# without a session no artifact store
$ printf '/write --persist a\nx\n/endwrite\n' | quire slash
[/write --persist a]
OK: captured 1 bytes for 'a' (shown to the client)
WARN: --persist requested but artifact store is unavailable
[END WRITE]

$ echo /list | quire slash
[/list]
ERR: the artifact store is unavailable: no session
[END LIST]

? 1
$ echo /list | quire slash --session nonsense
quire: …
hint: …
? 1

# what is not closed is an error and writes nothing
$ printf '/write --persist a\nx\n/endwrite \n' | quire slash --session user
[/write --persist a]
ERR: /endwrite line is missing; nothing was done. Send the whole block again, ended by a line that is /endwrite and nothing else
[END WRITE]

? 1
$ quire artifact ls

# an artifact of another session is read by citing an entry that links it
$ S=$(quire session new | cut -d'"' -f4)
$ printf '/write --persist r.md\nfindings\n/endwrite\n/mem add entry reference The report --artifact #1\nabout it\n/endmem\n' | quire slash --session $S | grep OK
OK: persisted 8 bytes (artifact #1, 8 of 1073741824 bytes used)
OK: added entry #1 [reference] The report (linked to artifact #1)
$ printf '/mem entry 1\n' | quire slash --session user
[/mem entry 1]
#1 [reference] The report
linked artifact:
  #1  r.md  (8 bytes, mime=text/markdown)
  cross-conversation — fetch with: /read #1 via=mem:1
source: agent

about it
[END MEMORY]

$ printf '/read #1 via=mem:1\n/read #1\n' | quire slash --session user
[/read #1 via=mem:1]
findings
[END READ]

[/read #1]
ERR: artifact #1 is in a different conversation; cite a memory entry that links it: /read #1 via=mem:<entry_id>
[END READ]

? 1

# an agent has a scratchpad, and all of them one
$ printf '/mem write first\n/mem shared write for all\n' | quire slash --agent scout --quiet
[/mem write first]
OK: noted 5 bytes in your scratchpad (36 bytes)
[END MEMORY]

[/mem shared write for all]
OK: noted 7 bytes in the shared scratchpad (38 bytes)
[END MEMORY]

$ printf '/mem read\n/mem shared read\n' | quire slash --agent other
[/mem read]
(your scratchpad is empty)
[END MEMORY]

[/mem shared read]
<!-- 20… -->
for all

[END MEMORY]


# what it may use, and how much it gets back
$ export QUIRE_SESSION=user
$ printf '/list\n/mem read\n' | quire slash --allow mem --session user
[/list]
ERR: /list is not among the commands you may use; nothing was done
[END LIST]

[/mem read]
(your scratchpad is empty)
[END MEMORY]

? 1
$ seq 2000 | quire artifact put n >out; printf '/read n\n/list\n/list\n' | quire slash --session user --budget 8 --json | cut -d, -f1-8
{"command":"read","args":"n","line":1,"status":"ok","kind":"ok","id":1,"truncated":true,"skipped":0
{"command":"list","args":"","line":2,"status":"quota","kind":"skipped","id":null,"truncated":false,"skipped":1
{"command":"list","args":"","line":3,"status":"quota","kind":"skipped","id":null,"truncated":false,"skipped":1
$ echo '/read n' | quire slash --session user --budget 8
[/read n]
1
2
3
4
... [truncated: the first 8 of 8893 bytes; read on with /read n --from 8]
[END READ]


# a quota is named with its numbers
$ quire config set quota.session 10; printf '/write --persist a\n12345678901\n/endwrite\n' | quire slash --session user | grep ERR
ERR: conversation quota exhausted: 11 > 10 bytes
