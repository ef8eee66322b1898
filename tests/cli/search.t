# words, parts, phrases, filters, pages: one search over everything
$ S=$(quire session new --title 'Fix the linker' --cwd /srv/app --json | cut -d'"' -f4)
$ cat >entries <<'END'
> {"type":"message","id":"aaaaaaa1","timestamp":"2026-02-16T10:00:00.000Z","message":{"role":"user","content":"undefined reference to sqrt: what is this linker error?"}}
> {"type":"message","id":"aaaaaaa2","timestamp":"2026-02-16T10:00:01.000Z","message":{"role":"assistant","model":"m-1","content":[{"type":"thinking","thinking":"libm is missing"},{"type":"text","text":"Add -lm; parseHTTPHeader of C++ is fine."},{"type":"toolCall","id":"1","name":"bash","arguments":{"command":"make deployments"}}]}}
> {"type":"message","id":"aaaaaaa3","timestamp":"2026-02-16T10:00:02.000Z","message":{"role":"toolResult","toolCallId":"1","toolName":"bash","content":[{"type":"text","text":"ld: permission denied\n全文检索"}],"isError":true}}
> END
$ quire session append $S <entries | wc -l
3
$ quire search linker error --json
{"kind":"message","address":"quire://session/…#aaaaaaa1","session":"…","entry":"aaaaaaa1","title":"Fix the linker","project":"/srv/app","agent":null,"role":"user","tool":null,"model":null,"created_at":"2026-02-16T10:00:00.000Z","turn":1,"turn_first":"aaaaaaa1","turn_last":"aaaaaaa3","snippet":"…undefined reference to sqrt: what is this linker error?","matches":…,"score":…,"how":"exact","active":true,"error":false,"in_session":1}
$ quire search linker error
Fix the linker  …  /srv/app  …
  user        …undefined reference to sqrt: what is this linker error?
              quire://session/…#aaaaaaa1
$ quire search libm --json | grep -o '"kind":"[a-z_]*"'
"kind":"thinking"
$ quire search 'kind:title linker' --json | grep -o '"address":"[^"#]*"' | cut -c1-26
"address":"quire://session
$ for q in header parsehttpheader 检 检索 C++ 'model:m-1 lm' 'tool:bash denied' 'is:error permission'; do quire search "$q" --json | grep -o '"entry":"[a-z0-9]*"'; done
"entry":"aaaaaaa2"
"entry":"aaaaaaa2"
"entry":"aaaaaaa3"
"entry":"aaaaaaa3"
"entry":"aaaaaaa2"
"entry":"aaaaaaa2"
"entry":"aaaaaaa3"
"entry":"aaaaaaa3"
$ for q in '"permission denied"' 'perm*' '*rmissio*' 'ld near/3 denied' 'zebra OR denied' 'permission -linker' '/perm[a-z]+ d/'; do quire search -- "$q" | grep -c aaaaaaa3; done
1
1
1
1
1
1
1
$ quire search 'permission NOT denied'
? 1
$ quire search deployment --json | grep -o '"how":"[a-z]*"'
"how":"stem"
$ quire search 'undefined reference to cbrt at 0x7fff12: linker error' --json | grep -o '"entry":"[a-z0-9]*"\|"how":"[a-z]*"'
"entry":"aaaaaaa1"
"how":"close"
$ printf 'sales of Q3' | quire artifact put docs/report.md - --session $S >/dev/null
$ printf 'sales of Q4' | quire artifact put docs/report.md - --session $S >/dev/null
$ quire memory add --type project --title 'Deploy' --content 'needs a token' >/dev/null
$ quire history add 'why does the oven fail?'
$ quire search 'sales AND Q4' --json | grep -o '"address":"#1"'
"address":"#1"
$ quire search Q3
? 1
$ quire search Q3 --versions --json | grep -c artifact
1
$ quire search token --json | grep -o '"address":"mem:1"'
"address":"mem:1"
$ quire search oven --json | grep -o '"kind":"history"'
"kind":"history"
$ echo '{"type":"message","message":{"role":"user","content":"kumquat"}}' | quire session append $S >/dev/null
$ quire search kumquat --flat --json | wc -l
1
$ F=$(quire session fork $S --json | cut -d'"' -f4); quire search kumquat --flat --json | wc -l
2
$ quire session rm $F; quire search kumquat --flat --json | wc -l
1
$ quire artifact rm docs/report.md --session $S; quire memory rm 1; quire search 'Q4 OR token'
? 1
$ quire search linker --kind title --json | wc -l
1
$ quire search linker --role user --since 2026-02-16 --until 2026-02-17 --json | wc -l
1
$ quire search linker --project app --tool bash
? 1
$ quire search linker --session $S --flat --sort oldest -n 1 --json | grep -o '"kind":"[a-z]*"\|next_cursor'
"kind":"message"
next_cursor
$ quire search linker --flat --sort newest --json -n 1 | sed -n 's/.*"next_cursor":"\([0-9a-f]*\)".*/\1/p' >cursor
$ quire search linker --flat --sort newest --json -n 1 --cursor $(cat cursor) | head -1 | grep -c '"kind"'
1
$ quire search other --cursor $(cat cursor)
quire: the cursor belongs to another query
hint: pass the query and filters of the first page
? 2
$ quire search 'linker before:whenever' --json | wc -l
{"warning":"ignored \"before:whenever\": not a time","kind":"ignored"}
2
$ quire search ''
quire: the query is empty
hint: give a word to search for
? 2
$ quire search --regex 'a('
quire: cannot read the regular expression at byte 3: missing closing parenthesis
hint: …
? 2
$ quire search linker --kind nonsense
quire: unknown kind "nonsense"
hint: use message, thinking, …
? 2
$ rm -rf "$QUIRE_HOME/search"; quire search kumquat --json | wc -l
1
$ quire reindex; ls "$QUIRE_HOME/search/files/segments" | wc -l
2
$ quire search kumquat --json | wc -l
1
$ for f in "$QUIRE_HOME"/search/files/segments/*.index; do printf damage >"$f"; done; quire search kumquat --json | wc -l
1
$ quire session show $S --at aaaaaaa2 --context 1 --json | grep -o '"id":"aaaaaaa."'
"id":"aaaaaaa1"
"id":"aaaaaaa2"
"id":"aaaaaaa3"
$ quire session show $S --at aaaaaaa3 --context 0 | grep -c denied
1
$ quire session show $S --at nothere
quire: no entry nothere in this session
hint: `quire session tree` lists the entries
? 1
$ quire search '"permission denied"' --context 1
Fix the linker  …
  bash        ld: permission denied 全文检索
              quire://session/…#aaaaaaa3
                assistant  Add -lm; parseHTTPHeader of C++ is fine.
              > result  bash: ld: permission denied 全文检索
                user  kumquat
$ quire search '"permission denied"' --context 1 --json | grep -o '"id":"aaaaaaa."' | paste -sd' '
"id":"aaaaaaa2" "id":"aaaaaaa3"

# conversations of JP are searched in place, and nothing is written there
$ mkdir -p w/.jp && cd w && quire jp new --title 'Fix the linker' >id; ls -A .jp/conversations/* | sort >before
$ echo '{"type":"chat_request","timestamp":"2026-02-03 10:00:00.0","content":"a walrus with libm"}' | quire jp append "$(cat id)"
appended 1 event
$ echo '{"type":"chat_response","timestamp":"2026-02-03 10:00:01.0","message":"Add -lm to the linker"}' | quire jp append "$(cat id)"
appended 1 event
$ quire --home .jp search walrus | sed 's/c[0-9]*/cN/'
Fix the linker  jp-cN  2026-02-03 10:00
  user        a walrus with libm
              jp-c…
$ quire --home .jp search 'agent:jp linker' --json | grep -o '"agent":"jp","role":"[a-z]*"'
"agent":"jp","role":"assistant"
$ ls -A .jp; ls -A .jp/conversations/* | sort | diff before -
conversations

# what a text has, and whether it is on the current branch
$ S=$(quire session new --cwd /w --json | sed 's/.*"id":"\([^"]*\).*/\1/')
$ quire session append $S >/dev/null <<'X'
> {"type":"message","id":"b0000001","message":{"role":"user","content":"an otter, see https://example.org/otter"}}
> {"type":"message","id":"b0000002","message":{"role":"assistant","content":[{"type":"text","text":"otter:\n```\nmake otter\n```"}]}}
> X
$ echo '{"type":"message","id":"b0000003","message":{"role":"user","content":"another otter"}}' | quire session append $S --at b0000001 >/dev/null
$ for q in has:link has:code 'is:active otter' '-is:active otter' '-has:link -has:code otter'; do echo "$q:" $(quire search --flat --session $S --sort oldest --json -- "$q" | grep -o '"entry":"b000000[0-9]"' | cut -c10- | uniq); done
has:link: b0000001"
has:code: b0000002"
is:active otter: b0000001" b0000003"
-is:active otter: b0000002"
-has:link -has:code otter: b0000003"
