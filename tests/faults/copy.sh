# A copy of a home that is written to meanwhile.
# shellcheck shell=sh source=lib
. "$LIB"

copy_home=$(dirname "$LIB")/../../contrib/copy-home

# `writer COMMAND`: run it again and again until there is a file stop.
writer() {
    i=0
    while [ ! -e "$WORK/stop" ]; do
        i=$((i + 1))
        "$1" $i >/dev/null 2>&1 || :
    done
}

entry() {
    printf '{"type":"message","message":{"role":"user","content":[{"type":"image","mimeType":"image/png","data":"%s"}]}}\n' \
        "$(head -c $((3000 + $1 * 997 % 90000)) /dev/urandom | base64 -w0)" |
        quire --home home session append "$session"
}

artifact() {
    head -c $(($1 * 7919 % 200000)) /dev/urandom |
        quire --home home artifact put "f$(($1 % 17))"
}

begin() {
    own=$(quire --home home session new | cut -d'"' -f4)
    echo "$1" | quire --home home artifact put a --session "$own"
    quire --home home memory add --type user --title "t$1"
    quire --home home history add "prompt $1"
}

beside_writers() {
    command -v sqlite3 >/dev/null || skip "there is no sqlite3"
    session=$(quire -q --home home session new | cut -d'"' -f4)
    pids=
    for one in entry artifact begin; do
        writer $one &
        pids="$pids $!"
    done
    sleep 2
    n=0
    while [ $n -lt "${QUIRE_LONG:+4}5" ]; do # 5, or 45
        n=$((n + 1))
        got=0
        timeout 120 "$copy_home" home "copy $n" >out 2>err || got=$?
        if [ $got != 0 ]; then
            touch "$WORK/stop"
            cat out err
            fails "copy $n: exit status $got"
        fi
        expect 0 quire --home "copy $n" check
        expect 0 quire --home "copy $n" session show "$session" --json
        [ -s out ] || fails "copy $n has no entries"
        rm -rf "copy $n"
    done
    touch "$WORK/stop"
    for pid in $pids; do
        wait "$pid" || :
    done
}

refuses() {
    command -v sqlite3 >/dev/null || skip "there is no sqlite3"
    expect 2 "$copy_home" nothing copy
    expect 0 quire -q --home home config set versions.kept 3
    mkdir copy
    expect 2 "$copy_home" home copy
    expect 2 "$copy_home" home
}

it 'a copy made beside writers is whole' beside_writers
it 'a copy is made of a home, into a new directory' refuses
summary
