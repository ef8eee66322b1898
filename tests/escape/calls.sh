# System calls that open a way around the other walls, namespaces, mounts.
# shellcheck shell=sh disable=SC2016
attempt 'io_uring' control=may:'not every kernel has it' <<'END'
"$REACH" io_uring
END
attempt 'a key is asked for' control=may:'a keyring of the user is not always found' <<'END'
"$REACH" request_key "$KEY"
END
attempt 'a key is added' <<'END'
"$REACH" add_key
END
attempt 'keyrings' control=may:'a session may have none' <<'END'
"$REACH" keyctl; grep -q "quire-escape-$KEY" /proc/keys && echo REACHED a list
END
attempt 'userfaultfd' control=may:'not every kernel has it' <<'END'
"$REACH" userfaultfd
END
attempt 'bpf' control=may:'not every kernel has it' <<'END'
"$REACH" bpf
END
attempt 'perf_event_open' control=may:'not every kernel has it' <<'END'
"$REACH" perf "$WPID"; "$REACH" perf 0
END
attempt 'mount' control=root <<'END'
"$REACH" mount
END
attempt 'mount of what is outside' control=root <<'END'
"$REACH" bind "$OUT"; "$REACH" bind /
END
attempt 'a mount is made writable' control=no:'it would be made so' <<'END'
"$REACH" remount /usr; "$REACH" mount_setattr /usr; "$REACH" remount /; "$REACH" remount /proc
END
attempt 'umount' control=no:'nothing is mounted there unconfined' <<'END'
cd /; "$REACH" umount "$SESSION_ARTIFACT_DIR"; "$REACH" umount /proc; "$REACH" umount /tmp
END
for space in user mount pid net ipc uts cgroup time; do
    case $space in
    user | time) how='may:not every machine allows it' ;;
    *) how=root ;;
    esac
    attempt "a new namespace: $space" control="$how" <<END
"\$REACH" unshare $space
END
done
attempt 'a new namespace by clone' control=may:'not every machine allows it' <<'END'
"$REACH" clone_user
END
attempt 'a new namespace by clone3' control=may:'not every machine allows it' <<'END'
"$REACH" clone3
END
attempt 'the programs for namespaces' needs=unshare control=root <<'END'
unshare -m true && echo REACHED unshare
END
attempt 'nested users, then mounts' needs=unshare control=may:'not every machine allows it' <<'END'
unshare -Urm sh -c 'mount -t tmpfs none /tmp && echo REACHED a mount'
END
for space in mnt net pid user ipc; do
    attempt "the namespace of others: $space" \
        control="$([ $space = user ] && echo 'no:it is our own' || echo root)" <<END
"\$REACH" setns "\$WPID" $space; "\$REACH" setns "\$QPID" $space; "\$REACH" setns 1 $space
END
done
attempt 'the namespaces of others, by pidfd' control=root <<'END'
"$REACH" setns_pidfd "$WPID"
END
attempt 'nsenter' needs=nsenter control=root <<'END'
nsenter -t "$WPID" -m cat "$OUT/secret"; nsenter -t 1 -m cat "$OUT/secret"
END
attempt 'pivot_root' control=root <<'END'
"$REACH" pivot
END
attempt 'chroot and up' control=root <<'END'
"$REACH" chroot "$OUT/secret"
END
attempt 'fsopen' control=root <<'END'
"$REACH" fsopen
END
attempt 'open_tree' control=root <<'END'
"$REACH" open_tree /; "$REACH" open_tree "$OUT"
END
attempt 'move_mount' control=no:'there must be something to move' <<'END'
"$REACH" move_mount "$SESSION_ARTIFACT_DIR"; "$REACH" move_mount /proc
END
attempt 'a file by its handle' control=root <<'END'
"$REACH" by_handle $HANDLE
END
attempt 'a disk by its number' control=may:'even root may not, in a container' <<'END'
"$REACH" mknod "$OUT/secret"; "$REACH" mknod .
END
attempt 'calls of 32 bits' control=may:'not every kernel has them' <<'END'
"$REACH" i386 "$OUT/secret"
END
attempt 'calls of 32 bits, at all' control=may:'not every kernel has them' <<'END'
"$REACH" i386_door; exit 0
END
attempt 'calls of x32, at all' control=may:'not every kernel has them' <<'END'
"$REACH" x32_door; exit 0
END
attempt 'the log of the kernel' control=root <<'END'
"$REACH" syslog
END
attempt 'modules and other kernels' control=no:'root is asked for nothing else' <<'END'
"$REACH" module; "$REACH" kexec
END
attempt 'the name of the machine' control=root <<'END'
"$REACH" hostname
END
attempt 'the clock of the machine' control=root <<'END'
"$REACH" clock
END
