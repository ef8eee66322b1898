# Other processes: their memory, their descriptors, their names; signals.
# shellcheck shell=sh disable=SC2016
attempt '/proc/self/cwd' <<'END'
cat /proc/self/cwd/../../secret
END
attempt '/proc/self/root' <<'END'
cat "/proc/self/root$OUT/secret"
END
attempt '/proc/1/root and cwd' control=may:'the first process may be kept apart' <<'END'
cat "/proc/1/root$OUT/secret"; cd /proc/1/cwd && cat ".$OUT/secret"
END
attempt 'root and cwd of every process' <<'END'
for p in /proc/[0-9]*; do cat "$p/root$OUT/secret" "$p/cwd/../../secret" 2>/dev/null; done | head -n 3
END
attempt 'the environment of every process' <<'END'
for p in /proc/[0-9]*; do tr '\0' '\n' <$p/environ | grep -a ESCAPE; done 2>/dev/null
END
attempt 'the environment of quire' <<'END'
tr '\0' '\n' <"/proc/$QPID/environ" | grep ESCAPE; tr '\0' '\n' <"/proc/$PPID/environ" | grep ESCAPE
END
attempt 'the own environment' control=direct <<'END'
env; cat /proc/self/environ
END
attempt 'descriptors of every process' <<'END'
for f in /proc/[0-9]*/fd/*; do case $(readlink "$f") in *inherited) cat "$f" ;; esac; done 2>/dev/null
cat "/proc/$QPID/fd/9"
END
attempt 'descriptors of the witness' <<'END'
cat "/proc/$WPID/fd/$WFD"; cat "/proc/$WPID/fdinfo/$WFD" && echo REACHED a position
END
attempt 'an inherited descriptor' control=direct <<'END'
cat <&9; cat /proc/self/fd/9 /dev/fd/9
END
attempt 'any descriptor' control=direct <<'END'
"$REACH" descriptors
END
attempt 'the life line of the first process' control=no:'it is only there when confined' <<'END'
for f in /proc/1/fd/*; do
    ( exec 5>"$f" ) 2>/dev/null && echo REACHED "$f"
    ( exec 5<"$f" ) 2>/dev/null && echo REACHED "$f"
done
ls -l /proc/1/fd 2>/dev/null | grep pipe && echo REACHED a name
kill -9 1; kill -STOP 1; exit 0
END
attempt 'what the first process has in memory' control=no:'it is only there when confined' <<'END'
tr '\0' '\n' </proc/1/environ | grep . | grep -v '^QUIRE_DATA_DIR\|^PATH' && echo REACHED its environment
( exec 5</proc/1/mem ) 2>/dev/null && echo REACHED its memory
( exec 5>/proc/1/mem ) 2>/dev/null && echo REACHED its memory
END
attempt 'names of others' <<'END'
cat /proc/[0-9]*/comm 2>/dev/null | grep -q '^wit''ness' && echo REACHED a name
END
attempt 'memory of the witness' <<'END'
"$REACH" mem "$WPID" "$WMEM"
END
attempt 'process_vm_readv' <<'END'
"$REACH" vm_read "$WPID" "$WMEM"
END
attempt 'process_vm_writev' <<'END'
"$REACH" vm_write "$WPID" "$WMEM"
END
attempt 'ptrace' <<'END'
"$REACH" ptrace "$WPID"
END
attempt 'ptrace, by seizing' <<'END'
"$REACH" seize "$WPID"
END
attempt 'ptrace of quire' <<'END'
"$REACH" seize "$QPID"
END
attempt 'a descriptor is fetched' <<'END'
"$REACH" pidfd_getfd "$WPID" "$WFD"
END
attempt 'kcmp' control=may:'not every kernel has it' <<'END'
"$REACH" kcmp "$WPID"
END
attempt 'advice on the memory of others' control=root <<'END'
"$REACH" advise "$WPID" "$WMEM"
END
for way in kill tgkill tkill sigqueue pidfd sigio; do
    attempt "a signal by $way" bare=6 <<END
"\$REACH" $way "\$WPID" 10
END
done
attempt 'a signal by the shell' bare=6 <<'END'
kill -USR1 "$WPID"; kill -KILL "$WPID"
END
attempt 'a signal to a group' bare=6 <<'END'
kill -USR2 -"$WPID"
END
# The parent is named 0 where it is outside, and 0 is the own group.
attempt 'quire is killed' bare=6 status=7 <<'END'
echo "$TMPDIR" >left
kill -KILL "$QPID"; [ "$PPID" = 0 ] || kill -KILL "$PPID"; sleep 0.1; exit 7
END
attempt 'quire is killed by other calls' bare=6 status=7 <<'END'
echo "$TMPDIR" >left
"$REACH" pidfd "$QPID" 9; "$REACH" sigqueue "$QPID" 9; "$REACH" sigio "$QPID" 9; sleep 0.1; exit 7
END
attempt 'quire is stopped' bare=6 status=7 control=no:'it would hang' <<'END'
kill -STOP "$QPID"; [ "$PPID" = 0 ] || kill -STOP "$PPID"; exit 7
END
attempt 'limits of others' <<'END'
"$REACH" prlimit "$WPID"
END
attempt 'limits of others, only read' <<'END'
"$REACH" limits_of "$WPID"
END
attempt 'limits of quire' control=no:'quire would suffer' <<'END'
"$REACH" prlimit "$QPID"
END
attempt 'niceness of others' <<'END'
"$REACH" nice "$WPID"
END
attempt 'niceness of a group' <<'END'
"$REACH" nice_group "$WPID"
END
attempt 'scheduling of others' <<'END'
"$REACH" sched "$WPID"
END
attempt 'processors of others' <<'END'
"$REACH" affinity "$WPID"
END
attempt 'niceness of a user' full=no:'it means the own processes there' \
    control=no:'everybody would be meant' <<'END'
"$REACH" nice_user
END
attempt 'input and output priority of others' <<'END'
"$REACH" ioprio "$WPID"
END
attempt 'children that quire does not expect' status=7 control=no:'it is done, and harms nobody' <<'END'
"$REACH" foster; exit 7
END
attempt 'shared memory, System V' <<'END'
"$REACH" shm "$KEY"
END
attempt 'messages, System V' <<'END'
"$REACH" msg "$KEY"
END
attempt 'messages, POSIX' <<'END'
"$REACH" mqueue "$KEY"
END
attempt 'shared memory, POSIX' <<'END'
cat "/dev/shm/quire-escape-$KEY"; echo x >>"/dev/shm/quire-escape-$KEY" 2>/dev/null
END
attempt 'lists of shared memory' needs=ipcs <<'END'
ipcs -m | grep -q "$(printf %08x "$KEY")" && echo REACHED a list
grep -q "$KEY" /proc/sysvipc/shm && echo REACHED a list
END
attempt 'standard input is a file, and is written' stdin="$OUT/change" control=direct <<'END'
"$REACH" reopen0
END
attempt 'standard input is a file, and is truncated' stdin="$OUT/change" control=direct <<'END'
: >/dev/stdin; : >/proc/self/fd/0
END
attempt 'standard input is a file, and is cut' stdin="$OUT/change" \
    control=no:'a descriptor that reads cannot' <<'END'
"$REACH" truncate0
END
attempt 'standard input is a file, and gets another mode' stdin="$OUT/change" control=direct <<'END'
"$REACH" chmod0; chmod 666 /dev/stdin
END
attempt 'standard input is a file, and gets other times' stdin="$OUT/change" control=direct <<'END'
"$REACH" utime0; touch -d 2001-01-01 /dev/stdin
END
attempt 'standard input is a file, and gets attributes' stdin="$OUT/change" \
    control=direct may='not every file system has them' <<'END'
"$REACH" xattr0
END
attempt 'standard input is a file, and gets flags' stdin="$OUT/change" \
    control=direct may='not every file system has them' <<'END'
"$REACH" flags
END
attempt 'standard input is a file, and gets a name' stdin="$OUT/change" \
    control=direct may='kernels differ' <<'END'
"$REACH" link0
END
attempt 'standard input is a fifo, and gets another mode' stdin="$WORLD/fifo" \
    control=no:'the other end must be held' <<'END'
"$REACH" chmod0; chmod 666 /dev/stdin
END
attempt 'standard input is a way up' stdin="$OUT/change" \
    control=no:'a file is no directory' <<'END'
cat /proc/self/fd/0/../secret; cd /proc/self/fd/0 && cat secret; cat /dev/fd/../cwd/../../secret
END
