# homes of other agents are read in place, and never written to
$ export HOME=$PWD/h; unset CLAUDE_CONFIG_DIR CODEX_HOME XDG_DATA_HOME XDG_CACHE_HOME; mkdir -p h/.claude/projects/-srv-demo h/.claude/sessions h/.codex/sessions/2025/09/03 h/.gemini/tmp/demo/chats h/.local/share/opencode/storage/session/p1
$ F=h/.claude/projects/-srv-demo/11111111-2222-4333-8444-555555555555.jsonl
$ user() { echo "{\"type\":\"user\",\"uuid\":\"$1\",\"parentUuid\":$2,\"timestamp\":\"2025-09-03T10:00:0$3.000Z\",\"sessionId\":\"11111111-2222-4333-8444-555555555555\",\"cwd\":\"/srv/demo\",\"message\":{\"role\":\"user\",\"content\":\"$4\"}}"; }
$ user a1 null 1 'hello claude' >$F; echo '{}' >h/.claude/sessions/77.json
$ cat >h/.codex/sessions/2025/09/03/rollout-2025-09-03T10-00-00-01990000-0000-7000-8000-000000000001.jsonl <<'END'
> {"timestamp":"2025-09-03T10:00:00.000Z","type":"session_meta","payload":{"id":"01990000-0000-7000-8000-000000000001","timestamp":"2025-09-03T10:00:00.000Z","cwd":"/srv/other","originator":"codex_cli_rs","cli_version":"0.150.0"}}
> {"timestamp":"2025-09-03T10:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"hello codex"}]}}
> END
$ cat >h/.gemini/tmp/demo/chats/session-2025-09-03T10-00-22222222.jsonl <<'END'
> {"sessionId":"22222222-2222-4333-8444-555555555555","projectHash":"h","startTime":"2025-09-03T10:00:00.000Z","lastUpdated":"2025-09-03T10:00:00.000Z","kind":"main"}
> {"id":"m1","timestamp":"2025-09-03T10:00:01.000Z","type":"user","content":[{"text":"hello gemini"}]}
> END
$ echo '{"id":"ses_1","projectID":"p1","directory":"/srv/demo","title":"hello opencode","version":"1","time":{"created":1756893600000,"updated":1756893600000}}' >h/.local/share/opencode/storage/session/p1/ses_1.json
$ tree_sum() { (cd h; find .claude .codex .gemini .local -printf '%p %T@ %m\n' | sort; find .claude .codex .gemini .local -type f | sort | xargs sha256sum) | sha256sum; }
$ tree_sum >before
$ for d in .claude .claude/projects .codex .gemini .local/share/opencode; do quire --home h/$d session ls --json | grep -o '"title":"[^"]*"\|"agent":"[^"]*"'; done
"title":"hello claude"
"agent":"claude-code"
"title":"hello claude"
"agent":"claude-code"
"title":"hello codex"
"agent":"codex"
"title":"hello gemini"
"agent":"gemini"
"title":"hello opencode"
"agent":"opencode"
$ quire --home h/.claude session show 1111 --json | grep -o '"content":"[^"]*"'; quire --home h/.codex session context 0199 | grep -o '"text":"[^"]*"'
"content":"hello claude"
"text":"hello codex"
$ quire --home h/.claude session tree 1111 | grep -c leaf; quire --home h/.claude session export 1111 --to original | cmp - $F; quire --home h/.gemini search hello --json | grep -o '"agent":"[^"]*"' | sort -u
1
"agent":"gemini"
$ for d in .claude .codex .gemini .local/share/opencode; do quire --home h/$d doctor | grep ' kind '; done
ok    kind            claude-code, another agent's, which is only read
ok    kind            codex, another agent's, which is only read
ok    kind            gemini, another agent's, which is only read
ok    kind            opencode, another agent's, which is only read
$ for d in .claude .codex .gemini .local/share/opencode; do quire --home h/$d session new 2>&1; echo x | quire --home h/$d blob put 2>&1 | head -1; done | grep -v '^hint'
quire: h/.claude is a home of the agent claude-code, which Quire only reads
quire: h/.claude is a home of the agent claude-code, which Quire only reads
quire: h/.codex is a home of the agent codex, which Quire only reads
quire: h/.codex is a home of the agent codex, which Quire only reads
quire: h/.gemini is a home of the agent gemini, which Quire only reads
quire: h/.gemini is a home of the agent gemini, which Quire only reads
quire: h/.local/share/opencode is a home of the agent opencode, which Quire only reads
quire: h/.local/share/opencode is a home of the agent opencode, which Quire only reads
$ for verb in 'session append last' 'session rename 1111 x' 'session fork 1111' 'session rm 1111' import gc repair reindex 'serve --listen 127.0.0.1:0'; do quire --home h/.claude $verb </dev/null 2>&1 | head -1; done | sort | uniq -c | sed 's/^ *//'
9 quire: h/.claude is a home of the agent claude-code, which Quire only reads
$ QUIRE_HOME=h/.codex quire session new
quire: h/.codex is a home of the agent codex, which Quire only reads
hint: `quire import` brings its sessions into a home of Quire; --home names that
? 3
$ tree_sum | cmp - before; stat -c %a h/.cache/quire/agents
700

# a copy under another name, and one that a variable names, are known
$ export HOME=$PWD; unset XDG_CACHE_HOME CLAUDE_CONFIG_DIR CODEX_HOME; mkdir -p backup/projects/-srv-demo backup/sessions mine c/sessions/2025
$ echo '{"type":"user","uuid":"a1","parentUuid":null,"timestamp":"2025-09-03T10:00:01.000Z","sessionId":"s","cwd":"/srv","message":{"role":"user","content":"old"}}' >backup/projects/-srv-demo/11111111-2222-4333-8444-555555555555.jsonl
$ quire --home backup session ls --ids; quire --home c doctor | grep ' kind '
11111111-2222-4333-8444-555555555555
ok    kind            codex, another agent's, which is only read
$ CLAUDE_CONFIG_DIR=$PWD/mine quire --home mine doctor | grep ' kind '; quire --home mine doctor | grep ' kind '
ok    kind            claude-code, another agent's, which is only read
ok    kind            native, detected
$ mkdir -p o/sessions/--srv-demo--; quire --home o doctor | grep ' kind '
ok    kind            omp, detected

# what an agent adds or deletes is seen by the next command
$ export HOME=$PWD; unset XDG_CACHE_HOME CLAUDE_CONFIG_DIR; P=.claude/projects/-srv-demo; mkdir -p $P
$ line() { echo "{\"type\":\"user\",\"uuid\":\"$1\",\"parentUuid\":null,\"timestamp\":\"2025-09-03T10:00:01.000Z\",\"sessionId\":\"s\",\"cwd\":\"/srv\",\"message\":{\"role\":\"user\",\"content\":\"$2\"}}"; }
$ line a1 one >$P/11111111-2222-4333-8444-555555555555.jsonl; line a1 two >$P/22222222-2222-4333-8444-555555555555.jsonl
$ quire --home .claude session ls --ids | sort
11111111-2222-4333-8444-555555555555
22222222-2222-4333-8444-555555555555
$ rm $P/1111*; line a2 more >>$P/22222222-2222-4333-8444-555555555555.jsonl; quire --home .claude session ls --ids; quire --home .claude session show 2222 --json | grep -o '"content":"[^"]*"'
22222222-2222-4333-8444-555555555555
"content":"two"
"content":"more"

# a session file of another agent is shown, and not changed
$ export HOME=$PWD; unset XDG_CACHE_HOME; F=talk.jsonl
$ echo '{"type":"user","uuid":"a1","parentUuid":null,"timestamp":"2025-09-03T10:00:01.000Z","sessionId":"s","cwd":"/srv","message":{"role":"user","content":"hello"}}' >$F; sha256sum $F >before
$ quire session show $F --json | grep -o '"content":"[^"]*"'; quire session tree $F | grep -c leaf; quire session export $F --to original | cmp - $F; quire session ls --ids | wc -l
"content":"hello"
1
0
$ echo '{"type":"custom"}' | quire session append $F
quire: …/talk.jsonl is a session file of Claude Code, which Quire only reads
hint: `quire import …/talk.jsonl` makes a session of it
? 1
$ sha256sum -c before
talk.jsonl: OK
$ echo '{"timestamp":"2025-09-03T10:00:00.000Z","type":"session_meta","payload":{"id":"x"}}' >c.jsonl; quire session rename c.jsonl x 2>&1 | head -1
quire: …/c.jsonl is a session file of Codex, which Quire only reads
