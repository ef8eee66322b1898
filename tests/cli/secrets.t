# a setting says what happens with secrets
$ quire config get secrets; quire config set secrets maybe
off
quire: invalid value maybe for secrets: expected off, warn or mask
hint: the default is off
? 2
$ quire config set secrets warn; QUIRE_SECRETS=mask quire config get secrets --json
{"key":"secrets","value":"mask","from":"environment","default":"off"}

# a secret of an entry is reported with its kind and place, and not changed
$ export QUIRE_SECRETS=warn S=$(quire session new | cut -d'"' -f4)
$ echo '{"type":"message","message":{"role":"user","content":[{"type":"text","text":"key ghp_a8F3kQ9zL2mN7pR5tV1xY4bC6dE0gH2jK9mQ, é"}]}}' >e
$ quire session append $S <e >/dev/null
quire: github-token in /message/content/0/text, byte 4
$ quire session append $S --json <e >/dev/null
{"warning":"a secret was found","kind":"secret","secret":"github-token","place":"/message/content/0/text","byte":4,"bytes":40,"masked":false}
$ quire session append $S -q <e >/dev/null; QUIRE_SECRETS=off quire session append $S <e >/dev/null
$ quire session show $S --json | grep -c ghp_a8F3
4

# a secret of an entry is masked, and the line stays JSON
$ export QUIRE_SECRETS=mask S=$(quire session new | cut -d'"' -f4)
$ echo '{"type":"message","message":{"role":"user","content":[{"type":"text","text":"key ghp_a8F3kQ9zL2mN7pR5tV1xY4bC6dE0gH2jK9mQ, \"é\""}]}}' >e
$ quire session append $S --op once <e >/dev/null
quire: github-token in /message/content/0/text, byte 4, masked
$ quire session show $S --json | grep -o '"text":.*"}'
"text":"key [redacted: github-token], \"é\""}
$ quire session append $S --op once <e >/dev/null 2>&1; quire session show $S --json | wc -l
1
$ echo '{"type":"custom","customType":"x","data":{"password":"hunter22x","id":"ghp_a8F3kQ9zL2mN7pR5tV1xY4bC6dE0gH2jK9mQ"}}' | quire session append $S >/dev/null
quire: password in /data/password, byte 0, masked
$ quire session show $S --json | tail -1 | grep -o '"data":.*}}'
"data":{"password":"[redacted: password]","id":"ghp_a8F3kQ9zL2mN7pR5tV1xY4bC6dE0gH2jK9mQ"}}
$ quire session check $S; quire search redacted --json | grep -c redacted
1

# secrets of outputs are masked in what is shown and in what is kept
$ export QUIRE_SECRETS=mask QUIRE_SESSION=$(quire session new | cut -d'"' -f4)
$ printf 'one\n\033[32mpassword=hunter22x\033[0m\ntwo\n' | quire output sink 2>said; cat said
one
password=[redacted: password]
two
quire: password, byte 13, masked
$ { echo password=hunter22x; seq 20000; } | quire output sink --tool env >/dev/null 2>said; head -1 said; quire read artifact://0 | head -1
quire: password, byte 9, masked
password=[redacted: password]
$ echo 'the AKIAZ7Q2M4N8P1R5T6V9 key' | quire output agent Scout >/dev/null
quire: aws-access-key, byte 4, masked
$ quire read agent://0-Scout
the [redacted: aws-access-key] key
$ echo TOKEN=9fK2mQ7pLx8v | QUIRE_SECRETS=warn quire output sink 2>said; cat said
TOKEN=9fK2mQ7pLx8v
quire: secret, byte 6

# secrets of artifacts are masked if they are text
$ export QUIRE_SECRETS=mask
$ echo 'postgres://shop:q7Zr2-kfw9@db/shop' | quire artifact put db.env 2>said; cat said; quire artifact get db.env
#1 db.env, version 1
quire: url-password in db.env, byte 16, masked
postgres://shop:[redacted: url-password]@db/shop
$ printf 'password=hunter22x\000' | quire artifact put raw.bin; quire artifact get raw.bin | tr '\000' '\n'
#2 raw.bin, version 1
password=hunter22x
$ echo '{"action":"write","filename":"w.env","content":"TOKEN=9fK2mQ7pLx8v"}' | quire tool workspace --session temp 2>/dev/null | grep -o '"secrets".*'
"secrets":[{"kind":"secret","place":"w.env","at":6,"bytes":12,"masked":true}]}
$ quire artifact get w.env --session temp; echo
TOKEN=[redacted: secret]
$ printf '[[artifact:put x.env]]\n' >/dev/null; mkdir t; echo password=hunter22x >t/a.env; tar -cf t.tar -C t .; quire artifact put t.tar t.tar; quire artifact unpack t.tar >/dev/null
#4 t.tar, version 1
quire: password in t/a.env, byte 9, masked
$ quire artifact get t/a.env
password=[redacted: password]

# a file of a workspace keeps its text, and makes no further version
$ export QUIRE_SECRETS=mask
$ mkdir -p $QUIRE_HOME/artifacts/temp; echo password=hunter22x >$QUIRE_HOME/artifacts/temp/c.txt; echo one >$QUIRE_HOME/artifacts/temp/d.txt
$ echo '{"action":"list"}' | quire tool workspace --session temp 2>&1 >/dev/null
quire: password in c.txt, byte 9, masked
$ quire artifact get c.txt --session temp; cat $QUIRE_HOME/artifacts/temp/c.txt
password=[redacted: password]
password=hunter22x
$ touch $QUIRE_HOME/artifacts/temp/c.txt; echo '{"action":"list"}' | quire tool workspace --session temp >/dev/null 2>&1; cat $QUIRE_HOME/artifacts/temp/c.txt; quire artifact versions c.txt --session temp --json | wc -l
password=hunter22x
1

# an imported session is masked, and the original is kept as it is
$ mkdir -p h/.claude/projects/-x; export HOME=$PWD/h QUIRE_SECRETS=mask; unset CLAUDE_CONFIG_DIR
$ F=h/.claude/projects/-x/11111111-2222-4333-8444-555555555555.jsonl
$ echo '{"type":"user","uuid":"a1","parentUuid":null,"sessionId":"11111111-2222-4333-8444-555555555555","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/x","message":{"role":"user","content":"use ghp_a8F3kQ9zL2mN7pR5tV1xY4bC6dE0gH2jK9mQ"}}' >$F
$ quire import --agent claude-code >/dev/null
quire: github-token in …/11111111-2222-4333-8444-555555555555.jsonl#/message/content…, byte 4, masked
$ quire session show 1111 --json | grep -o 'use [^"]*'; quire session export 1111 --to original | cmp - $F
use [redacted: github-token]
$ quire import --agent claude-code --json | tail -1
{"found":1,"imported":0,"unchanged":1,"problems":0,"bytes":0}
