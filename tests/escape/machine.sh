# Devices, files of the kernel, and programs with more rights than ours.
# shellcheck shell=sh disable=SC2016
attempt 'settings of the kernel' control=root <<'END'
for f in /proc/sys/kernel/core_pattern /proc/sys/vm/swappiness /proc/sys/kernel/hostname; do
    v=$(cat "$f") && ( echo "$v" >"$f" ) 2>/dev/null && echo REACHED "$f"
done
END
attempt 'switches of the kernel' control=no:'they would be thrown' <<'END'
for f in /proc/sysrq-trigger /proc/sys/kernel/modprobe /proc/sys/kernel/ns_last_pid \
    /proc/sys/fs/binfmt_misc/register /proc/irq/0/smp_affinity /proc/mtrr \
    /proc/sys/net/ipv4/ip_forward /proc/sys/user/max_user_namespaces; do
    [ -e "$f" ] && ( : >>"$f" ) 2>/dev/null && echo REACHED "$f"
done
exit 0
END
attempt '/sys' control=no:'nothing of it may be tried' <<'END'
ls /sys/kernel /sys/class /sys/fs/cgroup 2>/dev/null && echo REACHED /sys
for f in /sys/power/state /sys/kernel/uevent_helper /sys/kernel/mm/ksm/run; do
    [ -e "$f" ] && ( : >>"$f" ) 2>/dev/null && echo REACHED "$f"
done
END
attempt 'memory and log of the kernel' control=may:'kernels differ' <<'END'
for f in /dev/mem /dev/kmem /dev/port /dev/kmsg /proc/kcore /proc/kmsg /dev/nvram; do
    ( exec 5<"$f" ) 2>/dev/null && echo REACHED "$f"
done
END
attempt 'disks, terminals and other devices' control=may:'machines differ' <<'END'
for f in /dev/[svn]d[a-z]* /dev/nvme* /dev/loop* /dev/dm-* /dev/fuse /dev/kvm /dev/net/tun \
    /dev/vhost* /dev/uinput /dev/input/* /dev/tty[0-9S]* /dev/console /dev/pts/* \
    /dev/ptmx /dev/vcs* /dev/snapshot /dev/userfaultfd /dev/vsock; do
    [ -e "$f" ] && ( exec 5<"$f" ) 2>/dev/null && echo REACHED "$f"
done
exit 0
END
attempt 'a letter at the terminal' needs=script control=no:'even unconfined it has none' \
    after='LC_ALL=C script -qec "sh $LIB/start $WORLD $wrap quire run" /dev/null </dev/null' <<'END'
"$REACH" type; ( echo REACHED the terminal >/dev/tty ) 2>/dev/null
END
attempt 'programs that become root' control=no:'they ask for a password' <<'END'
for p in su sudo mount umount newuidmap newgidmap passwd pkexec chsh fusermount3; do
    p=$(command -v $p) || continue
    [ "$(stat -c %u:%f "$p" 2>/dev/null)" ] || continue
    case $p in
    *su) su -c 'echo REACHED root' </dev/null ;;
    *sudo) sudo -n sh -c 'echo REACHED root' ;;
    *newuidmap) newuidmap $$ 0 0 1 && echo REACHED a map ;;
    *fusermount3) fusermount3 -u / && echo REACHED a mount ;;
    *pkexec) pkexec --disable-internal-agent true </dev/null && echo REACHED root ;;
    esac
done 2>&1 | grep REACHED
grep -q '^NoNewPrivs:.*1' /proc/self/status || [ ! -r /proc/self/status ] || echo REACHED new privileges
exit 0
END
attempt 'a program that is set-user-ID by our own hand' control=root <<'END'
cp "$REACH" mine; chmod 6755 mine; ./mine suid "$OUT/secret"
END
# Outside, where nothing forbids it, it would run with the rights of whoever ran
# quire: for everybody who finds it.
set_id='find "$QUIRE_HOME/artifacts/temp" "$QUIRE_HOME/artifacts/scratchpad/temp" -perm /6000 |
    sed "s/^/REACHED /"'
attempt 'a program with our rights is left for others' after="$set_id" <<'END'
cp "$REACH" mine; chmod 4755 mine; chmod u+s mine; install -m 6755 "$REACH" other
END
attempt 'a program with the rights of our group is left for others' after="$set_id" <<'END'
cp "$REACH" mine; chgrp "$(id -g)" mine; chmod 2755 mine
END
attempt 'a program with our rights is left for others, by any call' after="$set_id" <<'END'
umask 0
for way in chmod fchmod fchmodat fchmodat2 creat open openat openat2 unnamed mknod mknodat; do
    mkdir $way && cd $way && "$REACH" set_id $way; cd ..
done
END
attempt 'a program with our rights is unpacked' needs='tar python3' after="$set_id" <<'END'
python3 - >x.tar <<'EOT'
import io, sys, tarfile
t = tarfile.open(fileobj=sys.stdout.buffer, mode="w|")
i = tarfile.TarInfo("mine"); i.mode = 0o4755; i.size = 1
t.addfile(i, io.BytesIO(b"x")); t.close()
EOT
tar -xpf x.tar
END
attempt 'capabilities' control=root <<'END'
grep '^Cap[BEP]' /proc/self/status | grep -qv '0000000000000000' && echo REACHED capabilities
END
attempt 'groups of control' control=may:'machines differ' <<'END'
for d in /sys/fs/cgroup /proc/self/root/sys/fs/cgroup; do
    ( mkdir $d/quire-escape ) 2>/dev/null && echo REACHED groups && rmdir $d/quire-escape
done
END
attempt 'the crash of a program is handled outside' control=may:'machines differ' <<'END'
ulimit -c unlimited 2>/dev/null; sh -c 'kill -SEGV $$'; ls core* 2>/dev/null && echo REACHED a core
exit 0
END
attempt 'limits are raised' control=may:'machines differ' <<'END'
ulimit -n 1000000 2>/dev/null && echo REACHED more files
ulimit -f unlimited 2>/dev/null && echo REACHED larger files
END
