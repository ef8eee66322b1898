# a dry run changes nothing
$ quire setup cursor --dry-run
would be created …/.cursor/mcp.json
$ find $HOME -name mcp.json

# a file that does not exist is made, and removed by undo
$ quire setup cursor
created …/.cursor/mcp.json
$ cat $HOME/.cursor/mcp.json
{
  "mcpServers": {
    "quire": {"command":"…","args":["mcp",…]}
  }
}
$ quire setup cursor
unchanged …/.cursor/mcp.json
$ quire setup cursor --undo
removed …/.cursor/mcp.json
$ quire setup cursor --undo
unchanged …/.cursor/mcp.json
$ find $HOME -name mcp.json

# every other byte of a file stays, its mode as well
$ mkdir -p $HOME/.config/zed; printf '{\n  // mine\n  "theme": "x", /* y */\n  "context_servers": {"a": {"command": "b",},},\n}' >$HOME/.config/zed/settings.json
$ chmod 640 $HOME/.config/zed/settings.json; cp $HOME/.config/zed/settings.json before
$ quire setup zed
changed …/.config/zed/settings.json
$ grep -c 'mine\|"quire": {"command":.*"env":{}}' $HOME/.config/zed/settings.json; stat -c %a $HOME/.config/zed/settings.json
2
640
$ quire setup zed --undo --json
{"agent":"zed","path":"…","action":"changed","dry_run":false}
$ cmp before $HOME/.config/zed/settings.json

# TOML, without a line break at its end
$ mkdir $HOME/.codex; printf '[mcp_servers.a]\ncommand = "x"' >$HOME/.codex/config.toml; cp $HOME/.codex/config.toml before
$ quire setup codex --quiet
changed …/.codex/config.toml
$ python3 -c 'import os, tomllib; print(sorted(tomllib.load(open(os.environ["HOME"] + "/.codex/config.toml", "rb"))["mcp_servers"]))'
['a', 'quire']
$ quire setup codex --undo
changed …/.codex/config.toml
$ cmp before $HOME/.codex/config.toml

# Claude Code gets a hook
$ mkdir $HOME/.claude; echo '{"hooks":{"Stop":[]}}' >$HOME/.claude/settings.json; cp $HOME/.claude/settings.json before
$ quire setup claude-code
created …/.claude.json
changed …/.claude/settings.json
$ python3 -c 'import json, os; print(json.load(open(os.environ["HOME"] + "/.claude/settings.json"))["hooks"]["SessionEnd"][0]["hooks"][0]["command"])'
'…' import --agent claude-code --quiet
$ quire setup claude-code --undo
removed …/.claude.json
changed …/.claude/settings.json
$ cmp before $HOME/.claude/settings.json

# a link is followed
$ mkdir dots; echo '{}' >dots/g.json; mkdir $HOME/.gemini; ln -s $PWD/dots/g.json $HOME/.gemini/settings.json
$ quire setup gemini --quiet
changed …/.gemini/settings.json
$ grep -c quire dots/g.json; test -L $HOME/.gemini/settings.json
1

# what cannot be understood is left alone
$ mkdir -p $HOME/.config/Code/User; echo '{"servers": [1]}' >$HOME/.config/Code/User/mcp.json
$ quire setup vscode
quire: …/mcp.json cannot be changed safely
hint: edit it by hand: `quire mcp --print-config` prints what belongs there
? 3
$ cat $HOME/.config/Code/User/mcp.json
{"servers": [1]}
$ quire setup emacs
quire: unknown agent 'emacs'
hint: claude-code, codex, gemini, opencode, cursor, vscode or zed
? 2
