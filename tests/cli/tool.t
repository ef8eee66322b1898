# files are written, read, listed, found and deleted, a request a line
$ export QUIRE_SESSION=temp
$ cat >requests <<'END'
> {"action":"write","filename":"notes/plan.md","content":"first the walrus\n","purpose":"what comes next","source_agent_id":"","tags":["q3"]}
> {"action":"read","filename":"notes/plan.md"}
> {"action":"list"}
> {"action":"search","query":"walrus"}
> {"action":"delete","filename":"notes/plan.md"}
> {"action":"list"}
> END
$ quire tool workspace <requests
{"success":true,"data":{"action":"write","scope":"artifact","filename":"notes/plan.md","path":"…/home/quire/artifacts/temp/notes/plan.md","artifact_id":1,"content_type":"text/markdown","size_bytes":17,"indexed":true,"version":1,"session_id":"temp"},"execution_time_ms":…}
{"success":true,"data":{"action":"read","scope":"artifact","filename":"notes/plan.md","content":"first the walrus\n","encoding":"text","size_bytes":17,"offset":0,"truncated":false,"session_id":"temp"},"execution_time_ms":…}
{"success":true,"data":{"action":"list","scope":"artifact","artifacts":[{"filename":"notes/plan.md","artifact_id":1,"content_type":"text/markdown","size_bytes":17,"created_at":"…Z","updated_at":"…Z","purpose":"what comes next","tags":["q3","document","markdown"],"source_agent_id":""}],"count":1,"session_id":"temp"},"execution_time_ms":…}
{"success":true,"data":{"action":"search","scope":"artifact","query":"walrus","results":[{"filename":"notes/plan.md","artifact_id":1,…,"snippet":"…walrus…"}],"count":1,"session_id":"temp"},"execution_time_ms":…}
{"success":true,"data":{"action":"delete","scope":"artifact","filename":"notes/plan.md","artifact_id":1,"deleted":"soft","session_id":"temp"},"execution_time_ms":…}
{"success":true,"data":{"action":"list","scope":"artifact","artifacts":[],"count":0,"session_id":"temp"},"execution_time_ms":…}
$ quire artifact restore notes/plan.md --session temp
#1 …17 B  notes/plan.md
$ cat $QUIRE_HOME/artifacts/temp/notes/plan.md
first the walrus

# the scratchpad has files, and no artifacts
$ export QUIRE_SESSION=temp
$ cat >requests <<'END'
> {"action":"write","scope":"scratchpad","filename":"try.txt","content":"scrap"}
> {"action":"read","scope":"scratchpad","filename":"try.txt"}
> {"action":"list","scope":"scratchpad"}
> {"action":"delete","scope":"scratchpad","filename":"try.txt"}
> {"action":"list","scope":"scratchpad"}
> END
$ quire tool workspace <requests
{"success":true,"data":{"action":"write","scope":"scratchpad","filename":"try.txt","path":"…/artifacts/scratchpad/temp/try.txt","size_bytes":5,"indexed":false,"session_id":"temp"},"execution_time_ms":…}
{"success":true,"data":{"action":"read","scope":"scratchpad","filename":"try.txt","content":"scrap","encoding":"text","size_bytes":5,"offset":0,"truncated":false,"session_id":"temp"},"execution_time_ms":…}
{"success":true,"data":{"action":"list","scope":"scratchpad","files":[{"filename":"try.txt","size_bytes":5,"modified":"…Z"}],"count":1,"session_id":"temp"},"execution_time_ms":…}
{"success":true,"data":{"action":"delete","scope":"scratchpad","filename":"try.txt","deleted":"hard","session_id":"temp"},"execution_time_ms":…}
{"success":true,"data":{"action":"list","scope":"scratchpad","files":[],"count":0,"session_id":"temp"},"execution_time_ms":…}
$ quire artifact ls --session temp

# the session is the one of the process, and no request names another
$ export QUIRE_SESSION=temp
$ S=$(quire session new | cut -d'"' -f4)
$ echo '{"action":"write","filename":"a","content":"mine","session_id":"user","session":"user"}' | quire --session $S tool workspace | grep -o '"session_id":"[^"]*"' | grep -c $S
1
$ cat $QUIRE_HOME/artifacts/sessions/$S/agent/a; echo
mine
$ echo '{"action":"read","filename":"a"}' | quire tool workspace | grep -o '"code":"[a-z_]*"'
"code":"not_found"
$ echo '{"action":"list"}' | quire tool workspace --session nobody
quire: no session nobody in …
hint: …
? 1
$ quire session rm $S
...
$ ls $QUIRE_HOME/artifacts/sessions

# what may be read of other sessions is found, and read by its id
$ A=$(quire session new | cut -d'"' -f4); B=$(quire session new | cut -d'"' -f4); echo 'their sales' | quire artifact put theirs - --session $A --agent bob >/dev/null
$ printf '%s\n' '{"action":"write","filename":"mine","content":"my sales","source_agent_id":"a7"}' '{"action":"search","query":"sales AND NOT none"}' '{"action":"read","artifact_id":2}' '{"action":"read","artifact_id":1}' >requests
$ quire tool workspace --session $B <requests
{"success":true,…"artifact_id":2,…}
{"success":true,…"results":[{"filename":"mine",…"source_agent_id":"a7",…"session_id":"…"…}],"count":1,…}
{"success":true,…"filename":"mine","artifact_id":2,"content":"my sales",…}
{"success":false,"error":{"code":"not_found","message":"no artifact with the id 1",…}
? 1
$ quire tool workspace --session $B --read all <requests
{"success":true,…"artifact_id":2,…}
{"success":true,…"source_agent_id":"bob",…"count":2,…}
{"success":true,…"filename":"mine","artifact_id":2,"content":"my sales",…}
{"success":true,…"filename":"theirs","artifact_id":1,"content":"their sales\n",…}

# each refusal has a code, words and a suggestion, and the exit status is 1
$ codes() { quire tool workspace | sed 's/.*"code":"\([a-z_]*\)","message":"\(.\).*"suggestion":"\(.\).*/\1/'; }
$ echo nonsense | quire tool workspace
{"success":false,"error":{"code":"invalid_params","message":"the request is not a JSON object: …","retryable":false,"suggestion":"Send one JSON object with an \"action\"."},"execution_time_ms":…}
? 1
$ printf '%s\n' '{}' '[]' '{"action":"fly"}' '{"action":"list","scope":"global"}' '{"action":"search","scope":"scratchpad","query":"x"}' | codes
invalid_params
invalid_params
invalid_action
invalid_scope
invalid_scope
$ printf '%s\n' '{"action":"read","filename":"../a"}' '{"action":"read","filename":"/etc/passwd"}' '{"action":"read","filename":".hidden"}' '{"action":"read"}' '{"action":"read","filename":"a"}' | codes
invalid_filename
invalid_filename
invalid_filename
invalid_params
not_found
$ printf '%s\n' '{"action":"write","filename":"a"}' '{"action":"write","filename":"a","content":"!","encoding":"base64"}' '{"action":"list","cursor":"x"}' '{"action":"list","limit":0}' '{"action":"search"}' | codes
invalid_params
invalid_params
invalid_params
invalid_params
invalid_params
$ echo '{"action":"write","filename":"d/e","content":"x"}' | quire tool workspace >/dev/null
$ printf '%s\n' '{"action":"write","filename":"d","content":"x"}' '{"action":"write","filename":"d/e/f","content":"x"}' | codes
exists
exists
$ echo '{"action":"write","filename":"a","content":"12345"}' | QUIRE_QUOTA_FILE=4 codes
too_large
$ echo '{"action":"write","filename":"a","content":"12345"}' | QUIRE_QUOTA_SESSION=4 codes
quota
$ printf '{"action":"fly"}\n{"action":"list"}\n' | quire tool workspace >/dev/null
? 1
$ printf '{"action":"fly"}\n{"action":"list"}\n' | quire tool workspace | grep -c '"success":true'
1

# empty lines are no requests, and the last one needs no end
$ printf '\n  \n{"action":"list"}\r\n\n\t\n{"action":"list"}' | quire tool workspace | wc -l
2
$ printf '\n' | quire tool workspace
$ quire tool workspace </dev/null

# an answer comes before the next request is read
! python3
$ cat >talk.py <<'END'
> import subprocess, json
> p = subprocess.Popen(["quire", "tool", "workspace"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
> for request in ({"action": "write", "filename": "a", "content": "one"}, {"action": "read", "filename": "a"}):
>     p.stdin.write(json.dumps(request) + "\n"); p.stdin.flush()
>     print(json.loads(p.stdout.readline())["data"]["size_bytes"])
> p.stdin.close(); print(p.wait())
> END
$ python3 talk.py
3
3
0

# binary content goes and comes as base64
$ export QUIRE_SESSION=temp
$ echo '{"action":"write","filename":"b.bin","content":"AP+AfwA=","encoding":"base64"}' | quire tool workspace | grep -o '"size_bytes":[0-9]*'
"size_bytes":5
$ od -An -tx1 $QUIRE_HOME/artifacts/temp/b.bin
 00 ff 80 7f 00
$ echo '{"action":"read","filename":"b.bin"}' | quire tool workspace | grep -o '"content":.*"size_bytes":[0-9]*'
"content":"AP+AfwA=","encoding":"base64","size_bytes":5
$ printf '%s\n' '{"action":"write","filename":"t","content":"a\u0000b\n"}' | quire tool workspace >/dev/null; od -An -c $QUIRE_HOME/artifacts/temp/t
   a  \0   b  \n
$ echo '{"action":"read","filename":"t","encoding":"base64"}' | quire tool workspace | grep -o '"content":"[^"]*"'
"content":"YQBiCg=="

# long files come in pieces
$ echo '{"action":"write","filename":"t","content":"0123456789"}' | quire tool workspace >/dev/null
$ echo '{"action":"read","filename":"t","offset":2,"limit":3}' | quire tool workspace | grep -o '"content":.*"next_offset":[0-9]*'
"content":"234","encoding":"text","size_bytes":10,"offset":2,"truncated":true,"next_offset":5
$ echo '{"action":"read","filename":"t","offset":10}' | quire tool workspace | grep -o '"content":.*"truncated":[a-z]*'
"content":"","encoding":"text","size_bytes":10,"offset":10,"truncated":false
$ echo '{"action":"read","filename":"t","offset":11}' | quire tool workspace | grep -o '"message":.*"suggestion":"[^"]*"'
"message":"offset is beyond the end of t, which has 10 bytes","retryable":false,"suggestion":"Use an offset from 0 to 10."

# what was done to the files in between is seen
$ export QUIRE_SESSION=temp
$ echo '{"action":"write","filename":"a.txt","content":"one"}' | quire tool workspace >/dev/null
$ echo two >$QUIRE_HOME/artifacts/temp/a.txt; echo new >$QUIRE_HOME/artifacts/temp/b.txt
$ echo '{"action":"list"}' | quire tool workspace | grep -o '"filename":"[^"]*","artifact_id":[0-9]*'
"filename":"b.txt","artifact_id":2
"filename":"a.txt","artifact_id":1
$ quire artifact get a.txt --session temp
two
$ quire artifact get a.txt --session temp --version 1; echo
one
$ rm $QUIRE_HOME/artifacts/temp/a.txt
$ echo '{"action":"read","filename":"a.txt"}' | quire tool workspace | grep -o '"code":"[a-z_]*"'
"code":"not_found"
$ quire artifact restore a.txt --session temp
#1 …4 B  a.txt
$ cat $QUIRE_HOME/artifacts/temp/a.txt
two
$ quire artifact rm a.txt --session temp
...
$ ls $QUIRE_HOME/artifacts/temp
b.txt

# links lead nowhere
$ export QUIRE_SESSION=temp
$ echo secret >outside; mkdir dir
$ echo '{"action":"write","filename":"a","content":"x"}' | quire tool workspace >/dev/null
$ ln -s $PWD/outside $QUIRE_HOME/artifacts/temp/l; ln -s $PWD/dir $QUIRE_HOME/artifacts/temp/d
$ printf '%s\n' '{"action":"read","filename":"l"}' '{"action":"write","filename":"l","content":"x"}' '{"action":"delete","filename":"l"}' '{"action":"write","filename":"d/x","content":"x"}' | quire tool workspace | grep -o '"code":"[a-z_]*"'
"code":"not_found"
"code":"exists"
"code":"not_found"
"code":"exists"
$ cat outside; ls dir; quire artifact ls --session temp
secret
#1 …  1 B  a

# what a model is told of it is short, and JSON
! jq
$ quire tool workspace --schema >schema; test $(wc -c <schema) -lt 1600
$ jq -r '.name, .inputSchema.type, (.inputSchema.required | join(" ")), (.inputSchema.properties.action.enum | join(" "))' schema
workspace
object
action
write read list search delete
$ ls $QUIRE_HOME 2>&1 | head -1
ls: cannot access …: No such file or directory

# every answer is JSON
! jq
$ printf '%s\n' '{"action":"\ud800"}' '{"action":"list","scope":"\u0000\n"}' '{"action":"read","filename":"\u2028\ud800"}' 'x' '{"action":"write","filename":"ä","content":"\u2028\u0001\"\\"}' '{"action":"read","filename":"ä"}' | quire tool workspace | jq -c '.success'
false
false
false
false
true
true

# half of a character is not written
$ S=$(quire session new | cut -d'"' -f4); echo '{"action":"write","filename":"a.txt","content":"x \ud800 y"}' | quire --session $S tool workspace
{"success":false,"error":{"code":"invalid_params","message":"content has half of a surrogate pair"…
? 1
$ echo '{"action":"write","filename":"a.txt","content":"x \ud83d\ude00 y"}' | quire --session $S tool workspace | cut -c1-15
{"success":true
