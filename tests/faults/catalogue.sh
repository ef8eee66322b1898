# Artifacts and memory where there is no room, no permission, or no catalogue.
# shellcheck shell=sh source=lib
. "$LIB"
with_mounts

# `a STATUS VERB...`, `m STATUS VERB...`: a command over the home on the disk.
a() {
    want_a=$1
    shift
    expect "$want_a" quire --home disk/home artifact "$@"
}
m() {
    want_m=$1
    shift
    expect "$want_m" quire --home disk/home memory "$@"
}

prepare() {
    printf 'a walrus before' >before
    printf 'another after' >after
    noise 60000 >row
    noise 700000 >file
    mkdir disk
    mount -t tmpfs -o size="${1:-4m}" none disk
    a 0 put before before
    m 0 add --type project --title 'a seal before'
}

fill_up() {
    cat /dev/zero >disk/ballast 2>/dev/null || :
    df disk | grep -q 100% || fails "the disk is not full"
}

# What was there is there, whole, found once, and counted right.
as_before() {
    a 0 get before
    cmp out before
    a 0 search walrus
    [ "$(grep -c '^#' out)" = 1 ] || fails "$(cat out)"
    m 0 search seal
    grep -q 'a seal before' out || fails "$(cat out)"
}

counted() {
    a 0 recount
    grep -q 'all counters are right' out || fails "$(cat out)"
}

full() {
    prepare
    fill_up
    for f in after row file; do
        a 3 put new $f
        complains 'No space left on device' 'space'
        a 1 stat new
        a 3 put before $f
        complains 'No space left on device'
    done
    a 3 rm before
    m 3 add --type project --title 'too late'
    complains 'No space left on device'
    expect 3 quire --home disk/home tenant add other
    expect 3 quire --home disk/home config set quota.file 7
    as_before
    rm disk/ballast
    counted
    for f in after row file; do
        a 0 put new $f
        a 0 get new
        cmp out $f
    done
    as_before
    counted
}

# It fills up while they are put: what was acknowledged is there.
filling() {
    prepare
    i=0
    while [ $i -lt 80 ]; do
        noise 50000 >part$i
        got=0
        timeout 10 quire --home disk/home artifact put p$i part$i >out 2>err ||
            got=$?
        [ $got = 0 ] || break
        i=$((i + 1))
    done
    [ $got = 3 ] || fails "exit status $got after $i: $(cat err)"
    complains 'No space left on device'
    [ $i -gt 5 ] || fails "only $i fit"
    a 1 stat p$i
    k=0
    while [ $k -lt $i ]; do
        a 0 get p$k
        cmp out part$k
        k=$((k + 1))
    done
    as_before
    mount -o remount,size=20m disk
    a 0 put p$i part$i
    counted
}

limited() {
    prepare 20m
    for blocks in 1 20 60 100; do
        for f in row file; do
            got=0
            timeout 10 sh -c 'trap "" XFSZ; ulimit -f $1; shift; exec "$@"' sh \
                $blocks quire --home disk/home artifact put new $f \
                >out 2>err || got=$?
            case $got in
            0)
                a 0 get new
                cmp out $f
                a 0 rm new
                ;;
            3)
                complains disk/home
                a 1 stat new
                ;;
            *) fails "exit status $got: $(cat err)" ;;
            esac
            as_before
        done
    done
    counted
}

read_only() {
    prepare
    mount -o remount,bind,ro disk
    as_before
    a 0 ls
    a 3 put new after
    complains 'Read-only file system' disk/home
    a 3 rm before
    complains 'Read-only file system'
    m 3 add --type project --title 'too late'
    complains 'Read-only file system'
    mount -o remount,bind,rw disk
    a 0 put new after
    counted
}

others() {
    need_nobody
    [ "$(id -u)" = 0 ] || skip "only root can become somebody else"
    prepare
    chmod -R a+rX disk .
    as_nobody timeout 10 quire --home disk/home artifact get before >out 2>err ||
        fails "$(cat err)"
    cmp out before
    for what in 'artifact put new after' 'artifact rm before' \
        'memory add --type user --title t' 'config set quota.file 7'; do
        got=0
        # shellcheck disable=SC2086
        as_nobody timeout 10 quire --home disk/home $what >out 2>err || got=$?
        [ $got = 3 ] || fails "$what: exit status $got: $(cat err)"
        complains 'Permission denied'
    done
    as_before
    counted
}

it 'artifacts: a full disk refuses what is new and keeps what it has' full
it 'artifacts: a disk that fills up keeps what was acknowledged' filling
it 'artifacts: a limit on the size of files loses nothing' limited
it 'artifacts: on a read-only mount they can be read' read_only
it 'artifacts: those of somebody else can be read and not changed' others
summary
