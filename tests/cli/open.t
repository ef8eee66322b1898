# open starts a server, prints the address of the viewer, and ends the server
$ quire session new --title hello >made; quire open 2>said | sed 's/[0-9a-f]\{64\}/TOKEN/; s/1:[0-9]*\//1:PORT\//'; cat said
http://127.0.0.1:PORT/#token=qrt_TOKEN
a server runs in the background now; `quire open --stop` ends it
$ quire open last --print | sed 's/.*&to=//; s/[0-9a-f-]\{16,\}/ID/'
/session/ID
$ quire open --json | sed 's/[0-9a-f]\{64\}/TOKEN/; s/1:[0-9]*\//1:PORT\//'
{"url":"http://127.0.0.1:PORT/#token=qrt_TOKEN"}
$ quire open nothing
quire: no session nothing in …
hint: …
? 1
$ token=$(quire open --print | sed 's/.*token=//'); python3 -c 'import sys,urllib.request as u; print(u.urlopen(u.Request(sys.argv[1]+"/v1/sessions",headers={"Authorization":"Bearer "+sys.argv[2]})).status)' "$(head -1 $QUIRE_HOME/server.url)" "$token"
200
$ grep -r "$token" $QUIRE_HOME
? 1
$ quire open --stop; while [ -e $QUIRE_HOME/server.url ]; do sleep 0.05; done; quire open --stop
quire: no server runs for this home
? 1

# the browser gets a private file that leads to the address, not the token
$ quire session new >made; printf '#!/bin/sh\n{ echo "$1"; stat -c %%a "$1"; cat "$1"; } >seen.new; mv seen.new seen' >browser; chmod +x browser
$ BROWSER=./browser quire open 2>/dev/null; while ! [ -e seen ]; do sleep 0.05; done; sed "s/[0-9a-f]\{64\}/TOKEN/; s/1:[0-9]*\//1:PORT\//; s,$QUIRE_HOME/,," seen
open.html
600
<!DOCTYPE html><meta http-equiv="refresh" content="0; url=http://127.0.0.1:PORT/#token=qrt_TOKEN"><title>Quire</title>
$ quire open --stop

# a file that a server left behind is not taken for one
$ quire session new >made; printf 'http://127.0.0.1:1\n1\n' >$QUIRE_HOME/server.url; quire open --stop
quire: no server runs for this home
? 1
