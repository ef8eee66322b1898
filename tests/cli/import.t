# sessions of Claude Code are imported once
$ mkdir -p h/.claude/projects/-srv-demo; export HOME=$PWD/h; unset CLAUDE_CONFIG_DIR CODEX_HOME
$ F=h/.claude/projects/-srv-demo/11111111-2222-4333-8444-555555555555.jsonl
$ cat >$F <<'END'
> {"type":"summary","summary":"How it parses","leafUuid":"a2"}
> {"type":"user","uuid":"a1","parentUuid":null,"timestamp":"2025-09-03T10:00:00.000Z","sessionId":"11111111-2222-4333-8444-555555555555","cwd":"/srv/demo","message":{"role":"user","content":"explain the parser"}}
> {"type":"assistant","uuid":"a2","parentUuid":"a1","timestamp":"2025-09-03T10:00:05.000Z","sessionId":"11111111-2222-4333-8444-555555555555","cwd":"/srv/demo","requestId":"r1","message":{"id":"m1","role":"assistant","model":"m","content":[{"type":"text","text":"It reads tokens."}],"usage":{"input_tokens":10,"output_tokens":4}}}
> END
$ quire import --dry-run --json; quire session ls --ids
{"agent":"claude-code","source":"…/h/.claude/projects/-srv-demo/11111111-2222-4333-8444-555555555555.jsonl","session":"11111111-2222-4333-8444-555555555555","state":"new","entries":3,"bytes":…,"problems":0}
{"found":1,"imported":1,"unchanged":0,"problems":0,"bytes":…}
$ quire import
claude-code  new              3  … B  11111111-2222-4333-8444-555555555555
1 session found, 1 imported (… B), 0 unchanged
$ quire import --json | tail -1
{"found":1,"imported":0,"unchanged":1,"problems":0,"bytes":0}
$ quire session ls --json | grep -o '"cwd":[^,]*,"title":[^,]*,"created":[^,]*'
"cwd":"/srv/demo","title":"How it parses","created":"2025-09-03T10:00:00.000Z"
$ quire session ls --json | grep -o '"agent.*'
"agent":"claude-code","source":"…/h/.claude/projects/-srv-demo/11111111-2222-4333-8444-555555555555.jsonl"}
$ quire session export 1111 --to original | cmp - $F; quire session export 1111 --to original -o o.jsonl --json; cmp o.jsonl $F
{"to":"original","files":["o.jsonl"],"dropped":[]}
$ quire search tokens --json | grep -o '"agent":[^,]*'
"agent":"claude-code"
$ quire session check 1111; quire check --json | grep -c '"unreferenced":0'
1
$ quire stats --json | grep -o '"unreferenced":[0-9]*'
"unreferenced":0
$ quire import ls --json
{"agent":"claude-code","source":"…","session":"1111…","main":true,"title":"How it parses","cwd":"/srv/demo","entries":3,"bytes":…,"problems":0,"modified_at":"…","imported_at":"…"}
$ quire gc --grace 0 --yes --json | grep -o '"removed":[^,]*'
"removed":0

# a file that grew is continued, one that was rewritten is converted anew
$ mkdir -p h/.claude/projects/-srv-demo; export HOME=$PWD/h; unset CLAUDE_CONFIG_DIR CODEX_HOME
$ F=h/.claude/projects/-srv-demo/11111111-2222-4333-8444-555555555555.jsonl
$ user() { echo "{\"type\":\"user\",\"uuid\":\"$1\",\"parentUuid\":$2,\"timestamp\":\"2025-09-03T10:00:0$3.000Z\",\"cwd\":\"/srv/demo\",\"message\":{\"role\":\"user\",\"content\":\"$4\"}}"; }
$ user a1 null 1 one >$F; quire import --json | head -1 | grep -o '"state.*'
"state":"new","entries":1,"bytes":…,"problems":0}
$ user a2 '"a1"' 2 two >>$F; quire import --json | grep -o '"state.*\|"bytes.*'
"state":"grown","entries":2,"bytes":…,"problems":0}
"bytes":145}
$ user a3 '"a2"' 3 three | tr -d '\n' >>$F; quire import --json | head -1 | grep -o '"state.*'
"state":"grown","entries":3,"bytes":…}
$ echo >>$F; user a4 '"a3"' 4 four >>$F; quire import --json | head -1 | grep -o '"state.*'
"state":"grown","entries":4,"bytes":…}
$ quire session show last --json 2>/dev/null; quire session show 1111 --json | grep -o '"content":[^,]*'
"content":"one"
"content":"two"
"content":"three"
"content":"four"
? 0
$ touch $F; quire import --json | head -1 | grep -o '"state[^,]*'
"state":"unchanged"
$ user b1 null 1 other >$F; quire import --json | head -1 | grep -o '"state.*'
"state":"rewritten","entries":1,"bytes":…}
$ quire session show 1111 --json | grep -o '"content":[^,]*'; quire session check 1111
"content":"other"
$ quire session ls --ids | wc -l
1

# what is appended to an imported session goes to a fork of it
$ mkdir -p h/.claude/projects/-srv-demo; export HOME=$PWD/h; unset CLAUDE_CONFIG_DIR CODEX_HOME
$ F=h/.claude/projects/-srv-demo/11111111-2222-4333-8444-555555555555.jsonl
$ user() { echo "{\"type\":\"user\",\"uuid\":\"$1\",\"parentUuid\":$2,\"timestamp\":\"2025-09-03T10:00:0$3.000Z\",\"cwd\":\"$PWD\",\"message\":{\"role\":\"user\",\"content\":\"$4\"}}"; }
$ mine() { echo "{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"$1\"}}"; }
$ texts() { quire session show $1 --json | grep -o '"content":[^,}]*'; }
$ user a1 null 1 one >$F; quire import >/dev/null; find "$QUIRE_HOME/sessions" -type f -exec sha256sum {} + >sums
$ (mine two; mine three) | quire session append 1111 --op k1
quire: warning: session 11111111-2222-4333-8444-555555555555 was imported and stays as it is: it goes on in session …
{"id":"…","parentId":"…","session":"…"}
{"id":"…","parentId":"…","session":"…"}
$ sha256sum -c sums
…: OK
$ texts last; quire session ls --json | grep -o '"parent":"[^"]*"'
"content":"one"
"content":"two"
"content":"three"
"parent":"11111111-2222-4333-8444-555555555555"
$ (mine two; mine three) | quire session append 1111 --op k1 2>/dev/null
{"id":"…","parentId":"…","existed":true,"session":"…"}
{"id":"…","parentId":"…","existed":true,"session":"…"}
$ mine four | quire session append 1111 -q >/dev/null; texts last | tail -1; quire session ls --ids | wc -l
"content":"four"
2
$ mine no | quire session append 1111 --expect nope 2>&1 | grep -c 'leaf of session'
1
$ user a2 '"a1"' 2 more >>$F; quire import --json | head -1 | grep -o '"state.*'
"state":"grown","entries":2,"bytes":…,"problems":0}
$ texts 1111; mine five | quire session append 1111 -q >/dev/null; texts last; quire session ls --ids | wc -l
"content":"one"
"content":"more"
"content":"one"
"content":"more"
"content":"five"
3
$ A=$(quire session show 1111 --json | head -1 | grep -o '"id":"[^"]*"' | cut -d'"' -f4)
$ quire session branch 1111 $A -q | grep -o '"session"'; quire session tree 1111 --json | grep -c .
"session"
2
$ quire session show 1111 --json | quire session rewrite 1111
quire: session 1111… was imported: its entries are those of the agent's file
hint: `quire session fork` makes a session of your own of it
? 1
$ quire check | grep -c ": 0 problems"; quire session check last
1

# labels and the title of an imported session stay when it is imported again
$ mkdir -p h/.claude/projects/-srv-demo; export HOME=$PWD/h; unset CLAUDE_CONFIG_DIR CODEX_HOME
$ F=h/.claude/projects/-srv-demo/11111111-2222-4333-8444-555555555555.jsonl
$ user() { echo "{\"type\":\"user\",\"uuid\":\"$1\",\"parentUuid\":$2,\"timestamp\":\"2025-09-03T10:00:0$3.000Z\",\"cwd\":\"/srv/demo\",\"message\":{\"role\":\"user\",\"content\":\"$4\"}}"; }
$ look() { quire session ls --json | grep -o '"title":"[^"]*"'; quire session context 1111 | grep -o '"content":"[^"]*"'; quire session tree 1111 --json | grep -o '"label":"[^"]*"'; }
$ user a1 null 1 one >$F; quire import >/dev/null; A=$(quire session show 1111 --json | grep -o '"id":"[^"]*"' | cut -d'"' -f4)
$ quire session label 1111 $A begin; quire session rename 1111 'my title'; quire session ls --ids | wc -l
1
$ quire import --json | tail -1
{"found":1,"imported":0,"unchanged":1,"problems":0,"bytes":0}
$ user a2 '"a1"' 2 two >>$F; quire import --json | head -1 | grep -o '"state[^,]*'; look
"state":"grown"
"title":"my title"
"content":"one"
"content":"two"
"label":"begin"
$ echo '{"type":"custom-title","customTitle":"its title","sessionId":"x"}' >>$F; quire import >/dev/null; look | head -1
"title":"my title"
$ (user a1 null 1 one; user a3 '"a1"' 3 other) >$F; quire import --json | head -1 | grep -o '"state[^,]*'; look
"state":"rewritten"
"title":"my title"
"content":"one"
"content":"other"
"label":"begin"
$ quire session label 1111 $A; look | tail -1
"content":"other"
$ quire session check 1111; quire check
…: 0 problems

# a session file that something else was appended to is left alone
$ mkdir -p h/.claude/projects/-srv-demo; export HOME=$PWD/h; unset CLAUDE_CONFIG_DIR CODEX_HOME
$ F=h/.claude/projects/-srv-demo/11111111-2222-4333-8444-555555555555.jsonl
$ user() { echo "{\"type\":\"user\",\"uuid\":\"$1\",\"parentUuid\":$2,\"timestamp\":\"2025-09-03T10:00:0$3.000Z\",\"cwd\":\"/srv/demo\",\"message\":{\"role\":\"user\",\"content\":\"$4\"}}"; }
$ user a1 null 1 one >$F; quire import >/dev/null; S=$(find "$QUIRE_HOME/sessions" -name '*.gz'); gzip -dc "$S" >"${S%.gz}"; rm "$S"
$ echo '{"type":"message","id":"m1","parentId":null,"message":{"role":"user","content":"mine"}}' >>"${S%.gz}"
$ user a2 '"a1"' 2 two >>$F; quire import 2>&1
quire: warning: session 1111… was changed since it was imported
0 sessions found, 0 imported (0 B), 0 unchanged, 1 problem
$ quire session show 1111 --json | grep -o '"content":[^,}]*'
"content":"one"
"content":"mine"

# what cannot be read is reported, and the rest imported
$ mkdir -p h/.claude/projects/-srv-demo; export HOME=$PWD/h; unset CLAUDE_CONFIG_DIR CODEX_HOME
$ F=h/.claude/projects/-srv-demo/11111111-2222-4333-8444-555555555555.jsonl
$ echo '{"type":"user","uuid":"a1","parentUuid":null,"timestamp":"2025-09-03T10:00:00.000Z","cwd":"/srv/demo","message":{"role":"user","content":"one"}}' >$F
$ echo '{"type":"us' >>$F; printf '{"type":"user","uuid":"a2","parentUuid":"a1","timestamp":"2025-09-03T10:00:01.000Z","cwd":"/srv/demo","message":{"role":"user","content":"two"}}\n{"type":"assi' >>$F
$ quire import --json
{"warning":"…5555.jsonl, line 2 (byte 156): a string has no closing quote","kind":"import"}
{"warning":"…5555.jsonl, line 4 (byte 315): a string has no closing quote","kind":"import"}
{"agent":"claude-code",…,"state":"new","entries":2,"bytes":…,"problems":2}
{"found":1,"imported":1,"unchanged":0,"problems":2,"bytes":…}
$ echo 'no json' >h/.claude/projects/-srv-demo/notes.jsonl; quire import --json 2>&1 >/dev/null | grep notes
{"warning":"…notes.jsonl, line 1 (byte 0): …","kind":"import"}

# sessions of Codex, sub-agents, files that belong to a session
$ export HOME=$PWD/h CLAUDE_CONFIG_DIR=$PWD/c CODEX_HOME=$PWD/x; U=11111111-2222-4333-8444-555555555555
$ P=c/projects/-srv-demo; mkdir -p $P/$U/subagents $P/$U/tool-results x/sessions/2025/09/03 x/archived_sessions
$ echo '{"type":"user","uuid":"a1","parentUuid":null,"timestamp":"2025-09-03T10:00:00.000Z","cwd":"/srv/demo","message":{"role":"user","content":"one"}}' >$P/$U.jsonl
$ echo '{"type":"user","uuid":"b1","parentUuid":null,"isSidechain":true,"agentId":"a1b2","timestamp":"2025-09-03T10:00:01.000Z","cwd":"/srv/demo","message":{"role":"user","content":"look"}}' >$P/$U/subagents/agent-a1b2.jsonl
$ echo result >$P/$U/tool-results/t1.txt
$ R=rollout-2025-09-03T10-00-00-01990000-0000-7000-8000-000000000001.jsonl
$ cat >x/sessions/2025/09/03/$R <<'END'
> {"timestamp":"2025-09-03T10:00:00.000Z","type":"session_meta","payload":{"id":"01990000-0000-7000-8000-000000000001","timestamp":"2025-09-03T10:00:00.000Z","cwd":"/srv/other","originator":"codex_cli_rs","cli_version":"0.150.0"}}
> {"timestamp":"2025-09-03T10:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"hello codex"}]}}
> END
$ quire import --json | grep -o '"agent":[^,]*\|"session":[^,]*\|"found":.*'
"agent":"claude-code"
"session":"11111111-2222-4333-8444-555555555555"
"agent":"claude-code"
"session":"a1b2-11111111"
"agent":"codex"
"session":"01990000-0000-7000-8000-000000000001"
"found":3,"imported":3,"unchanged":0,"problems":0,"bytes":…}
$ quire session ls --json | grep a1b2 | grep -o '"parent":[^,]*'; quire import ls --json | grep -c '"main":false'
"parent":"11111111-2222-4333-8444-555555555555"
1
$ quire session export 1111 --to original -o o; diff -r o $P
Only in c/projects/-srv-demo/11111111-2222-4333-8444-555555555555: subagents
? 1
$ S=$(quire session new --title own | cut -d'"' -f4); quire session export $S --to original
quire: session … was not imported: it has no original
hint: …
? 1
$ quire session rm $S; mv x/sessions/2025/09/03/$R x/archived_sessions; quire import --json | tail -1; quire session ls --ids | wc -l
{"found":3,"imported":0,"unchanged":3,"problems":0,"bytes":0}
3
$ quire import --json --agent codex | tail -1; quire import --json --project /srv/demo | tail -1; quire import --since 2100-01-01 --json
{"found":1,"imported":0,"unchanged":1,"problems":0,"bytes":0}
{"found":2,"imported":0,"unchanged":2,"problems":0,"bytes":0}
{"found":0,"imported":0,"unchanged":0,"problems":0,"bytes":0}

# images and long results become blobs that a collection keeps
$ export HOME=$PWD/h CLAUDE_CONFIG_DIR=$PWD/c; U=11111111-2222-4333-8444-555555555555; mkdir -p c/projects/-srv-demo; F=c/projects/-srv-demo/$U.jsonl
$ head -c 3000 /dev/zero >image; seq 1 2000 >result; DATA=$(base64 -w0 image)
$ cat >$F <<END
> {"type":"user","uuid":"a1","parentUuid":null,"timestamp":"2025-09-03T10:00:00.000Z","cwd":"/srv/demo","message":{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"$DATA"}}]}}
> {"type":"assistant","uuid":"a2","parentUuid":"a1","timestamp":"2025-09-03T10:00:05.000Z","requestId":"r1","message":{"id":"m1","role":"assistant","model":"m","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"seq"}}]}}
> {"type":"user","uuid":"a3","parentUuid":"a2","timestamp":"2025-09-03T10:00:06.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"$(sed 's/$/\\n/' result | tr -d '\n')"}]}}
> END
$ quire import --json | tail -1; quire blob ls | wc -l
{"found":1,"imported":1,"unchanged":0,"problems":0,"bytes":…}
4
$ quire gc --grace 0 --yes >/dev/null; quire gc --grace 0 --yes --json | grep -o '"removed":[0-9]*'; quire check --json | grep -o '"unreferenced":[0-9]*'
"removed":0
"unreferenced":0
$ quire session show $U --json | grep -o '\[2000 of [^]]*'
[2000 of 8893 bytes; all of them: blob:sha256:…
$ quire blob get $(quire session show $U --json | grep -o 'all of them: [^]]*' | cut -d' ' -f4) | cmp - result
$ quire session context $U | grep -c "$DATA"; quire session export $U --to original | cmp - $F
1

# a compressed file of Codex is the plain one, which counts if both are there
$ export HOME=$PWD/h CODEX_HOME=$PWD/x; mkdir -p x/sessions; A=x/sessions/rollout-2025-09-03T10-00-00-01990000-0000-7000-8000-000000000001.jsonl
$ byte() { for i in "$@"; do printf "\\$(printf %03o $i)"; done; }
$ pack() { n=$(wc -c <$1); b=$((n * 8 + 1)); byte 40 181 47 253 160 $((n & 255)) $((n >> 8)) 0 0 $((b & 255)) $((b >> 8 & 255)) $((b >> 16)); cat $1; }
$ echo '{"timestamp":"2025-09-03T10:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]}}' >$A
$ quire import --json; pack $A >$A.zst; quire import --json | tail -1
{"agent":"codex",…,"state":"new","entries":1,"bytes":…,"problems":0}
{"found":1,"imported":1,"unchanged":0,"problems":0,"bytes":…}
{"found":1,"imported":0,"unchanged":1,"problems":0,"bytes":0}
$ mv $A plain; quire import --json | tail -1; quire import ls --json | grep -o '[^/]*zst'; quire session ls --ids | wc -l
{"found":1,"imported":0,"unchanged":1,"problems":0,"bytes":0}
rollout-…jsonl.zst
1
$ quire import --json | tail -1; quire session export 0199 --to original | cmp - plain
{"found":1,"imported":0,"unchanged":1,"problems":0,"bytes":0}
$ sed p plain >$A; quire import --json | head -1 | grep -o '"state":[^,]*,"entries":[0-9]*'; quire session ls --ids | wc -l
"state":"rewritten","entries":2
1
$ rm $A; head -c 60 $A.zst >t; mv t $A.zst; quire import 2>&1
quire: warning: …1.jsonl.zst cannot be decompressed: …
0 sessions found, 0 imported (0 B), 0 unchanged, 1 problem

# a session of Codex that begins in another file has its records
$ export HOME=$PWD/h CODEX_HOME=$PWD/x; mkdir -p x/sessions; A=01990000-0000-7000-8000-000000000001 B=01990000-0000-7000-8000-000000000002
$ F=x/sessions/rollout-2025-09-03T10-00-00-$A.jsonl G=x/sessions/rollout-2025-09-03T11-00-00-$B.jsonl
$ say() { echo '{"timestamp":"2025-09-03T10:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"'$1'"}]}}'; }
$ echo '{"timestamp":"2025-09-03T10:00:00.000Z","type":"session_meta","payload":{"id":"'$A'","timestamp":"2025-09-03T10:00:00.000Z","cwd":"/srv/x"}}' >$F
$ say one >>$F; N=$(wc -c <$F); say two >>$F
$ echo '{"timestamp":"2025-09-03T11:00:00.000Z","type":"session_meta","payload":{"id":"'$B'","timestamp":"2025-09-03T11:00:00.000Z","cwd":"/srv/x","history_base":{"thread_id":"'$A'","end_ordinal_exclusive":2,"end_byte_offset":'$N'}}}' >$G; say three >>$G
$ quire import --json | tail -1; quire session show $B --json | grep -o '"text":"[a-z]*"'
{"found":2,"imported":2,"unchanged":0,"problems":0,"bytes":…}
"text":"one"
"text":"three"
$ rm $F; say four >>$G; quire import --json | tail -1; quire session show $B --json | grep -c '"text":"[a-z]*"'
{"found":1,"imported":1,"unchanged":0,"problems":0,"bytes":…}
3
$ quire session export $B --to original | cmp - $G

# an imported session that was moved is continued where it is
$ export HOME=$PWD/h CLAUDE_CONFIG_DIR=$PWD/c; U=11111111-2222-4333-8444-555555555555; F=c/projects/-srv-demo/$U.jsonl; mkdir -p c/projects/-srv-demo
$ say() { echo '{"type":"user","uuid":"'$1'","timestamp":"2025-09-03T10:00:00.000Z","cwd":"/srv/demo","message":{"role":"user","content":"'$1'"}}'; }
$ say one >$F; quire import >/dev/null; quire session move $U --cwd /srv/another/place >/dev/null; say two >>$F; quire import --json | grep -o '"state":"[a-z]*"'
"state":"grown"
$ quire session move $U --cwd /x >/dev/null; say three >>$F; quire import --json | grep -o '"state":"[a-z]*"'; quire session show $U --json | grep -c '"role":"user"'
"state":"grown"
3
$ quire session ls --json | grep -o '"cwd":"[^"]*"'; quire session export $U --to original -o - | cmp - $F
"cwd":"/x"
$ say other >$F; quire import --json | grep -o '"state":"[a-z]*"'; quire session ls --json | grep -o '"cwd":"[^"]*"'; quire check | tail -1
"state":"rewritten"
"cwd":"/x"
…

# a removed session is not imported again, and its original goes
$ export HOME=$PWD/h CLAUDE_CONFIG_DIR=$PWD/c; U=11111111-2222-4333-8444-555555555555; mkdir -p c/projects/-srv-demo
$ echo '{"type":"user","uuid":"a1","parentUuid":null,"timestamp":"2025-09-03T10:00:00.000Z","cwd":"/srv/demo","message":{"role":"user","content":"one"}}' >c/projects/-srv-demo/$U.jsonl
$ quire import >/dev/null; quire session rm $U; quire import --json | tail -1; quire session ls
{"found":1,"imported":0,"unchanged":1,"problems":0,"bytes":0}
$ quire session restore $U >/dev/null; quire session export $U --to original -o - | cmp - c/projects/-srv-demo/$U.jsonl
$ quire session rm --now $U; quire import --json | tail -1; quire session ls
{"found":1,"imported":0,"unchanged":1,"problems":0,"bytes":0}
$ quire gc --grace 0 --yes --json >/dev/null; quire gc --grace 0 --yes --json >/dev/null; quire blob ls

# a removed session whose file goes on is imported again, whole; the trash keeps the old one
$ export HOME=$PWD/h CLAUDE_CONFIG_DIR=$PWD/c; U=11111111-2222-4333-8444-555555555555; F=c/projects/-srv-demo/$U.jsonl; mkdir -p c/projects/-srv-demo
$ say() { echo '{"type":"user","uuid":"'$1'","timestamp":"2025-09-03T10:00:00.000Z","cwd":"/srv/demo","message":{"role":"user","content":"'$1'"}}'; }
$ say one >$F; quire import >/dev/null; quire session rm $U; say two >>$F; quire import --json | head -1 | grep -o '"state":.*,"entries":[0-9]*'
"state":"rewritten","entries":2
$ quire session restore $U
quire: there is a session 11111111-2222-4333-8444-555555555555 again
hint: remove that one, or fork it and then remove it
? 1
$ quire trash empty; quire gc --grace 0 --yes >/dev/null; quire gc --grace 0 --yes >/dev/null; quire session export $U --to original -o - | cmp - $F
$ quire session rm $U; quire trash empty; quire gc --grace 0 --yes >/dev/null; quire gc --grace 0 --yes >/dev/null; quire blob ls
$ say three >>$F; quire import >/dev/null; quire session export $U --to original -o - | cmp - $F; quire check | grep -o '0 problems'
0 problems
$ quire session rm --now $U; rm $F; quire import --json; quire session ls
{"found":0,"imported":0,"unchanged":0,"problems":0,"bytes":0}
$ mkdir -p c/projects/-srv-demo; say one >$F; quire import >/dev/null; rm $F; quire import --json; quire session show $U --json | grep -c '"role":"user"'
{"found":0,"imported":0,"unchanged":0,"problems":0,"bytes":0}
1

# with a session that comes back the files that belong to it come back, with the next import
$ export HOME=$PWD/h CLAUDE_CONFIG_DIR=$PWD/c; U=11111111-2222-4333-8444-555555555555; P=c/projects/-srv-demo; F=$P/$U.jsonl; mkdir -p $P/$U/tool-results
$ say() { echo '{"type":"user","uuid":"'$1'","timestamp":"2025-09-03T10:00:00.000Z","cwd":"/srv/demo","message":{"role":"user","content":"'$1'"}}'; }
$ say one >$F; echo result >$P/$U/tool-results/t1.txt; quire import >/dev/null; quire session rm --now $U; quire import >/dev/null; quire gc --grace 0 --yes >/dev/null; quire gc --grace 0 --yes >/dev/null; quire blob ls
$ say two >>$F; quire import >/dev/null; quire import --json | tail -1; quire import --json | tail -1
{"found":1,"imported":0,"unchanged":1,"problems":0,"bytes":7}
{"found":1,"imported":0,"unchanged":1,"problems":0,"bytes":0}
$ quire session export $U --to original -o out; find out -type f | wc -l; find out -name t1.txt -exec cat {} +; find out -name $U.jsonl -exec cmp {} $F \;
2
result

# an import that finds nothing
$ export HOME=$PWD/h; unset CLAUDE_CONFIG_DIR CODEX_HOME; quire import; quire import --json; quire import ls
0 sessions found, 0 imported (0 B), 0 unchanged
{"found":0,"imported":0,"unchanged":0,"problems":0,"bytes":0}
$ quire import --agent nobody; quire import --from /nowhere; quire import more
quire: there is no importer for agent `nobody`
hint: claude-code, codex, gemini, omp, pi, cline, qwen, copilot, kimi, opencode, jp, crush, goose, aider, chat
quire: /nowhere does not exist
quire: more does not exist
? 1

# a file that is named is of the agent that is named
$ export HOME=$PWD/h; echo '{"x":1}' >talk; echo '{"role":"user","content":"hi"}' >>talk
$ quire import talk
quire: …/talk is not a session file
hint: name a session file of an agent, or a directory, or its agent with --format
? 3
$ quire import --format chat talk --json; quire import --format chat --from talk --json | tail -1
{"agent":"chat","source":"…/talk","session":"talk","state":"new","entries":2,"bytes":…,"problems":0}
{"found":1,"imported":1,"unchanged":0,"problems":0,"bytes":…}
{"found":1,"imported":0,"unchanged":1,"problems":0,"bytes":0}
$ mv talk talk.jsonl; quire import --agent chat --from talk.jsonl; quire import --format kimi talk.jsonl --json | grep -o '"agent":[^,]*'
quire: …/talk.jsonl is not a session file
hint: …
"agent":"kimi"
$ quire import --format chat; quire import --format nobody talk.jsonl
quire: --format says of which agent a file is, and none is named
hint: name one: `quire import --format chat talk.json`
quire: there is no importer for agent `nobody`
hint: …
? 2

# the database of opencode, whose originals are rows
$ export HOME=$PWD/h; unset XDG_DATA_HOME; D=h/.local/share/opencode; mkdir -p $D
$ cat >talk.json <<'END'
> {"info": {"id": "ses_1a", "directory": "/srv/demo", "title": "A talk", "time": {"created": 1772359200000}},
>  "messages": [{"info": {"id": "msg_1", "role": "user", "time": {"created": 1772359200123}}, "parts": [{"id": "prt_1", "type": "text", "text": "explain the parser"}]}]}
> END
$ quire import talk.json --json
{"agent":"opencode","source":"…/talk.json","session":"1a","state":"new","entries":1,"bytes":…,"problems":0}
{"found":1,"imported":1,"unchanged":0,"problems":0,"bytes":…}
$ quire session export ses_1a --to original | cmp - talk.json; quire resume 1a --in opencode | head -1
cd /srv/demo && sh -c 'opencode import "$0" && exec opencode --session "ses_$1"' …/talk.json 1a
$ mkdir -p $D/storage/session/p $D/storage/message/ses_2b $D/storage/part/msg_2
$ echo '{"id":"ses_2b","directory":"/srv/demo","title":"Old"}' >$D/storage/session/p/ses_2b.json
$ echo '{"id":"msg_2","role":"user"}' >$D/storage/message/ses_2b/msg_2.json; echo '{"type":"text","text":"hello"}' >$D/storage/part/msg_2/prt_2.json
$ quire import --json | head -1; quire session export 2b --to original
{"agent":"opencode","source":"…/storage/session/p/ses_2b.json","session":"2b","state":"new","entries":1,"bytes":…,"problems":0}
{"session":{"file":"session/p/ses_2b.json","data":"{\"id\":\"ses_2b\",\"directory\":\"/srv/demo\",\"title\":\"Old\"}\n"}}
{"message":{"file":"message/ses_2b/msg_2.json","data":"{\"id\":\"msg_2\",\"role\":\"user\"}\n"},"parts":[{"file":"part/msg_2/prt_2.json","data":"{\"type\":\"text\",\"text\":\"hello\"}\n"}]}
$ echo no database >$D/opencode.db; quire import 2>&1
quire: warning: …/opencode.db cannot be read: …/opencode.db is not a SQLite database
1 session found, 0 imported (0 B), 1 unchanged, 1 problem

# the chat history of Aider
$ export HOME=$PWD/h; unset AIDER_CHAT_HISTORY_FILE; printf '# aider chat started at 2026-03-01 10:00:00\n\n#### explain\n\nIt reads tokens.\n' >.aider.chat.history.md
$ quire import --json | head -1 | grep -o '"agent":[^,]*\|"state.*'; printf '\n#### more\n' >>.aider.chat.history.md; quire import --json | head -1 | grep -o '"state":[^,]*,"entries":[0-9]*'
"agent":"aider"
"state":"new","entries":2,"bytes":…,"problems":0}
"state":"grown","entries":3
$ quire session ls --json | grep -o '"cwd":[^,]*'; quire search tokens --json | grep -o '"agent":[^,]*'
"cwd":"…"
"agent":"aider"

# --watch goes on until it is interrupted, with a line for each session
$ export HOME=$PWD/h; unset CLAUDE_CONFIG_DIR CODEX_HOME XDG_DATA_HOME; P=h/.claude/projects/-srv-demo; mkdir -p $P
$ user() { echo "{\"type\":\"user\",\"uuid\":\"$1\",\"parentUuid\":$2,\"timestamp\":\"2025-09-03T10:00:01.000Z\",\"cwd\":\"/srv/demo\",\"message\":{\"role\":\"user\",\"content\":\"$1\"}}"; }
$ until_has() { for i in $(seq 200); do grep -q "$1" out err && return; sleep 0.05; done; echo "no $1"; }
$ user a1 null >$P/11111111-2222-4333-8444-555555555555.jsonl
$ quire import --watch >out 2>err & W=$!
$ until_has watching; user a2 '"a1"' >>$P/11111111-2222-4333-8444-555555555555.jsonl; until_has grown
$ user b1 null >$P/22222222-2222-4333-8444-555555555555.jsonl; until_has 22222222
$ mkdir -p h/.codex/sessions/2025/09/03; echo '{"timestamp":"2025-09-03T10:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]}}' >h/.codex/sessions/2025/09/03/rollout-2025-09-03T10-00-00-01990000-0000-7000-8000-000000000001.jsonl; until_has codex
$ kill -INT $W; wait $W; cat out err
claude-code  new              1       … B  11111111-2222-4333-8444-555555555555
1 session found, 1 imported (… B), 0 unchanged
claude-code  grown            2       … B  11111111-2222-4333-8444-555555555555
claude-code  new              1       … B  22222222-2222-4333-8444-555555555555
codex        new              1       … B  01990000-0000-7000-8000-000000000001
watching … directories
$ quire import --json | tail -1
{"found":3,"imported":0,"unchanged":3,"problems":0,"bytes":0}
$ quire import --watch --dry-run
quire: --watch keeps importing, --dry-run imports nothing
hint: leave one of them out
? 2

# of a file with many problems the first are reported, and the number of the others
$ export HOME=$PWD/h; unset CLAUDE_CONFIG_DIR CODEX_HOME XDG_DATA_HOME; P=h/.claude/projects/-srv-demo; mkdir -p $P; seq -f 'no %g' 50 >$P/11111111-2222-4333-8444-555555555555.jsonl
$ quire import 2>said | tail -1; wc -l <said; tail -1 said
1 session found, 1 imported (… B), 0 unchanged, 50 problems
21
quire: warning: …/11111111-2222-4333-8444-555555555555.jsonl: 30 more problems

# usage that a fork repeats is counted once, in the session that was imported first
$ export HOME=$PWD/h; unset CLAUDE_CONFIG_DIR CODEX_HOME XDG_DATA_HOME; P=h/.claude/projects/-srv-demo; mkdir -p $P h/.codex/sessions
$ say() { echo "{\"type\":\"assistant\",\"uuid\":\"$2\",\"parentUuid\":$3,\"timestamp\":\"2025-09-03T10:00:01.000Z\",\"sessionId\":\"$1\",\"cwd\":\"/srv/demo\",\"requestId\":\"r-$4\",\"message\":{\"id\":\"m-$4\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[{\"type\":\"text\",\"text\":\"$4\"}],\"usage\":{\"input_tokens\":$5,\"output_tokens\":1}}}"; }
$ A=11111111-2222-4333-8444-555555555555; B=22222222-2222-4333-8444-555555555555
$ { say $A a1 null one 100; say $A a2 '"a1"' two 200; } >$P/$A.jsonl; { say $B a1 null one 100; say $B a2 '"a1"' two 200; say $B b1 '"a2"' three 400; } >$P/$B.jsonl
$ quire import >/dev/null; inputs() { quire session ls --totals --json | grep "\"id\":\"$1\"" | grep -o '"input":[0-9]*'; }; inputs $A; inputs $B
"input":300
"input":400
$ say $A a3 '"a2"' four 800 >>$P/$A.jsonl; say $B b2 '"b1"' five 1600 >>$P/$B.jsonl; quire import >/dev/null; inputs $A; inputs $B
"input":1100
"input":2000
$ say $B c1 null one 100 >$P/$B.jsonl; quire import >/dev/null; inputs $B
"input":0
$ meta() { echo "{\"timestamp\":\"$1\",\"type\":\"session_meta\",\"payload\":{\"id\":\"$2\",\"timestamp\":\"$1\",\"cwd\":\"/srv/demo\"$3}}"; }
$ turn() { echo "{\"timestamp\":\"$1\",\"type\":\"response_item\",\"payload\":{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"$2\"}]}}"; echo "{\"timestamp\":\"$1\",\"type\":\"event_msg\",\"payload\":{\"type\":\"token_count\",\"info\":{\"total_token_usage\":{\"input_tokens\":$2,\"cached_input_tokens\":0,\"output_tokens\":$2,\"total_tokens\":$2},\"last_token_usage\":{\"input_tokens\":10,\"cached_input_tokens\":0,\"output_tokens\":1,\"total_tokens\":11}}}}"; }
$ roll() { cat >h/.codex/sessions/rollout-2025-09-03T10-00-00-$1.jsonl; }
$ C=01990000-0000-7000-8000-000000000001; D=01990000-0000-7000-8000-000000000002; E=01990000-0000-7000-8000-000000000003
$ T=2025-09-03T10:00:01.000Z; U=2025-09-03T11:00:01.000Z
$ { meta $T $C; turn $T 10; turn $T 20; } | roll $C
$ { meta $U $D ",\"forked_from_id\":\"$C\""; meta $U $C; turn $U 10; turn $U 20; turn $U 30; } | roll $D
$ { meta $U $E ",\"forked_from_id\":\"$D\""; meta $U $D; meta $U $C; turn $U 10; turn $U 20; turn $U 30; turn $U 35; } | roll $E
$ quire import >/dev/null; inputs $C; inputs $D; inputs $E
"input":20
"input":10
"input":10

# prompts that a person typed come along, with their times and directories
$ export HOME=$PWD/h; unset CLAUDE_CONFIG_DIR CODEX_HOME XDG_DATA_HOME; mkdir -p h/.claude h/.codex
$ H=h/.claude/history.jsonl; typed() { echo "{\"display\":\"$1\",\"pastedContents\":{},\"timestamp\":$2,\"project\":\"/srv/demo\",\"sessionId\":\"11111111-2222-4333-8444-555555555555\"}"; }
$ { typed 'fix the parser' 1756893600000; typed 'run the tests' 1756893660000; } >$H; echo '{"session_id":"01990000-0000-7000-8000-000000000001","ts":1756893720,"text":"hello codex"}' >h/.codex/history.jsonl
$ quire import --json; quire history ls --json
{"found":0,"imported":0,"unchanged":0,"problems":0,"bytes":…}
{"id":…,"prompt":"hello codex","created_at":"2025-09-03T10:02:00.000Z","cwd":null,"session":"01990000-0000-7000-8000-000000000001"}
{"id":…,"prompt":"run the tests","created_at":"2025-09-03T10:01:00.000Z","cwd":"/srv/demo","session":"11111111-2222-4333-8444-555555555555"}
{"id":…,"prompt":"fix the parser","created_at":"2025-09-03T10:00:00.000Z","cwd":"/srv/demo","session":"11111111-2222-4333-8444-555555555555"}
$ quire import --json; quire history ls | wc -l
{"found":0,"imported":0,"unchanged":0,"problems":0,"bytes":0}
3
$ quire history add 'fix the parser' >/dev/null; typed 'fix the parser' 1756893600000 | tr -d '\n' >>$H; quire import --json
{"found":0,"imported":0,"unchanged":0,"problems":0,"bytes":…}
$ quire history ls --json | head -1 | grep -o '"prompt":[^,]*'; quire history ls | wc -l
"prompt":"fix the parser"
3
$ printf '\n{"display":"torn' >>$H; quire import --json >/dev/null; echo ' no more"}' >>$H; typed 'one more' 1756893780000 >>$H; quire import
quire: warning: …/h/.claude/history.jsonl, byte …: it has no time
0 sessions found, 0 imported (… B), 0 unchanged, 1 problem
$ quire history ls --json | grep -c 'one more'; quire import ls --json | grep -o '"source":"[^"]*","session":"[^"]*"'; quire check >/dev/null
1
"source":"…/h/.claude/history.jsonl","session":""
"source":"…/h/.codex/history.jsonl","session":""

# a note that is deleted leaves its entry; an entry that is removed comes back with a change of its note
$ export HOME=$PWD/h; unset CLAUDE_CONFIG_DIR CODEX_HOME XDG_DATA_HOME; M=h/.claude/projects/-srv-demo/memory; mkdir -p $M
$ echo '# One' >$M/one.md; echo '# Two' >$M/two.md; quire import >/dev/null; rm $M/one.md; quire import >/dev/null; quire memory ls --json | grep -o '"title":"[^"]*"' | sort
"title":"One"
"title":"Two"
$ quire memory rm $(quire memory ls --json | grep '"Two"' | grep -o '"id":[0-9]*' | cut -d: -f2); quire import >/dev/null; quire memory ls --json | grep -o '"title":"[^"]*"'
"title":"One"
$ echo 'More.' >>$M/two.md; quire import >/dev/null; quire memory ls --json | grep -o '"title":"[^"]*"' | sort
"title":"One"
"title":"Two"
$ rm -r $M; quire import --json; quire memory ls --json | wc -l; quire check | grep -o '0 problems'
{"found":0,"imported":0,"unchanged":0,"problems":0,"bytes":0}
2
0 problems

# notes of Claude Code become entries of the memory, which follow their files
$ export HOME=$PWD/h; unset CLAUDE_CONFIG_DIR CODEX_HOME XDG_DATA_HOME; M=h/.claude/projects/-srv-demo/memory; mkdir -p $M
$ printf -- '---\nname: How we test\ndescription: x\ntype: feedback\n---\nRun make check first.\n' >$M/testing.md; printf '# The parser\n\nIt takes a length.\n' >$M/parser.md
$ quire import --json | tail -1; quire memory ls --json | grep -o '"type":"[^"]*","title":"[^"]*"' | sort
{"found":0,"imported":0,"unchanged":0,"problems":0,"bytes":…}
"type":"feedback","title":"How we test"
"type":"project","title":"The parser"
$ quire memory search 'parser length' --json | grep -o '"source":"[^"]*","tags":[^]]*'
"source":"…/h/.claude/projects/-srv-demo/memory/parser.md","tags":["claude-code"
$ quire import --json; printf '# The parser\n\nIt takes a view.\n' >$M/parser.md; quire import >/dev/null; quire memory ls --json | wc -l; quire memory search view --json | grep -o '"title":"[^"]*"'
{"found":0,"imported":0,"unchanged":0,"problems":0,"bytes":0}
2
"title":"The parser"
$ head -c 70000 /dev/zero | tr '\0' x >$M/long.md; printf '\377\376' >$M/bad.md; quire import
quire: warning: …/memory/bad.md, byte 0: is not text
quire: warning: …/memory/long.md, byte 0: is longer than 64 KiB: the entry has its beginning
0 sessions found, 0 imported (… KiB), 0 unchanged, 2 problems
$ quire memory ls --json | wc -l
3
