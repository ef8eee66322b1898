# a tenant is added, and its token is shown once
$ quire tenant ls
#1     -                        0 B in 0       default
$ quire tenant add acme >token
the token of tenant acme, #2; it is not shown again
$ grep -c '^qrt_[0-9a-f]\{64\}$' token; wc -l <token
1
1
$ quire tenant add 'Bert & Co' --json
{"id":3,"name":"Bert & Co","token":"qrt_…"}
$ quire tenant add -q third | wc -c
69
$ quire tenant ls --json
{"id":1,"name":"default","disabled":false,"created_at":null,"used_bytes":0,"artifacts":0}
{"id":2,"name":"acme","disabled":false,"created_at":…,"used_bytes":0,"artifacts":0}
{"id":3,"name":"Bert & Co","disabled":false,"created_at":…,"used_bytes":0,"artifacts":0}
{"id":4,"name":"third","disabled":false,"created_at":…,"used_bytes":0,"artifacts":0}
$ grep -r "$(cut -c5- token)" $QUIRE_HOME
? 1
$ quire tenant rotate acme 2>/dev/null | cmp -s token -
? 1
$ quire tenant rotate '#1' --json
{"id":1,"name":"default","token":"qrt_…"}

# names that cannot be, or are taken
$ quire tenant add ''
quire: tenant name is not UTF-8 of 1 to 100 bytes without control characters, or looks like an id
hint: such as `acme`; an id looks like #12
? 2
$ quire tenant add '#5' 2>/dev/null
? 2
$ quire tenant add "$(printf 'a\tb')" 2>/dev/null
? 2
$ quire tenant add acme >/dev/null 2>&1; quire tenant add acme
quire: tenant acme already exists
hint: choose another name; `quire tenant rotate` gives it another token
? 1
$ quire tenant add default --json
{"error":"tenant default already exists","kind":"exists","hint":"…"}
? 1
$ quire tenant rotate nobody
quire: no tenant nobody in …/home/quire
hint: `quire tenant ls` lists the tenants
? 1

# each has artifacts, sessions and history of its own
$ for t in a b; do quire tenant add $t -q >/dev/null; done
$ echo of a | quire --tenant a artifact put notes.md
#1 notes.md, version 1
$ echo of b | QUIRE_TENANT=b quire artifact put notes.md
#2 notes.md, version 1
$ quire --tenant a artifact get notes.md
of a
$ QUIRE_TENANT=a quire --tenant b artifact get notes.md
of b
$ quire --tenant b artifact get '#1'
quire: no artifact #1 in session …
hint: …
? 1
$ quire artifact get notes.md
quire: no artifact notes.md in session user
hint: …
? 1
$ quire --tenant '#3' artifact search 'of a'
quire: no artifact has of a in it
hint: …
? 1
$ S=$(quire --tenant a session new --title mine | cut -d'"' -f4)
$ quire --tenant a session ls --json | head -n 1
{"id":"…","path":"…/home/quire/tenants/2/sessions/…","cwd":"…","title":"mine",…}
$ quire session ls; quire --tenant b session ls --json | grep -c '"title":"mine"'
0
? 1
$ quire --tenant b session show $S
quire: no session … in …/home/quire/tenants/3
hint: …
? 1
$ quire session show $QUIRE_HOME/tenants/2/sessions/*/*_$S.jsonl
quire: no session … in …/home/quire
hint: …
? 1
$ quire --tenant a history add 'why is that?'; quire history ls; quire --tenant b history ls
$ quire --tenant a history ls
20…  why is that?
$ quire tenant ls
#1     -                        0 B in 0       default
#2     20…         5 B in 1       a
#3     20…         5 B in 1       b
$ find $QUIRE_HOME -perm /077
? 0

# who is not there, or may not work, is told so
$ quire --tenant nobody artifact ls
quire: no tenant nobody in …/home/quire
hint: `quire tenant ls` lists the tenants
? 1
$ test -e $QUIRE_HOME
? 1
$ quire --tenant '' artifact ls
quire: --tenant is empty
hint: leave it out for `default`
? 2
$ QUIRE_TENANT= quire artifact ls
$ quire tenant add acme -q >/dev/null; quire tenant disable acme; quire --tenant acme session ls
quire: tenant acme is disabled
hint: `quire tenant enable '#2'` enables it
? 1
$ quire tenant ls
#1     -                        0 B in 0       default
#2     20…         0 B in 0       acme  (disabled)
$ QUIRE_TENANT=acme quire tenant disable acme --enable; quire --tenant acme session ls
$ quire tenant disable acme; quire tenant enable acme; quire --tenant acme session ls
$ quire tenant enable acme
$ quire tenant enable nobody
quire: no tenant nobody in …
hint: `quire tenant ls` lists the tenants
? 1
$ quire tenant disable default
quire: the tenant default cannot be disabled
hint: it owns everything without another tenant
? 1
$ mkdir -p .omp/agent; quire --home .omp/agent --tenant acme session ls
quire: .omp/agent is a home of another program: it has no tenants
hint: leave out --tenant and QUIRE_TENANT, or name a home of Quire's own with --home
? 1
$ QUIRE_TENANT=nobody quire blob ls --store blobs
$ quire --tenant acme doctor | grep ' tenant '
ok    tenant          acme, from --tenant

# a tenant that has something is removed with --yes
$ quire tenant add acme -q >/dev/null; echo x | quire --tenant acme artifact put a
#1 a, version 1
$ quire --tenant acme session new >/dev/null; quire tenant rm acme
quire: tenant acme has 2 sessions, 1 artifact of 2 bytes, 0 notes and 1 other file
hint: --yes removes it with all of that, for good
? 1
$ quire tenant rm acme --yes; ls $QUIRE_HOME/tenants; quire tenant ls
#1     -                        0 B in 0       default
$ quire tenant rm acme
quire: no tenant acme in …/home/quire
hint: `quire tenant ls` lists the tenants
? 1
$ quire tenant rm default --yes
quire: the tenant default cannot be removed
hint: it owns everything without another tenant
? 1
$ quire tenant add acme --json
{"id":3,"name":"acme","token":"qrt_…"}
$ quire tenant rm acme; quire tenant ls | wc -l
1

# what was learnt counts as something, and blobs are nobody's to list
$ quire tenant add acme --quiet >token; quire --tenant acme memory add --type user --title 'likes tea' >said; quire tenant rm acme
quire: tenant acme has 0 sessions, 0 artifacts of 0 bytes, 1 note and 0 other files
hint: --yes removes it with all of that, for good
? 1
$ echo secret | quire blob put >ref; quire --tenant acme blob ls
quire: blobs are stored for all tenants together and are not listed for one tenant
hint: leave out --tenant, or give the whole digest
? 3
$ quire --tenant acme blob get $(cat ref)
quire: no blob …
hint: …
? 1
$ echo secret | quire --tenant acme blob put >/dev/null; quire --tenant acme blob get $(cat ref)
secret
$ quire tenant disable acme; echo '/mem write tea' | quire --tenant acme slash
quire: tenant acme is disabled
hint: …
? 1

# further tokens have rights of their own, and end one by one
$ quire tenant add acme -q >token; quire tenant token add acme --read-only --label dashboard --expires 1d >second
$ grep -c '^qrt_[0-9a-f]\{64\}$' second
1
$ quire tenant token add acme --local --json
{"id":2,"label":"token","read_only":false,"local":true,"created_at":"…","expires_at":null,"token":"qrt_…"}
$ quire tenant token ls acme
1     20…  20…  read   dashboard
2     20…  -                    write  token
$ quire tenant token ls acme --json
{"id":1,"label":"dashboard","read_only":true,"local":false,"created_at":"…","expires_at":"…"}
{"id":2,"label":"token","read_only":false,"local":true,"created_at":"…","expires_at":null}
$ quire tenant token rm acme 1; quire tenant token rm acme 1
quire: tenant acme has no token 1
hint: `quire tenant token ls` lists them
? 1
$ quire tenant token ls nobody
quire: no tenant nobody in …
hint: `quire tenant ls` lists the tenants
? 1
$ quire tenant token rm acme x
quire: a token is removed by its id, not `x`
hint: quire tenant token ls NAME
? 2
$ quire tenant token frob acme
quire: `tenant token` needs add, ls or rm, and a tenant
hint: quire tenant token add NAME, ls NAME, or rm NAME ID
? 2
$ quire tenant token add acme --label "$(printf 'a\tb')"
quire: the label of a token is not UTF-8 of 1 to 100 bytes without control characters
hint: such as `laptop`
? 2
