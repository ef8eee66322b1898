# on a terminal errors are coloured, unless NO_COLOR says otherwise
! script
$ script -qec 'quire nonsense' /dev/null | cat -v
^[[1;31mquire:^[[0m `nonsense` is not a command^M
^[[1mhint:^[[0m run `quire help` for the list^M
$ NO_COLOR=1 script -qec 'quire nonsense' /dev/null | cat -v
quire: `nonsense` is not a command^M
hint: run `quire help` for the list^M
$ TERM=dumb script -qec 'quire nonsense' /dev/null | cat -v
quire: `nonsense` is not a command^M
...

# what fits the screen is not paged, what does not is
! script
$ for i in 1 2 3; do echo $i | quire blob put; done >/dev/null
$ PAGER='sed s/^/paged:/' script -qec 'stty rows 10; quire blob ls' /dev/null | tr -d '\r'
blob:sha256:…
blob:sha256:…
blob:sha256:…
$ for i in 4 5 6 7 8 9 10 11 12; do echo $i | quire blob put; done >/dev/null
$ PAGER='sed s/^/paged:/' script -qec 'stty rows 10; quire blob ls' /dev/null | grep -c ^paged:blob
12
$ PAGER='sed s/^/paged:/' script -qec 'stty rows 10; quire blob ls --no-pager' /dev/null | grep -c ^paged:blob
0
? 1
$ PAGER= script -qec 'stty rows 10; quire blob ls' /dev/null | grep -c ^blob
12
$ PAGER=cat script -qec 'stty rows 10; quire blob ls' /dev/null | grep -c ^blob
12
$ PAGER='sed s/^/paged:/' script -qec 'quire help | cat' /dev/null | grep -c ^paged:
0
? 1

# a pager that stops reading is no error, one that is not there is
! script
$ for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo $i | quire blob put; done >/dev/null
$ PAGER='head -1' script -qec 'stty rows 10; quire blob ls; echo $?' /dev/null | tr -d '\r'
blob:sha256:…
0
$ PAGER=no-such-pager script -qec 'stty rows 10; quire --color never blob ls; echo $?' /dev/null | tr -d '\r'
...
quire: cannot run the pager `no-such-pager`
hint: set PAGER to an installed program, or give --no-pager
3

# what takes longer than a second shows how far it is, and erases it
! script
$ cat >slow <<'END'
> { head -c 100000 /dev/zero; sleep 1.2; head -c 100000 /dev/zero; } | quire blob put "$@"
> END
$ quire blob put slow >/dev/null
$ script -qec 'sh slow --no-progress' /dev/null >1 2>&1 &
> script -qec 'sh slow -q 2>&1' /dev/null >2 2>&1 &
> sh slow >3 2>&1 &
> script -qec 'sh slow' /dev/null | cat -v; wait
^M^[[Kstandard input: …KiB, …/s…^M^[[Kblob:sha256:…^M
$ cat -v 1 2 3
blob:sha256:…^M
blob:sha256:…^M
blob:sha256:…

# on a terminal an import lists first what agents have
! script
$ export HOME=$PWD/h; unset CLAUDE_CONFIG_DIR CODEX_HOME XDG_DATA_HOME; P=h/.claude/projects/-srv-demo; mkdir -p $P
$ for i in 1 2; do echo '{"type":"user","uuid":"a1","parentUuid":null,"timestamp":"2025-09-03T10:00:01.000Z","cwd":"/srv/demo","message":{"role":"user","content":"hi"}}' >$P/$i$i$i$i$i$i$i$i-2222-4333-8444-555555555555.jsonl; done
$ script -qec 'quire import' /dev/null | tr -d '\r' | grep found
found claude-code       2 sessions       … B  newest 20…-…-… …:…, 0 here
2 sessions found, 2 imported (… B), 0 unchanged
$ script -qec 'quire import --dry-run' /dev/null | tr -d '\r' | grep found
found claude-code       2 sessions       … B  newest 20…-…-… …:…, 2 here
2 sessions found, 0 imported (0 B), 2 unchanged
