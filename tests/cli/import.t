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

# a session with entries of its own is left alone
$ mkdir -p h/.claude/projects/-srv-demo; export HOME=$PWD/h; unset CLAUDE_CONFIG_DIR CODEX_HOME
$ F=h/.claude/projects/-srv-demo/11111111-2222-4333-8444-555555555555.jsonl
$ echo '{"type":"user","uuid":"a1","parentUuid":null,"timestamp":"2025-09-03T10:00:00.000Z","cwd":"/srv/demo","message":{"role":"user","content":"one"}}' >$F
$ quire import >/dev/null; echo '{"type":"message","message":{"role":"user","content":"mine"}}' | quire session append 1111 >/dev/null
$ echo '{"type":"user","uuid":"a2","parentUuid":"a1","timestamp":"2025-09-03T10:00:01.000Z","cwd":"/srv/demo","message":{"role":"user","content":"two"}}' >>$F
$ quire import 2>&1
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
3
$ quire gc --grace 0 --yes >/dev/null; quire gc --grace 0 --yes --json | grep -o '"removed":[0-9]*'; quire check --json | grep -o '"unreferenced":[0-9]*'
"removed":0
"unreferenced":0
$ quire session show $U --json | grep -o '\[2000 of [^]]*'
[2000 of 8893 bytes; all of them: blob:sha256:…
$ quire blob get $(quire session show $U --json | grep -o 'all of them: [^]]*' | cut -d' ' -f4) | cmp - result
$ quire session context $U | grep -c "$DATA"; quire session export $U --to original | cmp - $F
1

# a compressed file of Codex is reported, unless the plain one is there
$ export HOME=$PWD/h CODEX_HOME=$PWD/x; mkdir -p x/sessions; A=x/sessions/rollout-2025-09-03T10-00-00-01990000-0000-7000-8000-000000000001.jsonl
$ touch $A.zst; quire import 2>&1
quire: warning: …1.jsonl.zst is compressed with zstd, which cannot be read yet
0 sessions found, 0 imported (0 B), 0 unchanged, 1 problem
$ echo '{"timestamp":"2025-09-03T10:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]}}' >$A; quire import --json
{"agent":"codex",…,"state":"new","entries":1,"bytes":…,"problems":0}
{"found":1,"imported":1,"unchanged":0,"problems":0,"bytes":…}

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

# a removed session is not imported again, and its original goes
$ export HOME=$PWD/h CLAUDE_CONFIG_DIR=$PWD/c; U=11111111-2222-4333-8444-555555555555; mkdir -p c/projects/-srv-demo
$ echo '{"type":"user","uuid":"a1","parentUuid":null,"timestamp":"2025-09-03T10:00:00.000Z","cwd":"/srv/demo","message":{"role":"user","content":"one"}}' >c/projects/-srv-demo/$U.jsonl
$ quire import >/dev/null; quire session rm $U; quire import --json | tail -1; quire session ls
{"found":1,"imported":0,"unchanged":1,"problems":0,"bytes":0}
$ quire gc --grace 0 --yes --json >/dev/null; quire gc --grace 0 --yes --json >/dev/null; quire blob ls

# an import that finds nothing
$ export HOME=$PWD/h; unset CLAUDE_CONFIG_DIR CODEX_HOME; quire import; quire import --json; quire import ls
0 sessions found, 0 imported (0 B), 0 unchanged
{"found":0,"imported":0,"unchanged":0,"problems":0,"bytes":0}
$ quire import --agent nobody; quire import --from /nowhere; quire import more
quire: there is no importer for agent `nobody`
hint: claude-code, codex
quire: /nowhere does not exist
quire: `quire import` takes no argument `more`
hint: …
? 2
