# what a client's settings need; the environment becomes options
! jq
$ quire mcp --print-config --json --session abc --allow-run --read all
{"mcpServers":{"quire":{"command":"…/quire","args":["mcp","--home","…","--session","abc","--read","all","--allow-run"]}}}
$ quire mcp --print-config | jq -r '.mcpServers.quire.args[0]'
mcp

# a message in, an answer out, and nothing else
$ printf '{"jsonrpc":"2.0","id":1,"method":"ping"}\n\n{"jsonrpc":"2.0","method":"notifications/x"}\nx\n' | quire mcp
{"jsonrpc":"2.0","id":1,"result":{}}
{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"…","data":{"kind":"invalid","hint":"…"}}}
$ quire mcp </dev/null

# no such session
$ quire mcp --session nowhere </dev/null
quire: …nowhere…
hint: …
? 1
$ quire mcp --read nothing </dev/null
quire: --read must be session or all, not `nothing`
? 2
