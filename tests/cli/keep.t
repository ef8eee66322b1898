# a pinned session is listed as such
$ S=$(quire session new --title one | cut -d'"' -f4); quire session new --title two >/dev/null
$ quire session pin $S
$ quire session ls --pinned --json
{"id":"…","path":"…","cwd":"…","title":"one",…,"archived":false,"pinned":true,"held":false,…}
$ quire session ls --pinned --totals --ids | grep -c $S
1
$ quire session ls --ids | wc -l
2
$ quire session show $S | head -2
one
session … in …, 20…Z, pinned
$ quire session unpin $S
$ quire session ls --pinned

# a held session is not removed, and the refusal says why
$ S=$(quire session new --title one | cut -d'"' -f4)
$ quire session hold $S
quire: --reason is missing
hint: usage: quire session hold S --reason TEXT
? 2
$ quire session hold $S --reason 'case 12'
$ quire session show $S | sed -n 2p
session … in …, 20…Z, held by uid:…: case 12
$ quire session ls --json
{"id":"…",…,"pinned":false,"held":true,"hold_reason":"case 12",…}
$ quire session rm $S
quire: session … is held by uid:… since 20…: case 12
hint: `quire session release` ends the hold
? 1
$ quire session release $S
$ quire session rm $S

# a hold needs a reason that can be shown
$ S=$(quire session new | cut -d'"' -f4)
$ quire session hold $S --reason ''
quire: reason of a hold is not UTF-8 of 1 to 500 bytes without control characters
hint: say why, such as "case 12"
? 1
$ quire session pin nonsense
quire: no session nonsense in …
...
? 1

# a search finds what is in pinned sessions alone
$ S=$(quire session new --title walrus | cut -d'"' -f4); quire session new --title walrus >/dev/null
$ quire session pin $S
$ quire search walrus is:pinned --json --flat | grep -c '"session":"'$S
1
$ quire search --json --flat -- 'walrus -is:pinned' | grep -c '"session":"'$S
0
? 1

# session rm moves into the trash, session restore brings it back
$ S=$(quire session new --title one | cut -d'"' -f4); echo hello | quire artifact put --session $S a.txt - >/dev/null
$ quire session rm --dry-run --json $S >dry; quire session rm --json $S >run; diff dry run
$ cat run
{"path":"…/home/quire/sessions/--…--/….jsonl","bytes":…}
{"row":"artifact #1 a.txt","bytes":6}
$ quire session ls; quire artifact ls --all-sessions
$ quire session show $S
quire: no session … in …
...
? 1
$ quire trash ls
…  20…  …  one
$ quire trash ls --json
{"session":"…","title":"one","removed_at":"20…Z","purge_at":"20…Z","bytes":…,"path":"…/sessions/--…--/….jsonl"}
$ quire session restore ${S%????}
…/home/quire/sessions/--…--/….jsonl
$ quire trash ls
$ quire artifact get --session $S a.txt
hello

# trash empty removes for good, what is named or all of it
$ S=$(quire session new --title one | cut -d'"' -f4); T=$(quire session new --title two | cut -d'"' -f4)
$ quire session rm $S $T
$ quire trash empty --older-than 1h; quire trash ls --ids | wc -l
2
$ quire trash empty --dry-run $S --json >dry; quire trash empty $S --json >run; diff dry run; cat run
{"path":"…/home/quire/trash/1/sessions/…","bytes":…}
$ quire trash ls --ids | grep -c $T
1
$ quire trash empty
$ quire trash ls
$ quire session restore $T
quire: no session … in the trash
hint: `quire trash ls` lists the trash
? 1

# --now leaves nothing to restore
$ S=$(quire session new --title one | cut -d'"' -f4)
$ quire session rm --now --dry-run --json $S >dry; quire session rm --now --json $S >run; diff dry run
$ quire trash ls
$ quire session restore $S
quire: no session … in the trash
...
? 1

# outside the home there is no trash
$ quire session new --title one | sed 's/.*"path":"//; s/"}$//' >path; cp $(cat path) copy.jsonl
$ quire session rm ./copy.jsonl; ls *.jsonl 2>/dev/null
? 2
$ quire trash ls

# what is in the trash for longer than trash.keep goes with a collection
$ S=$(quire session new --title one | cut -d'"' -f4); quire session rm $S
$ quire gc --json
{…"trashed":0,…}
$ quire config set trash.keep 0
$ quire gc --dry-run --json
{…"trashed":1,…}
$ quire gc
0 of 0 blobs removed, 0 in use, 1 session in the trash removed
$ quire trash ls

# ls by size and age
$ S=$(quire session new --title small | cut -d'"' -f4); L=$(quire session new --title large | cut -d'"' -f4)
$ printf '{"type":"custom","data":"%05000d"}' 7 | quire session append $L >/dev/null
$ touch -d '40 days ago' $(quire session files $L)
$ quire session ls --sort size --json | sed 's/.*"title":"\([a-z]*\)".*/\1/'
large
small
$ quire session ls --sort age --limit 1 --ids | grep -c $L
1
$ quire session ls --older-than 30d --totals --json | grep -c '"title":"large"'
1
$ quire session ls --older-than 41d; quire session ls --larger-than 1M
$ quire session ls --larger-than 4K --ids | grep -c $L
1

# retain moves what a rule names into the trash, and what it prints before is what goes
$ for t in a b c d e; do quire session new --title $t | cut -d'"' -f4 >$t; touch -d "40 days ago" $(quire session files $(cat $t)); done
$ quire session pin $(cat a); quire session hold $(cat b) --reason 'case 12'; touch $(quire session files $(cat e))
$ quire retain
quire: give --dry-run or --apply
hint: usage: quire retain --dry-run|--apply
? 2
$ quire retain --dry-run
$ quire config set retain.age 30d
$ quire retain --dry-run --json | sort >dry; quire trash ls; quire retain --apply --json | sort >run; diff dry run; cat run
{"session":"…","rule":"age","bytes":…,"action":"trash"}
{"session":"…","rule":"age","bytes":…,"action":"trash"}
$ quire trash ls --ids | sort >gone; sort c d | diff - gone
$ quire retain --apply; quire retain --dry-run --age 0 --count 1
$ quire retain --apply --age 0 --size 1 --json
{"session":"…","rule":"size","bytes":…,"action":"trash"}
$ quire session ls --ids | wc -l
2
$ quire session restore $(cat c) >/dev/null
$ quire check
5 sessions, …: 0 problems
