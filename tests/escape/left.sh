# Processes that outlive the call. Each touches `alive` for three seconds.
# shellcheck shell=sh disable=SC2016
keep='i=0; while [ $i -lt 30 ]; do : >"$SESSION_ARTIFACT_DIR/alive"; sleep 0.1; i=$((i + 1)); done'
ours='no:quire ends what it finds, unconfined too'

left() {
    sentence=$1
    shift
    attempt "$sentence" lingers=yes "$@"
}
left 'a background process' control=direct <<END
( $keep ) >/dev/null 2>&1 &
END
left 'a background process that holds the output' control="$ours" <<END
( $keep ) &
END
left 'nohup' needs=nohup control=direct <<END
export SESSION_ARTIFACT_DIR; nohup sh -c '$keep' >/dev/null 2>&1 &
END
left 'setsid' needs=setsid control=direct <<END
export SESSION_ARTIFACT_DIR; setsid sh -c '$keep' >/dev/null 2>&1 &
END
left 'two forks and a session of its own' needs=setsid control=direct <<END
export SESSION_ARTIFACT_DIR
( ( setsid sh -c '$keep' </dev/null >/dev/null 2>&1 & ) & )
END
left 'a daemon in python' needs=python3 control=direct <<'END'
python3 - <<'EOT'
import os, time
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
for fd in range(256):
    try: os.close(fd)
    except OSError: pass
os.chdir("/")
for i in range(30):
    open(os.environ.get("SESSION_ARTIFACT_DIR", ".") + "/alive", "w").close()
    time.sleep(0.1)
EOT
END
left 'one that hears no signal' control=direct <<END
trap '' TERM INT HUP; ( trap '' TERM INT HUP; $keep ) >/dev/null 2>&1 &
END
left 'one that forks before it is found' control=direct <<'END'
cat >hop.sh <<'EOT'
trap '' TERM HUP
: >"$SESSION_ARTIFACT_DIR/alive"
[ "$1" -gt 0 ] && { sh "$SESSION_ARTIFACT_DIR/hop.sh" $(($1 - 1)) & sleep 0.005; }
exit
EOT
export SESSION_ARTIFACT_DIR; setsid sh hop.sh 200 >/dev/null 2>&1 </dev/null &
END
left 'one that is stopped' control=no:'it would not go on' <<END
( kill -STOP \$(sh -c 'echo \$PPID'); $keep ) >/dev/null 2>&1 &
END
left 'when it takes too long' opts='--timeout 300ms' status=124 control=no:'it is ended' <<END
trap '' TERM; export SESSION_ARTIFACT_DIR
setsid sh -c 'trap "" TERM; $keep' >/dev/null 2>&1 & sleep 5; sleep 5
END
left 'when it says too much' opts='--max-output 1000' control=no:'it is ended' <<END
export SESSION_ARTIFACT_DIR; setsid sh -c '$keep' >/dev/null 2>&1 & yes
END

# Quire itself is killed in the midst of it.
killed_meanwhile() {
    confined "echo \$TMPDIR >left; echo \$QPID >qpid; export SESSION_ARTIFACT_DIR
        setsid sh -c '$keep' >/dev/null 2>&1 & sleep 3" &
    i=0
    while [ ! -s "$QUIRE_HOME/artifacts/temp/qpid" ] && [ $i -lt 100 ]; do
        sleep 0.05
        i=$((i + 1))
    done
    kill -9 "$(cat "$QUIRE_HOME/artifacts/temp/qpid")"
    wait
    sleep 0.2
}
left 'when quire is killed' control=no:'nobody is there to end it' \
    after=killed_meanwhile <<'END'
true
END
