# Outputs where nothing can be kept, nobody listens, or the end comes early.
# With QUIRE_LONG=1 the streams are gigabytes, FIGURES names a file for what
# they needed.
# shellcheck shell=sh source=lib disable=SC2016
. "$LIB"
with_mounts

# `begin DIR`: a home there, the path of a session and of its outputs.
begin() {
    home=$1
    expect 0 quire --home "$home" session new --cwd /somewhere
    path=$(sed 's/.*"path":"\([^"]*\)".*/\1/' out)
    [ -f "$path" ] || fails "no file: $(cat out)"
    outputs=${path%.jsonl}
    seq 100000 >text
    tail -c 51200 text >end
}

# `sink STATUS [ARGS...]`: the text goes in.
sink() {
    want=$1
    shift
    got=0
    timeout 20 quire --home "$home" --session "$path" output sink "$@" \
        <text >out 2>err || got=$?
    [ $got = "$want" ] && return
    head -c 300 out
    cat err
    fails "exit status $got, not $want"
}

# Nothing unfinished lies about, and `$1` files are there.
tidy() {
    n=0
    [ ! -d "$outputs" ] || n=$(find "$outputs" -mindepth 1 | wc -l)
    [ "$n" = "$1" ] || fails "not $1 files: $(ls -lA "$outputs")"
    litter=$(find "$home" -name '.*' ! -name '.' ! -path "$home" -o \
        -name '*.tmp*' -type f)
    [ -z "$litter" ] || fails "left behind: $litter"
}

# `kept N FILE`: artifact://N is that, whole.
kept() {
    expect 0 quire --home "$home" --session "$path" read "artifact://$1"
    cmp out "$2"
}

small_disk() {
    mkdir disk
    mount -t tmpfs -o size=2m none disk
    begin disk/home
}

fill_up() {
    cat /dev/zero >disk/ballast 2>/dev/null || :
}

# The end is shown, in both forms, and it is said that this is not all.
not_kept() {
    sink 3
    cmp out end
    complains "$1" 'cannot keep'
    sink 3 --json
    grep -q '"artifactId":null' out || fails "$(tail -c 300 out)"
    grep -q '"artifactError":".*'"$1" out || fails "$(tail -c 300 out)"
    grep -q '"truncated":true,"totalLines":100001,"totalBytes":588895' out ||
        fails "$(tail -c 300 out)"
    grep -q '"kind"' err || fails "$(cat err)"
}

full() {
    small_disk
    fill_up
    not_kept 'No space left on device'
    tidy 0
    rm disk/ballast
    sink 0
    kept 0 text
    tidy 1
}

# It fills up in the middle: what was read goes on being read.
half_full() {
    small_disk
    seq 400000 >text
    tail -c 51200 text >end
    sink 3
    cmp out end
    complains 'No space left on device' 'cannot keep'
    tidy 0
    got=0
    { timeout 20 sh -c 'cat text && echo all >read'; } |
        timeout 20 quire --home "$home" --session "$path" output sink \
            >out 2>err || got=$?
    [ $got = 3 ] || fails "exit status $got"
    cmp out end
    [ -s read ] || fails 'the command in front was not read to its end'
    tidy 0
    rm -f disk/ballast
    seq 100000 >text
    sink 0
    kept 0 text
    tidy 1
}

full_agent() {
    small_disk
    noise 2000000 >report
    got=0
    timeout 10 quire --home "$home" --session "$path" output agent Scout \
        <report >out 2>err || got=$?
    [ $got = 3 ] || fails "exit status $got"
    complains 'No space left on device'
    [ ! -s out ] || fails "acknowledged: $(cat out)"
    tidy 0
    got=0
    noise 1000 >report
    expect 0 sh -c 'quire --home disk/home --session "$1" output agent Scout \
        <report' sh "$path"
    grep -q '"id":"0-Scout"' out || fails "$(cat out)"
    tidy 1
}

short_needs_nothing() {
    small_disk
    fill_up
    seq 10 >text
    sink 0
    cmp out text
    [ ! -s err ] || fails "$(cat err)"
    tidy 0
}

file_size() {
    begin "$PWD/home"
    got=0
    timeout 10 sh -c 'ulimit -f 100; exec "$@"' sh \
        quire --home home --session "$path" output sink <text >out 2>err ||
        got=$?
    [ $got = 3 ] || fails "exit status $got: $(cat err)"
    cmp out end
    complains 'File too large' 'cannot keep'
    tidy 0
    sink 0
    kept 0 text
}

read_only() {
    small_disk
    mount -o remount,bind,ro disk
    not_kept 'Read-only file system'
    expect 0 quire --home "$home" --session "$path" output ls
    expect 1 quire --home "$home" --session "$path" read artifact://0
    complains 'artifact://0'
}

# As one who may not write there.
forbidden() {
    need_nobody
    [ "$(id -u)" = 0 ] || skip "only root can become somebody else"
    begin "$PWD/home"
    sink 0
    chmod -R a+rX home
    chmod a+rx .
    got=0
    as_nobody timeout 10 quire --home "$home" --session "$path" output sink \
        <text >out 2>err || got=$?
    [ $got = 3 ] || fails "exit status $got"
    cmp out end
    complains 'Permission denied' 'cannot keep'
    as_nobody quire --home "$home" --session "$path" read artifact://0 |
        cmp - text
    tidy 1
    chmod 700 "$outputs"
    for words in 'read artifact://0' 'output ls' 'read agent://x'; do
        # shellcheck disable=SC2086
        expect 3 setpriv --reuid=65534 --regid=65534 --clear-groups \
            quire --home "$home" --session "$path" $words
        complains 'Permission denied'
    done
}

# The directory for temporary files is of another, or a trap.
others_tmp() {
    [ "$(id -u)" = 0 ] || skip "only root can give a directory away"
    seq 9 >text
    mkdir tmp
    mkdir -m 700 tmp/quire-0
    chown 65534 tmp/quire-0
    expect 3 sh -c 'TMPDIR=$PWD/tmp quire output sink --threshold 4 <text'
    complains 'quire-0'
    [ "$(cat out)" = "$(printf '8\n9')" ] || fails "the end is not shown"
    echo forged >tmp/quire-0/0.tool.log
    expect 3 sh -c 'TMPDIR=$PWD/tmp quire read artifact://0'
    [ ! -s out ] || fails "read it: $(cat out)"
    expect 3 sh -c 'TMPDIR=$PWD/tmp quire output agent X <text'
    complains 'quire-0'
    [ "$(ls -A tmp/quire-0)" = 0.tool.log ]
}

# The reader goes away; what came is kept.
reader_leaves() {
    begin home
    for bytes in 1 0; do
        { timeout 20 quire --home home --session "$path" output sink \
            <text 2>err || echo $? >status; } | head -c $bytes >/dev/null
    done
    wait
    kept 0 text
    kept 1 text
    tidy 2
    # Nobody at all.
    got=0
    timeout 20 sh -c 'exec quire --home home --session "$1" output sink <text \
        >&-' sh "$path" 2>err || got=$?
    [ $got = 3 ] || fails "exit status $got with standard output closed"
    kept 2 text
    tidy 3
}

# A sink that has had the text, and waits for more.
running() {
    rm -f pipe
    mkfifo pipe
    env --default-signal=INT,TERM quire --home "$home" --session "$path" \
        output sink <pipe >said 2>err &
    pid=$!
    exec 9>pipe
    cat text >&9
    sleep 0.1
}

# `ended [STATUS]`: it has.
ended() {
    got=0
    exec 9>&-
    wait "$pid" || got=$?
    [ $got = "${1:-0}" ] || fails "exit status $got: $(cat err)"
}

interrupted() {
    need_default_signals
    begin home
    running
    kill -INT $pid
    sleep 0.1
    kill -0 $pid || fails 'ended by the first signal'
    printf 'last words\n' >&9
    ended 130
    (cat text; echo 'last words') >all
    tail -c 51200 all | cmp - said
    kept 0 all
    tidy 1
}

interrupted_twice() {
    need_default_signals
    begin home
    running
    kill -INT $pid
    sleep 0.1
    kill -INT $pid 2>/dev/null || :
    n=0
    while kill -0 $pid 2>/dev/null && [ $n -lt 40 ]; do
        sleep 0.05
        n=$((n + 1))
    done
    [ $n -lt 40 ] || fails 'not even the second signal ends it'
    exec 9>&-
    wait $pid || :
    tidy "$(find "$outputs" -name '0.tool.log' | wc -l)"
}

terminated() {
    need_default_signals
    begin home
    running
    kill -TERM $pid
    n=0
    while kill -0 $pid 2>/dev/null && [ $n -lt 40 ]; do
        sleep 0.05
        n=$((n + 1))
    done
    [ $n -lt 40 ] || fails 'it goes on'
    exec 9>&-
    got=0
    wait $pid || got=$?
    [ $got = 0 ] || [ $got = 143 ] || fails "exit status $got: $(cat err)"
    kept 0 text
    cmp said end
    tidy 1
}

killed() {
    need_default_signals
    begin home
    sink 0
    for after in 0.01 0.05 0.1; do
        yes | head -c 60000000 |
            quire --home home --session "$path" output sink >said 2>err &
        pid=$!
        sleep $after
        kill -KILL $pid 2>/dev/null || :
        wait $pid || :
    done
    running
    kill -KILL $pid
    exec 9>&-
    wait $pid || :
    expect 0 quire --home home --session "$path" output ls --json
    n=$(wc -l <out)
    tidy "$n"
    sink 0 --json
    grep -q "\"artifactId\":\"$n\"" out || fails "$(tail -c 300 out)"
    kept "$n" text
    tidy $((n + 1))
    kept 0 text
}

killed_agent() {
    begin home
    mkfifo pipe
    quire --home home --session "$path" output agent A <pipe >said 2>err &
    pid=$!
    exec 9>pipe
    cat text >&9
    kill -KILL $pid
    exec 9>&-
    wait $pid || :
    [ ! -s said ] || fails 'acknowledged'
    tidy 0
    expect 0 sh -c 'quire --home home --session "$1" output agent A <text' sh \
        "$path"
    grep -q '"id":"0-A"' out || fails "$(cat out)"
    tidy 1
}

# The session goes away under it: the end is shown, and nothing comes back.
session_removed() {
    need_default_signals
    begin home
    running
    got=0
    timeout 10 quire --home home session rm "$path" >rm.out 2>rm.err || got=$?
    cat text >&9
    exec 9>&-
    st=0
    wait $pid || st=$?
    cmp said end
    case $got in
    0)
        [ $st = 3 ] || fails "exit status $st: $(cat err)"
        complains 'cannot keep'
        [ ! -e "$path" ] || fails 'the session is back'
        [ ! -e "$outputs" ] || fails "its outputs are back: $(ls "$outputs")"
        ;;
    3) # Refused while it is used.
        grep -q "$(basename "$path" .jsonl)" rm.err || fails "$(cat rm.err)"
        [ $st = 0 ]
        ;;
    *) fails "rm gave $got: $(cat rm.err)" ;;
    esac
}

# It moves: the output is found where it is now.
session_moved() {
    need_default_signals
    begin home
    sink 0
    running
    expect 0 quire --home home session move "$path" --cwd /elsewhere
    old=$outputs
    path=$(sed 's/.*"path":"\([^"]*\)".*/\1/' out)
    outputs=${path%.jsonl}
    cat text >&9
    ended
    [ ! -e "$old" ] || fails "there is $(find "$old")"
    cat text text >all
    kept 0 text
    kept 1 all
    tidy 2
}

# The first output of all, whose directory is not yet there when it moves.
session_moved_early() {
    need_default_signals
    begin home
    cp text whole
    head -c 1000 whole >text
    running
    expect 0 quire --home home session move "$path" --cwd /elsewhere
    old=$outputs
    path=$(sed 's/.*"path":"\([^"]*\)".*/\1/' out)
    outputs=${path%.jsonl}
    tail -c +1001 whole >&9
    ended
    [ ! -e "$old" ] || fails "there is $(find "$old")"
    kept 0 whole
    tidy 1
}

session_archived() {
    need_default_signals
    begin home
    running
    got=0
    timeout 10 quire --home home session archive "$path" --json >out 2>err.a ||
        got=$?
    [ $got = 0 ] || fails "$(cat err.a)"
    old=$outputs
    path=$(sed 's/.*"path":"\([^"]*\)".*/\1/' out)
    outputs=${path%.jsonl}
    ended
    [ ! -e "$old" ] || fails "there is $(find "$old")"
    kept 0 text
}

# Eight at once, ten each.
at_once() {
    begin home
    seq 10 >text
    for who in 1 2 3 4 5 6 7 8; do
        (
            i=0
            while [ $i -lt 10 ]; do
                (cat text; echo "$who $i") |
                    quire --home home --session "$path" output sink --json \
                        --threshold 10 -t "t$who" >>said$who 2>>err$who ||
                    echo "failed: $who $i" >>err$who
                i=$((i + 1))
            done
        ) &
    done
    wait
    cat err?
    cat said? | sed 's/.*"artifactId":"\([0-9]*\)".*/\1/' | sort -n >ids
    seq 0 79 | diff - ids
    expect 0 quire --home home --session "$path" output ls
    [ "$(wc -l <out)" = 80 ]
    tidy 80
    # Each said its own number.
    for who in 1 5 8; do
        n=$(tail -1 said$who | sed 's/.*"artifactId":"\([0-9]*\)".*/\1/')
        expect 0 quire --home home --session "$path" read "artifact://$n" \
            --tail 1
        [ "$(cat out)" = "$who 9" ] || fails "$n is $(cat out)"
    done
}

# `peak FILE COMMAND...`: the memory it needed at most, in KiB, to FILE. What
# the system reports of a child that has ended counts its parent too, so it is
# looked at while it runs, and last when it waits for us to read what it says.
peak() {
    cat >peak.py <<'END'
import fcntl, os, re, subprocess, sys, termios, threading, time
child = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE)
fcntl.fcntl(child.stdout, fcntl.F_SETPIPE_SZ, 4096)
most = 0
def look():
    global most
    try:
        with open(f"/proc/{child.pid}/status") as f:
            found = re.search(r"VmHWM:\s*(\d+)", f.read())
        if found:
            most = max(most, int(found.group(1)))
    except OSError:
        pass
def watch():
    looks = 0
    while child.poll() is None:
        look()
        looks += 1
        if looks == 50:
            open("seen", "w").close()
        time.sleep(0.001)
watcher = threading.Thread(target=watch)
watcher.start()
waiting = bytearray(4)
while watcher.is_alive():
    fcntl.ioctl(child.stdout, termios.FIONREAD, waiting, True)
    if int.from_bytes(waiting, sys.byteorder):
        time.sleep(0.03)
        look()
        break
    time.sleep(0.001)
fcntl.fcntl(child.stdout, fcntl.F_SETPIPE_SZ, 1 << 20)
while True:
    part = os.read(child.stdout.fileno(), 65536)
    if not part:
        break
    sys.stdout.buffer.write(part)
watcher.join()
with open(sys.argv[1], "w") as f:
    f.write(str(most))
sys.exit(child.returncode)
END
    timeout 300 python3 peak.py "$@"
}

# `modest WHAT BYTES [ARGS...]`: of that much, on standard input, little is
# held in memory, and all is in the file.
modest() {
    what=$1 bytes=$2
    shift 2
    peak mem quire --home home --session "$path" output sink \
        --json "$@" >said 2>err || fails "$what: $? $(cat err)"
    more=$(($(cat mem) - empty))
    echo "$what: $more KiB" >>"$WORK/figures"
    [ $more -lt 8192 ] || fails "$what: $more KiB more than for nothing"
    if [ "$bytes" != - ]; then
        grep -q "\"totalBytes\":$bytes," said ||
            fails "$what: $(tail -c 200 said)"
        [ "$bytes" -le 51200 ] || [ "$(stat -c %s \
            "$(sed 's/.*"path":"\([^"]*\)".*/\1/' said)")" = "$bytes" ] ||
            fails "$what: $(tail -c 200 said)"
    fi
    rm -f "$outputs"/*.log
}

# Bytes to write to the disk are slower than bytes to make.
little_memory() {
    command -v python3 >/dev/null || skip "no python3"
    case $(ASAN_OPTIONS=help=1 quire version 2>&1) in
    *AddressSanitizer*) skip "an instrumented build" ;;
    esac
    begin home
    mount -t tmpfs -o size=4g none home 2>/dev/null || :
    begin home
    while [ ! -e seen ]; do sleep 0.1; done |
        peak mem quire --home home --session "$path" output sink --json >said
    empty=$(cat mem)
    echo "nothing: $empty KiB" >>"$WORK/figures"
    [ "$empty" -gt 500 ] || skip "no figures from the system: $empty"
    if [ -n "${QUIRE_LONG:-}" ]; then
        line=300000000 random=100000000 zeros=2147483648 many=3221225472
    else
        line=60000000 random=20000000 zeros=300000000 many=200000000
    fi
    head -c $line /dev/zero | tr '\0' x | modest 'an endless line' $line
    head -c $line /dev/zero | tr '\0' x |
        modest 'an endless line in columns' $line --columns 768 --head 20K
    head -c $random /dev/urandom | modest 'noise' -
    head -c $zeros /dev/zero | modest 'zeros' 0
    yes | head -c $many | modest 'yes' $many --head 20K --columns 768
    (printf '\033]0;'; head -c $line /dev/zero | tr '\0' x) |
        modest 'a sequence that does not end' -
    head -c $random /dev/zero | tr '\0' '\33' | modest 'escapes' 0
    seq 100000 | modest 'a large threshold' 588895 --threshold 500K --head 100K
    # And back.
    mkdir -p "$outputs"
    cp text "$outputs/0.tool.log"
    head -c $line /dev/zero | tr '\0' x >"$outputs/1.tool.log"
    for words in 'artifact://0 --tail 5' 'artifact://0 --grep 5' \
        'artifact://1' 'artifact://1 --tail 1' 'artifact://1 --json' \
        'artifact://1 --grep y$' 'artifact://1 -N'; do
        # shellcheck disable=SC2086
        peak mem quire --home home --session "$path" read $words \
            >/dev/null 2>err || [ $? = 1 ] || fails "$words: $(cat err)"
        # Over before it was looked at.
        [ "$(cat mem)" -gt 0 ] || continue
        more=$(($(cat mem) - empty))
        echo "read $words: $more KiB" >>"$WORK/figures"
        [ $more -lt 8192 ] ||
            fails "read $words: $more KiB more than for nothing"
    done
    umount home 2>/dev/null || :
}

it 'a full disk keeps no output, and shows its end' full
it 'a disk that fills up while a tool prints lets it print on' half_full
it 'a report that does not fit is not acknowledged' full_agent
it 'a short output needs no room' short_needs_nothing
it 'a limit on the size of files is told, and the end is shown' file_size
it 'a read-only mount keeps no output, and shows its end' read_only
it 'outputs that may not be written, or read, say so' forbidden
it 'a directory for temporary files that is of another is not used' others_tmp
it 'a reader that goes away costs the reader only' reader_leaves
it 'a first Ctrl-C is for the tool, and what it still prints is kept' \
    interrupted
it 'a second Ctrl-C ends a sink' interrupted_twice
it 'a sink that is terminated keeps what came' terminated
it 'a sink that is killed leaves nothing, and numbers go on' killed
it 'a report that is cut off by a kill is none' killed_agent
it 'a session removed under a sink stays removed' session_removed
it 'a session that moves takes along what is being written' session_moved
it 'a session that moves before its first output gets it' session_moved_early
it 'a session that is put away takes along what is being written' \
    session_archived
it 'eight at once get eighty numbers' at_once
it 'a stream of any kind and size needs little memory' little_memory
[ -z "${FIGURES:-}" ] || cp "$WORK/figures" "$FIGURES"
summary
