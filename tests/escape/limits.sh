# More than was given: the limits end it, and the machine stays well. Unconfined
# they are the same limits, so that there is nothing to show there.
# shellcheck shell=sh disable=SC2016
limit() {
    sentence=$1
    shift
    attempt "$sentence" control='no:the limits are the same' "$@"
}
limit 'processes' opts='--processes 50' <<'END'
i=0; while [ $i -lt 150 ]; do sleep 2 & i=$((i + 1)); done
sleep 1; echo REACHED many processes
END
limit 'processes that make processes' opts='--processes 50' <<'END'
cat >bomb.sh <<'EOT'
[ "$1" -gt 0 ] || { sleep 2; exit; }
sh ./bomb.sh $(($1 - 1)) & sh ./bomb.sh $(($1 - 1)) & wait
EOT
sh ./bomb.sh 7; echo REACHED many processes
END
limit 'memory of one process' opts='--memory 64m' needs=dd <<'END'
dd if=/dev/zero of=/dev/null bs=300M count=1 && echo REACHED much memory
END
limit 'memory of all together' opts='--memory 100m' needs=perl <<'END'
for i in 1 2 3 4 5; do perl -e '$x = "x" x 40e6; sleep 2; print length $x' & done
sleep 1.5; echo REACHED much memory
END
limit 'memory in files without a name' opts='--memory 64m' needs=perl <<'END'
perl -e '$x = "x"; $n = syscall(319, $x, 0); exit 1 if $n < 0; open $f, ">&=", $n; print $f "x" x 1e6 or exit 1 for 1..300; print "REACHED much memory\n"'
END
limit 'memory that no process maps' opts='--memory 64m' needs=perl <<'END'
perl -e 'for (1..10) { $i = shmget(0, 40e6, 0600 | 01000); exit 1 if $i < 0; shmwrite($i, "x" x 1e6, $_ * 1e6, 1e6) or exit 1 for 0..39 } print "REACHED much memory\n"'
END
limit 'one file' opts='--file-size 1m' needs=dd <<'END'
dd if=/dev/zero of=big bs=64k count=32; [ "$(wc -c <big)" -le 1048576 ] || echo REACHED a large file
END
limit 'many files together' opts='--disk 4m' needs=dd <<'END'
i=0; while [ $i -lt 30 ]; do dd if=/dev/zero of=f$i bs=1M count=1 2>/dev/null; sleep 0.02; i=$((i + 1)); done
sleep 0.5; echo REACHED much disk
END
limit 'many names together' opts='--files 200' <<'END'
i=0; while [ $i -lt 1000 ]; do : >n$i; i=$((i + 1)); [ $((i % 100)) != 0 ] || sleep 0.1; done
echo REACHED many files
END
limit 'descriptors' opts='--open-files 32' needs=perl <<'END'
perl -e 'for (1..100) { open($f[$_], "<", "/dev/null") or exit 1 } print "REACHED many files\n"'
END
limit 'output' opts='--max-output 1000' \
    after='[ $(wc -c <"$WORLD/said") -lt 2000 ] || echo REACHED much output' <<'END'
yes
END
limit 'output to both' opts='--max-output 1000' \
    after='[ $(wc -c <"$WORLD/said") -lt 2000 ] || echo REACHED much output' <<'END'
yes >&2 & yes
END
limit 'time' opts='--timeout 300ms' status=124 <<'END'
trap '' TERM INT HUP; while :; do :; done
END
limit 'time, being stopped' opts='--timeout 300ms' status=124 <<'END'
kill -STOP $$; sleep 5
END
limit 'time, with a child that holds the output' opts='--timeout 300ms' status=124 <<'END'
( trap '' TERM; exec sleep 5 ) & wait
END
# What quire finds afterwards must not trouble it.
limit 'deep directories' status=0 <<'END'
i=0; while [ $i -lt 600 ]; do mkdir d_______________; cd d_______________; i=$((i + 1)); done; exit 0
END
limit 'many names' status=0 needs=seq <<'END'
mkdir many; cd many; for i in $(seq 1000); do : >$i; done; exit 0
END
limit 'a file of holes' status=0 needs=truncate <<'END'
truncate -s 900M holes; exit 0
END
limit 'directories that cannot be read' status=0 <<'END'
mkdir -p a/b; echo x >a/b/c; echo x >d; chmod 0 a/b/c a/b a d; exit 0
END
