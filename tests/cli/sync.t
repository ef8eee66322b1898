# sync exchanges what two homes have, over a command in the place of ssh
$ S=$(quire session new --title one --cwd /srv/demo | cut -d'"' -f4)
$ echo '{"type":"message","message":{"role":"user","content":"hello"}}' | quire session append $S
{"id":"…","parentId":null}
$ quire --json sync ../stick
quire: created the home …/stick
{"sent":1,"received":0,"bytes_sent":…,"bytes_received":…,"merged":0,"skipped":0,"trips":3}
$ printf '#!/bin/sh\necho "host $1" >&2; PATH=%s:$PATH; exec sh -c "$2"\n' "$(dirname "$(command -v quire)")" >ssh.sh; chmod +x ssh.sh
$ echo '{"type":"message","message":{"role":"user","content":"there"}}' | quire --home ../stick session append $S
{"id":"…","parentId":"…"}
$ quire sync --ssh ./ssh.sh "me@far:$PWD/../stick"
host me@far
sent 0 (…), received 1 (…), merged 0
$ quire session show $S | tail -1
…there

# a place that cannot be reached is an error that names the command
$ quire sync --ssh false me@far
quire: ssh ended with status 1
? 3
$ quire sync --ssh 'echo Welcome' me@far
quire: this is no stream of Quire (expected "quire 1 sync")
hint: the other side has to run a Quire of this version
? 3

# what is marked stays here
$ T=$(quire session new --title two --cwd /srv/private | cut -d'"' -f4)
$ quire sync --keep-local project=/srv/private
$ quire sync --list-local --json
{"kind":"project","value":"/srv/private"}
$ quire --json --quiet sync ../stick | cut -d, -f1
quire: created the home ../stick
{"sent":0
$ quire sync --share project=/srv/private
$ quire --json sync ../stick | cut -d, -f1
{"sent":1
$ quire sync --keep-local nonsense
quire: nonsense is not session=S, project=DIR or folder=NAME
hint: such as project=/srv/private
? 2
$ quire sync
quire: give one place, or --serve
hint: usage: quire sync PLACE
? 2
