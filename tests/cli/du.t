# du shows each part, the largest first, and the sum
$ S=$(quire session new --title one | cut -d'"' -f4); T=$(quire session new --title two --cwd /srv/demo | cut -d'"' -f4)
$ quire du --json | grep '"kind":"session"'
{"kind":"session","name":"…","bytes":…,"reclaimable_bytes":…,"modified_at":"20…Z","title":"…"}
{"kind":"session","name":"…","bytes":…,"reclaimable_bytes":…,"modified_at":"20…Z","title":"…"}
$ quire du --json | tail -1
{"kind":"total","name":"","bytes":…,"reclaimable_bytes":…}
$ quire du --json | sed -n 's/.*"bytes":\([0-9]*\).*/\1/p' | awk '{ last = $1; sum += $1 } END { print sum - 2 * last }'
0
$ quire du $S
…  session    …  one
…  total      
$ quire du --project /srv/demo --json | grep -c $T
1
$ quire du --project /srv/demo --json --sort age | wc -l
2
$ quire du --agent codex
       0 B         0 B  total      
$ quire du nonsense
quire: no session nonsense in …
...
? 1
