# a session is written for another agent, and what it cannot hold is reported
$ export HOME=$PWD/h; unset CLAUDE_CONFIG_DIR CODEX_HOME; mkdir h; quire session new --title First --cwd /srv/demo >s; S=$(grep -o "[0-9a-f]\{16\}" s | head -1)
$ cat >e <<'END'
> {"type":"message","id":"a1","timestamp":"2026-02-16T10:20:31.000Z","message":{"role":"user","content":[{"type":"text","text":"look"},{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}]}}
> {"type":"message","id":"a2","timestamp":"2026-02-16T10:20:32.000Z","message":{"role":"assistant","provider":"anthropic","model":"claude-x","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"c2ln"},{"type":"text","text":"I look."},{"type":"toolCall","id":"t1","name":"bash","arguments":{"command":"ls"}}],"usage":{"input":5,"output":6,"cacheRead":7,"cacheWrite":0},"stopReason":"toolUse"}}
> {"type":"message","id":"a3","timestamp":"2026-02-16T10:20:33.000Z","message":{"role":"toolResult","toolCallId":"t1","toolName":"bash","content":[{"type":"text","text":"a.c"}],"isError":false}}
> {"type":"custom","id":"a4","timestamp":"2026-02-16T10:20:34.000Z","customType":"x/y","data":{}}
> {"type":"message","id":"a5","timestamp":"2026-02-16T10:20:35.000Z","message":{"role":"assistant","provider":"anthropic","model":"claude-x","content":[{"type":"text","text":"Done."}],"stopReason":"stop"}}
> END
$ quire session append $S <e >/dev/null
$ quire session export $S --to claude-code -o c.jsonl --json
{"to":"claude-code","files":["c.jsonl"],"dropped":[{"kind":"custom x/y","count":1}]}
$ quire session export $S --to claude-code 2>/dev/null | cmp - c.jsonl; wc -l <c.jsonl; grep -c '"signature":"c2ln"' c.jsonl
5
1
$ quire session export $S --to codex >/dev/null
quire: warning: left out or replaced: 1 model claude-x, 1 thinking signature, 1 custom x/y
$ quire session export $S --to codex --leaf a3 2>/dev/null | grep -o '"type":"[a-z_]*","\(name\|role\|call_id\)":"[a-z0-9]*"'
"type":"message","role":"user"
"type":"message","role":"assistant"
"type":"function_call","name":"bash"
"type":"function_call_output","call_id":"t1"
$ quire session export $S --to markdown --from a5 2>&1 | tail -5
## Assistant

<sub>2026-02-16 10:20:35 · claude-x</sub>

Done.
$ quire session export $S --to markdown --leaf a3 --from a5
quire: entry a5 is not on the path
hint: name an entry between the root and the leaf
? 1
$ quire session export $S --leaf nothing
quire: no entry nothing in session …
hint: …
? 1

# it is placed where the agent looks for it, once
$ export HOME=$PWD/h; unset CLAUDE_CONFIG_DIR CODEX_HOME; mkdir h; quire session new --cwd /srv/demo_x >s; S=$(grep -o "[0-9a-f]\{16\}" s | head -1)
$ echo '{"type":"message","id":"a1","timestamp":"2026-02-16T10:20:31.000Z","message":{"role":"user","content":"hello"}}' | quire session append $S >/dev/null
$ echo '{"type":"message","id":"a2","timestamp":"2026-02-16T10:20:31.000Z","message":{"role":"assistant","model":"m","content":[{"type":"text","text":"Hi."}]}}' | quire session append $S >/dev/null
$ F=$(quire session export $S --to claude-code --install); echo $F; quire session export $S --to claude-code | cmp - $F
…/h/.claude/projects/-srv-demo-x/…-…-4…-….jsonl
$ echo more >>$F; quire session export $S --to claude-code --install; tail -1 $F
quire: Claude Code has this session already: …
hint: remove it to write it again, or resume it
more
$ CODEX_HOME=$PWD/x quire session export $S --to codex --install 2>/dev/null
…/x/sessions/20…/rollout-….jsonl
$ find h x | grep -c tmp; true
0
$ quire session export $S --to markdown --install; HOME= quire session export $S --to codex --install
quire: Markdown has no place for sessions
hint: write a file with -o FILE
quire: it is not known where Codex keeps its sessions
hint: set HOME
? 1

# an import knows what an export has placed, and what an agent has continued
$ export HOME=$PWD/h; unset CLAUDE_CONFIG_DIR CODEX_HOME GEMINI_CLI_HOME COPILOT_HOME PI_CODING_AGENT_DIR; mkdir h; quire session new --cwd /srv/demo >s; S=$(grep -o "[0-9a-f]\{16\}" s | head -1)
$ cat >e <<'END'
> {"type":"message","id":"a1","timestamp":"2026-02-16T10:20:31.000Z","message":{"role":"user","content":"hello"}}
> {"type":"message","id":"a2","timestamp":"2026-02-16T10:20:32.000Z","message":{"role":"assistant","provider":"x","model":"m","content":[{"type":"text","text":"Hi."}],"usage":{"input":5,"output":6,"cacheRead":7,"cacheWrite":0},"stopReason":"stop"}}
> END
$ quire session append $S <e >/dev/null; for t in claude-code codex gemini qwen copilot pi omp; do quire session export $S --to $t --install >/dev/null 2>&1; done
$ quire import --json | sed -n "s/.*\"session\":\"$S\",\"state\":\"\([a-z]*\)\".*/\1/p" | sort | uniq -c
      7 unchanged
$ quire import; quire session ls --json | wc -l
7 sessions found, 0 imported (0 B), 7 unchanged
1
$ F=$(ls h/.claude/projects/*/*.jsonl); U=$(tail -1 $F | grep -o '"uuid":"[^"]*"' | cut -d'"' -f4)
$ echo '{"type":"user","uuid":"11111111-2222-4333-8444-000000000001","parentUuid":"'$U'","timestamp":"2031-01-01T00:00:00.000Z","message":{"role":"user","content":"more"}}' >>$F
$ quire import --agent claude-code
…claude-code  new              3      … B  …
1 session found, 1 imported (…B), 0 unchanged
$ quire session ls --json | grep '"agent":"claude-code"' | grep -c "\"parent\":\"$S\""
1
$ quire session show $(basename $F .jsonl) --json | grep -o '"input":[0-9]*,"output":[0-9]*' | head -1
"input":0,"output":0
$ echo '{"type":"user","uuid":"11111111-2222-4333-8444-000000000002","parentUuid":"11111111-2222-4333-8444-000000000001","timestamp":"2031-01-01T00:00:01.000Z","message":{"role":"user","content":"and more"}}' >>$F
$ quire import --agent claude-code | grep -c grown
1
$ quire session rm --now $S; quire import --agent codex | tail -1
1 session found, 1 imported (…B), 0 unchanged

# what an agent wrote, exported and imported again, says the same
$ export HOME=$PWD/h; unset CLAUDE_CONFIG_DIR CODEX_HOME; mkdir h; quire session new --cwd /srv/demo >s; S=$(grep -o "[0-9a-f]\{16\}" s | head -1); seq 1 2000 >long; head -c 3000 /dev/urandom >image
$ IMAGE=$(base64 -w0 image) LONG=$(sed 's/$/\\n/' long | tr -d '\n')
$ cat >e <<END
> {"type":"message","id":"a1","message":{"role":"user","content":[{"type":"text","text":"look \"here\" ü 🎈"},{"type":"image","data":"$IMAGE","mimeType":"image/png"}]}}
> {"type":"message","id":"a2","message":{"role":"assistant","provider":"openai","model":"m","content":[{"type":"text","text":"I look."},{"type":"toolCall","id":"t1","name":"bash","arguments":{"command":"ls","n":1e3}},{"type":"toolCall","id":"t2","name":"read","arguments":{}}],"stopReason":"toolUse"}}
> {"type":"message","id":"a3","message":{"role":"toolResult","toolCallId":"t2","toolName":"read","content":[{"type":"text","text":"$LONG"}],"isError":false}}
> {"type":"message","id":"a4","message":{"role":"toolResult","toolCallId":"t1","toolName":"bash","content":[{"type":"text","text":"x"},{"type":"image","data":"$IMAGE","mimeType":"image/png"}],"isError":false}}
> {"type":"message","id":"a5","message":{"role":"assistant","provider":"openai","model":"m","content":[{"type":"text","text":"Done."}],"stopReason":"stop"}}
> END
$ quire session append $S <e >/dev/null
$ say() { quire session export "$@" --to markdown 2>/dev/null | grep -v '^<sub>\|^20..-\|^# '; }; say $S >before
$ back() { quire session export $S --to $A -o $A.jsonl 2>/dev/null; quire --home new import --from $A.jsonl --agent $A --json 2>/dev/null | tail -1; N=$(quire --home new session ls --ids | head -1); }
$ for A in claude-code codex gemini qwen pi omp; do back; say --home new $N | cmp - before; rm -r new; done
{"found":1,"imported":1,"unchanged":0,"problems":0,"bytes":…}
{"found":1,"imported":1,"unchanged":0,"problems":0,"bytes":…}
{"found":1,"imported":1,"unchanged":0,"problems":0,"bytes":…}
{"found":1,"imported":1,"unchanged":0,"problems":0,"bytes":…}
{"found":1,"imported":1,"unchanged":0,"problems":0,"bytes":…}
{"found":1,"imported":1,"unchanged":0,"problems":0,"bytes":…}
$ A=copilot; back; say --home new $N >after; rm -r new; diff after before | grep '^[<>] .' | cut -c1-18
{"found":1,"imported":1,"unchanged":0,"problems":0,"bytes":…}
> ![image](data:im
$ cat >e <<END
> {"type":"message","id":"b1","message":{"role":"user","content":"WORD-1"}}
> {"type":"message","id":"b2","message":{"role":"assistant","provider":"openai","model":"m","content":[{"type":"text","text":"WORD-2"}]}}
> {"type":"compaction","id":"b3","summary":"WORD-3","firstKeptEntryId":"b1","tokensBefore":9}
> {"type":"message","id":"b4","message":{"role":"user","content":"WORD-4"}}
> {"type":"message","id":"b5","message":{"role":"assistant","provider":"openai","model":"m","content":[{"type":"text","text":"WORD-5"}]}}
> END
$ quire session append $S <e >/dev/null; words() { quire "$@" | grep -o 'WORD-[0-9]\|look' | tr '\n' ' '; echo; }; words session context $S
WORD-3 WORD-1 WORD-2 WORD-4 WORD-5 
$ for A in claude-code codex gemini qwen pi omp; do back >/dev/null; words --home new session context $N; rm -r new; done
WORD-3 WORD-1 WORD-2 WORD-4 WORD-5 
WORD-3 WORD-1 WORD-2 WORD-4 WORD-5 
WORD-3 WORD-1 WORD-2 WORD-4 WORD-5 
WORD-3 WORD-1 WORD-2 WORD-4 WORD-5 
WORD-3 WORD-1 WORD-2 WORD-4 WORD-5 
WORD-3 WORD-1 WORD-2 WORD-4 WORD-5 

# every target is offered, and writes what can be parsed
$ export HOME=$PWD/h; mkdir h; quire session new --cwd /srv/demo --title T >s; S=$(grep -o "[0-9a-f]\{16\}" s | head -1)
$ cat >e <<'END'
> {"type":"message","id":"a1","message":{"role":"user","content":"hello"}}
> {"type":"message","id":"a2","message":{"role":"assistant","provider":"openai","model":"m","content":[{"type":"thinking","thinking":"hm"},{"type":"toolCall","id":"t1","name":"ls","arguments":{"p":"."}},{"type":"toolCall","id":"t2","name":"ls","arguments":{}}],"stopReason":"toolUse"}}
> {"type":"message","id":"a3","message":{"role":"toolResult","toolCallId":"t1","toolName":"ls","content":[{"type":"text","text":"x"}],"isError":true}}
> {"type":"compaction","id":"a4","summary":"They said hello.","firstKeptEntryId":"a2","tokensBefore":7}
> {"type":"branch_summary","id":"a5","fromId":"a1","summary":"Nothing."}
> {"type":"custom_message","id":"a6","customType":"x","content":"note","display":true}
> {"type":"message","id":"a7","message":{"role":"toolResult","toolCallId":"gone","toolName":"ls","content":[]}}
> {"type":"reset_boundary","id":"a8"}
> {"type":"message","id":"a9","message":{"role":"assistant","model":"m","content":[],"stopReason":"error","errorMessage":"no"}}
> END
$ quire session append $S <e >/dev/null
$ quire __complete targets | cut -f1 | sort >offered; wc -l <offered
14
$ for T in $(cat offered); do quire session export $S --to $T -o one 2>/dev/null || echo "$T: $?"; quire session export $S --to $T 2>/dev/null | cmp - one; head -c 1 one; done; echo
{{{{{<[{#{{{{{
$ quire session export $S --to claude-code 2>/dev/null | grep -o '"subtype":"[a-z_]*"\|"isCompactSummary":true\|"tool_use_id":"t1"'
"subtype":"compact_boundary"
"isCompactSummary":true
"tool_use_id":"t1"
"subtype":"compact_boundary"

# an unknown target
$ quire session export x --to nothing
quire: sessions cannot be exported to `nothing`
hint: `quire session export --help` lists the targets
? 2

# several sessions are files in a directory, or lines
$ export HOME=$PWD/h; mkdir h; for I in 1 2; do quire session new --cwd /srv/demo >s$I; echo '{"type":"message","message":{"role":"assistant","model":"m","content":[{"type":"text","text":"hello"}]}}' | quire session append $(grep -o "[0-9a-f]\{16\}" s$I | head -1) >/dev/null; done; L=$(grep -oh "[0-9a-f]\{16\}" s1 s2 | sort -u)
$ quire session export $L --to markdown -o d/ --json; ls d | wc -l
{"to":"markdown","files":["d/….md","d/….md"],"dropped":[]}
2
$ quire session export $L --to markdown
quire: several sessions cannot be one file of Markdown
hint: write files with -o DIR/
? 2
$ quire session export $L | grep -c '"type":"session"'; quire session export $L --to codex 2>/dev/null | grep -c session_meta
2
2
$ quire session export $L --to original
quire: …
hint: …
? 2

# secrets are replaced, ids and images are not
$ export HOME=/home/maria; quire session new --cwd /home/maria/src >s; S=$(grep -o "[0-9a-f]\{16\}" s | head -1)
$ cat >e <<'END'
> {"type":"message","id":"a1","message":{"role":"user","content":"key sk-abcdefghijklmnopqrstuv in /home/maria/x, /home/mariana, password=hunter22, token: string\nAuthorization: Bearer abcdefghijklmnop1234\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nghp_abcdefghijklmnopqrstuvwxyz0123456789 AKIAABCDEFGHIJKLMNOP eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijk postgres://me:geheim99@db/x"}}
> {"type":"message","id":"a2","message":{"role":"assistant","provider":"anthropic","model":"m","content":[{"type":"thinking","thinking":"h","thinkingSignature":"AKIAABCDEFGHIJKLMNOP"},{"type":"toolCall","id":"AKIAABCDEFGHIJKLMNOP","name":"x","arguments":{"password":"short","path":"/home/maria","env":"API_KEY=$API_KEY"}}],"stopReason":"toolUse"}}
> END
$ quire session append $S <e >/dev/null; quire session export $S --to markdown --redact -o m --json; sed -n '/^key/,$p' m
{"to":"markdown","files":["m"],"dropped":[{"kind":"signature","count":1},{"kind":"secret","count":9},{"kind":"home directory","count":4}]}
key [redacted] in ~/x, /home/mariana, password=[redacted], token: string
Authorization: Bearer [redacted]
[redacted]
[redacted] [redacted] [redacted] postgres://me:[redacted]@db/x

## Assistant

<sub>… · m</sub>

> h


**Tool** `x`

```json
{
  "password": "[redacted]",
  "path": "~",
  "env": "API_KEY=$API_KEY"
}
```
$ quire session export $S --to jsonl --redact 2>/dev/null | grep -o '"id":"AKIA[A-Z]*"\|"cwd":"[^"]*"'
"cwd":"~/src"
"id":"AKIAABCDEFGHIJKLMNOP"

# a page of hostile content is inert
$ export HOME=$PWD/h; mkdir h; quire session new --cwd '/srv/<b>' --title '</title><script>alert(1)</script>' >s; S=$(grep -o "[0-9a-f]\{16\}" s | head -1)
$ cat >e <<'END'
> {"type":"message","id":"a1","message":{"role":"user","content":[{"type":"text","text":"</script><script>x</script><img src=x onerror=alert(1)>\u0000\u202eevil\u2066 <a href=\"javascript:alert(1)\">"},{"type":"image","data":"PHN2Zz48c2NyaXB0Pg==","mimeType":"image/svg+xml"},{"type":"image","data":"AA\" onerror=\"x","mimeType":"image/png"},{"type":"image","data":"AAAA","mimeType":"image/png\" onload=\"x"},{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}]}}
> {"type":"message","id":"a2","message":{"role":"assistant","provider":"x","model":"<i>","content":[{"type":"thinking","thinking":"</details><script>"},{"type":"toolCall","id":"t","name":"\"><script>","arguments":{"</pre>":"<script>"}}],"stopReason":"error","errorMessage":"<script>"}}
> {"type":"message","id":"a3","message":{"role":"toolResult","toolCallId":"t","toolName":"x","content":[{"type":"text","text":"</pre><script>\ud800 </div>"}]}}
> END
$ quire session append $S <e >/dev/null; quire session export $S --to html -o p --json
{"to":"html","files":["p"],"dropped":[{"kind":"image image/svg+xml","count":1},{"kind":"image image/png","count":1},{"kind":"image image/png\" onload=\"x","count":1}]}
$ grep -ci '<script\|<i>\|<b>[^&]\|<a href="j\|[a-z]"\? *onerror="\|svg' p; grep -o '<img[^>]*>' p; grep -c 'U+202E\]evil\[U+2066' p; iconv -f utf8 -t utf8 p | cmp - p; tr -d '\0' <p | cmp - p
0
<img alt="image" src="data:image/png;base64,iVBORw0KGgo=">
1
$ grep -o "default-src 'none'[^>]*" p; H=$(sed -n 's/.*<style>\(.*\)<\/style>.*/\1/p' p | tr -d '\n' | openssl dgst -sha256 -binary | base64); grep -c "sha256-$H" p; grep -o '<[a-z][a-z0-9]*' p | sort -u | tr '\n' ' '
default-src 'none'; img-src data:; style-src 'sha256-…'; base-uri 'none'; form-action 'none'"
1
<a <article <b <body <details <div <footer <h1 <h2 <head <header <html <img <main <meta <p <pre <span <style <summary <time <title 

# resume prints the command of an agent, and places the session first
$ export HOME=$PWD/h; unset CLAUDE_CONFIG_DIR CODEX_HOME XDG_CACHE_HOME; mkdir h "a b"; quire session new --cwd "$PWD/a b" >s; S=$(grep -o "[0-9a-f]\{16\}" s | head -1)
$ echo '{"type":"message","message":{"role":"assistant","provider":"openai","model":"m","content":[{"type":"text","text":"hello"}]}}' | quire session append $S >/dev/null
$ quire resume $S
quire: session … was not imported from an agent
hint: name one with --in
? 1
$ quire resume $S --in claude-code; quire resume $S --in claude-code --json; find h -name '*.jsonl' | wc -l
cd '…/a b' && claude --resume …-…-4…
{"agent":"claude-code","command":["claude","--resume","…"],"cwd":"…/a b","path":"…/h/.claude/projects/…-a-b/….jsonl","installed":false}
1
$ quire resume $S --in opencode; quire resume $S --in pi
cd '…/a b' && sh -c 'opencode import "$0" && exec opencode --session "$1"' …/h/.cache/quire/opencode/ses_….json ses_…
cd '…/a b' && pi --session '…/h/.pi/agent/sessions/--…--/…_….jsonl'
$ quire resume $S --in markdown
quire: Markdown cannot continue a session
hint: export it to a file instead
? 1
$ mkdir bin; printf '#!/bin/sh\necho "$PWD: $@"\n' >bin/claude; chmod +x bin/claude; PATH=$PWD/bin:$PATH quire resume $S --in claude-code --run
…/a b: --resume …-…-4…
$ PATH=/nowhere $(command -v quire) resume $S --in claude-code --run
quire: there is no program `claude`
hint: install it, or set PATH
? 1

# a session that was imported is resumed where it came from
$ export HOME=$PWD/h; unset CLAUDE_CONFIG_DIR CODEX_HOME; U=11111111-2222-4333-8444-555555555555; mkdir -p h/.claude/projects/-srv-demo; F=h/.claude/projects/-srv-demo/$U.jsonl
$ echo '{"type":"user","uuid":"a1","parentUuid":null,"timestamp":"2025-09-03T10:00:00.000Z","cwd":"/srv/demo","message":{"role":"user","content":"one"}}' >$F; quire import >/dev/null
$ quire resume $U; rm $F; quire resume $U --json
cd /srv/demo && claude --resume 11111111-2222-4333-8444-555555555555
{"agent":"claude-code","command":["claude","--resume","…"],"cwd":"/srv/demo","path":"…/h/.claude/projects/-srv-demo/….jsonl","installed":true}
