# Processes that end before they are done.
# shellcheck shell=sh source=lib
. "$LIB"

# `later SECONDS SIGNAL PID`
later() {
    sleep "$1"
    kill -"$2" "$3" 2>/dev/null || :
}

# 200 MB of a stream, ended at any time: what was there is there, nothing is
# left over, and the same put works afterwards.
killed_stream() {
    printf keep >small
    noise 1000000 >part
    for layout in packed loose flat; do
        use $layout store_$layout
        q 0 put small part
        for after in 0.02 0.06 0.11 0.17 0.29 0.53; do
            # shellcheck disable=SC2046
            head -c 200000000 /dev/zero |
                env --default-signal=INT $(q_words put) >out 2>err &
            pid=$!
            later $after "$1" $pid
            got=0
            wait $pid || got=$?
            [ $got = 0 ] || [ $got -gt 128 ] || fails "exit $got: $(cat err)"
            holds small part
            sound
            # One that was acknowledged is there, one that was not need not.
            if [ -s out ]; then
                cp out ref
                q 0 stat "$(cat ref)"
            fi
        done
        q 0 ls
        [ "$(wc -l <out)" -le 3 ] || fails "$(cat out)"
        noise 2000000 >again
        q 0 put again
        holds again
        rm -r "$place"
    done
}
killed_stream_9() { need_default_signals; killed_stream KILL; }
killed_stream_2() { need_default_signals; killed_stream INT; }

# Small files come in batches, with a database in between.
killed_batches() {
    mkdir many
    seq 1 4000 | split -l 1 -a 4 - many/
    use packed home
    for after in 0.005 0.01 0.02 0.03 0.05 0.08 0.13; do
        quire --home home blob put many/* >acknowledged 2>err &
        pid=$!
        later $after KILL $pid
        wait $pid || :
        q 0 ls
        # Whole lines only: the last one may have been cut.
        sed -n '/^blob:sha256:[0-9a-f]\{64\}$/p' acknowledged | sort >want
        sort out | comm -23 want - >lost
        [ ! -s lost ] || fails "lost $(wc -l <lost) of $(wc -l <want)"
        sound
    done
    q 0 put many/*
    [ "$(wc -l <out)" = 4000 ]
    sound
}

# While it waits for more, which makes the moment certain.
interrupted_put() {
    need_default_signals
    mkfifo pipe
    noise 3000000 >part
    for layout in packed loose flat; do
        use $layout store_$layout
        # shellcheck disable=SC2046
        env --default-signal=INT,TERM $(q_words put) - <pipe >out 2>err &
        pid=$!
        exec 9>pipe
        cat part >&9
        later 0.05 "${1:-INT}" $pid
        got=0
        wait $pid || got=$?
        exec 9>&-
        [ $got = $((128 + ${2:-2})) ] || fails "exit status $got: $(cat err)"
        [ ! -s out ]
        q 0 ls
        [ ! -s out ] || fails "something was stored"
        sound
    done
}
terminated_put() { interrupted_put TERM 15; }

# The file appears whole or not at all, and nothing else appears.
interrupted_get() {
    need_default_signals
    head -c 200000000 /dev/zero >large
    use packed home
    q 0 put large
    ref=$(cat out)
    mkdir dest
    for after in 0.01 0.03 0.06 0.1 0.2; do
        for signal in INT TERM KILL; do
            rm -f dest/*
            env --default-signal=INT,TERM quire --home home blob get "$ref" \
                -o dest/file >out 2>err &
            pid=$!
            later $after $signal $pid
            got=0
            wait $pid || got=$?
            case $got in
            0) cmp dest/file large ;;
            1[34]*)
                [ ! -e dest/file ] || cmp dest/file large
                ;;
            *) fails "exit status $got after $signal: $(cat err)" ;;
            esac
            [ -z "$(find dest -name '.*' -type f)" ] || fails "$(ls -A dest)"
        done
    done
}

it 'a stream killed at any time costs nothing' killed_stream_9
it 'a stream interrupted at any time costs nothing' killed_stream_2
it 'batches killed at any time keep what was acknowledged' killed_batches
it 'put interrupted while it waits leaves nothing' interrupted_put
it 'put terminated while it waits leaves nothing' terminated_put
it 'get -o ended at any time gives the whole file or none' interrupted_get
summary
