# Sessions where nothing can be written, or nothing is a session.
# shellcheck shell=sh source=lib
. "$LIB"
with_mounts

# `say N`: N entries of about a kilobyte.
say() {
    pad=$(head -c 900 /dev/zero | tr '\0' x)
    i=0
    while [ $i -lt "$1" ]; do
        printf '{"type":"message","message":{"role":"user","content":"%s %s"}}\n' \
            $i "$pad"
        i=$((i + 1))
    done
}

# `begin DIR`: a home there, and the path of a session with one entry.
begin() {
    home=$1
    expect 0 quire --home "$home" session new --cwd /somewhere
    path=$(sed 's/.*"path":"\([^"]*\)".*/\1/' out)
    [ -f "$path" ] || fails "no file: $(cat out)"
    say 1 >one
    append 0 one
}

# `append STATUS FILE`: what it holds, to the session.
append() {
    input=$2
    expect_append "$1" quire --home "$home" session append "$path"
}

expect_append() {
    want=$1
    shift
    got=0
    timeout 10 "$@" <"$input" >out 2>err || got=$?
    [ $got = "$want" ] && return
    cat out err
    fails "exit status $got, not $want"
}

# Every line of the session is whole, and it has `$1` entries.
whole() {
    [ "$(tail -c 1 "$path" | od -An -tx1)" = ' 0a' ] || fails "a line is cut"
    expect 0 quire --home "$home" session check "$path"
    [ "$(grep -c '"type":"message"' "$path")" = "$1" ] ||
        fails "$(grep -c '"type":"message"' "$path") entries, not $1"
    litter=$(find "$home" -name '.tmp-*' -o -name '.*.lock')
    [ -z "$litter" ] || fails "left behind: $litter"
}

small_disk() {
    mkdir disk
    mount -t tmpfs -o size=2m none disk
    begin disk/home
}

fill_up() {
    cat /dev/zero >disk/ballast 2>/dev/null || :
}

# What was acknowledged is there, and not a byte of what was not.
full() {
    small_disk
    say 2000 >many
    append 3 many
    complains 'No space left on device' 'disk/home' 'line'
    n=$(wc -l <out)
    [ "$n" -gt 100 ] || fails "only $n were acknowledged"
    whole $((n + 1))
    append 3 one
    complains 'No space left on device'
    whole $((n + 1))
    cp "$path" kept
    mount -o remount,size=4m disk
    append 0 one
    whole $((n + 2))
    head -c "$(wc -c <kept)" "$path" | cmp - kept
}

# A line larger than what is left: a part of it would fit.
full_in_a_line() {
    small_disk
    {
        printf '{"type":"custom","data":["'
        noise 700000 | base64 -w 0 | fold -w 60000 | sed 's/$/","/' |
            tr -d '\n'
        printf '"]}\n'
    } >large
    append 0 large
    append 3 large
    complains 'No space left on device'
    whole 1
    append 0 one
    whole 2
}

full_rename() {
    small_disk
    say 1200 >many
    append 0 many
    before=$(sha256sum <"$path")
    expect 3 quire --home "$home" session rename "$path" 'a title'
    complains 'No space left on device'
    [ "$(sha256sum <"$path")" = "$before" ] || fails "the file has changed"
    whole 1201
    mount -o remount,size=4m disk
    expect 0 quire --home "$home" session rename "$path" 'a title'
    whole 1201
}

full_new() {
    small_disk
    fill_up
    before=$(find disk | sort)
    expect 3 quire --home "$home" session new --cwd /elsewhere
    complains 'No space left on device'
    [ ! -s out ] || fails "acknowledged: $(cat out)"
    [ "$(find disk -type f | sort)" = "$(echo "$before" | while read -r f; do
        [ ! -f "$f" ] || echo "$f"
    done)" ] || fails "something was made"
    rm disk/ballast
    expect 0 quire --home "$home" session new --cwd /elsewhere
}

read_only() {
    small_disk
    mount -o remount,bind,ro disk
    before=$(sha256sum <"$path")
    expect 0 quire --home "$home" session show "$path"
    expect 0 quire --home "$home" session check "$path"
    append 3 one
    complains 'Read-only file system' "$(basename "$path")"
    expect 3 quire --home "$home" session rename "$path" 'a title'
    complains 'Read-only file system'
    expect 3 quire --home "$home" session new
    complains 'Read-only file system'
    [ "$(sha256sum <"$path")" = "$before" ]
}

# `no_file NAME`: every command refuses it at once and names it.
no_file() {
    path=./$1
    for verb in show tree check append; do
        got=0
        timeout 10 quire --home home session $verb "$path" <one >out 2>err ||
            got=$?
        [ $got = 1 ] || [ $got = 3 ] || fails "$verb gave $got: $(cat out err)"
        complains "$1"
        [ ! -s out ] || fails "$verb printed something"
    done
}

is_a_directory() {
    begin home
    mkdir dir.jsonl
    no_file dir.jsonl
    [ -z "$(ls -A dir.jsonl)" ]
}

is_a_fifo() {
    begin home
    mkfifo fifo.jsonl
    no_file fifo.jsonl
}

is_no_session() {
    begin home
    printf 'something else\n' >notes.jsonl
    path=./notes.jsonl
    append 4 one
    complains 'notes.jsonl' 'not a session'
    expect 4 quire --home home session show ./notes.jsonl
    complains 'notes.jsonl'
    [ "$(cat notes.jsonl)" = 'something else' ]
}

is_missing() {
    begin home
    path=./nowhere.jsonl
    append 1 one
    grep -q 'nowhere.jsonl' err || fails "$(cat err)"
    [ ! -e nowhere.jsonl ]
}

# As the one who is not allowed.
forbidden() {
    need_nobody
    [ "$(id -u)" = 0 ] || skip "only root can become somebody else"
    begin "$PWD/home"
    chmod a+rx . home
    chmod -R a+rX home
    chmod a+r one
    case $1 in
    file) chmod 600 "$path" ;;
    directory) chmod 700 "$(dirname "$path")" ;;
    write) ;;
    esac
    before=$(sha256sum <"$path")
    input=one
    expect_append 3 setpriv --reuid=65534 --regid=65534 --clear-groups \
        quire --home "$home" session append "$path"
    complains 'Permission denied' "$(basename "$path")"
    status=3
    [ "$1" != write ] || status=0
    expect $status setpriv --reuid=65534 --regid=65534 --clear-groups \
        quire --home "$home" session show "$path"
    [ $status = 0 ] || complains 'Permission denied'
    [ "$(sha256sum <"$path")" = "$before" ]
}
forbidden_file() { forbidden file; }
forbidden_directory() { forbidden directory; }
forbidden_write() { forbidden write; }

# The file may be written, its directory not: an append works, a new file in
# its place cannot be.
closed_directory() {
    need_nobody
    [ "$(id -u)" = 0 ] || skip "only root can become somebody else"
    begin "$PWD/home"
    chmod a+rx . home
    chmod -R a+rX home
    chmod a+rw "$path"
    chmod a+r one
    input=one
    expect_append 0 setpriv --reuid=65534 --regid=65534 --clear-groups \
        quire --home "$home" session append "$path"
    expect 3 setpriv --reuid=65534 --regid=65534 --clear-groups \
        quire --home "$home" session rename "$path" 'a title'
    complains 'Permission denied'
    whole 2
}

# Two at once: one waits for the other, and says whom it waits for.
busy() {
    command -v mkfifo >/dev/null || skip "no mkfifo"
    begin home
    mkfifo input
    quire --home home session append "$path" <input >first 2>&1 &
    exec 9>input
    cat one >&9
    n=0
    until [ -s first ] || [ $n -gt 100 ]; do
        sleep 0.05
        n=$((n + 1))
    done
    append 3 one
    complains 'process' '(quire)' "$(basename "$path")"
    exec 9>&-
    wait
    append 0 one
    whole 3
}

# Lines that take long to write, each killed at another moment.
killed_in_a_line() {
    python3 -c 'import os; open("probe", "w"); os.setxattr("probe", "user.a", b"")' ||
        skip 'no extended attributes here'
    begin "$PWD/home"
    python3 -c '
import json
print(json.dumps({"type": "custom", "data": ["x" * 400000] * 100}))' >large
    n=0 cut=0
    while [ $n -lt 12 ]; do
        quire --home "$home" session append "$path" <large >/dev/null 2>&1 &
        pid=$!
        sleep 0.0$((3 + n % 7))
        kill -9 $pid 2>/dev/null || :
        wait $pid 2>/dev/null || :
        quire --home "$home" session check "$path" >out || fails "$(cat out)"
        ! grep -q unacknowledged out || cut=$((cut + 1))
        n=$((n + 1))
    done
    echo "$cut of $n were cut off"
    append 0 one
    quire --home "$home" session check "$path" >out || fails "$(cat out)"
    [ ! -s out ] || fails "$(cat out)"
}

it 'an append that is killed in a long line is no damage' killed_in_a_line
# A mount point cannot be removed: whoever removes the session is told, and the
# next writer tries again.
stuck_workspace() {
    begin home
    S=$(basename "$path" .jsonl | sed 's/.*_//')
    space=home/artifacts/sessions/$S
    echo '{"action":"write","filename":"a/b","content":"x"}' >ask
    quire --home home tool workspace --session "$S" <ask >out
    mount -t tmpfs -o size=1m none "$space/agent/a"
    expect 3 quire --home home session rm --now "$S"
    complains "cannot remove all of .*/artifacts/sessions/$S" 'tries again'
    [ ! -e "$path" ] || fails "the session is still there"
    expect 1 quire --home home session show "$S"
    umount "$space/agent/a"
    expect 0 quire --home home artifact ls --all-sessions
    expect 0 quire --home home session new
    echo x >x
    expect 0 quire --home home artifact put x x
    [ ! -e "$space" ] || fails "left behind: $(find "$space")"
    expect 0 quire --home home check
}

it 'a disk that fills up keeps whole lines, and goes on' full
it 'a line that is larger than the disk leaves no part of itself' full_in_a_line
it 'a session that cannot be rewritten stays as it is' full_rename
it 'a session that cannot be begun leaves nothing behind' full_new
it 'a session on a read-only mount can be read' read_only
it 'a session that is a directory is refused' is_a_directory
it 'a session that is a fifo does not hang' is_a_fifo
it 'a file that is no session is damage, and kept' is_no_session
it 'a session that is not there is not made' is_missing
it 'a session that may not be read says so' forbidden_file
it 'a directory of sessions that is closed says so' forbidden_directory
it 'a session that may not be written can be read' forbidden_write
it 'a directory that is closed allows appends and no rewrites' closed_directory
it 'a session whose files cannot all be removed says so' stuck_workspace
it 'a session that is being written names its writer' busy
summary
