# A disk with no room left: 2 MiB of memory, and a ballast that fills the rest.
# shellcheck shell=sh source=lib
. "$LIB"
with_mounts

# What was stored before the disk filled up, and what comes too late.
prepare() {
    printf keep >small_before
    noise 100000 >large_before
    printf new >small
    mkdir many
    i=0
    while [ $i -lt 60 ]; do
        noise 15000 >many/$i
        i=$((i + 1))
    done
    noise 1060000 >large
    mkdir disk
    mount -t tmpfs -o size=2m none disk
}

fill_up() {
    cat /dev/zero >disk/ballast 2>/dev/null || :
    df disk | grep -q 100% || fails "the disk is not full"
}

# `refused COMMAND...`: for want of space, and nothing is lost by it.
refused() {
    q 3 put "$@"
    complains 'No space left on device' "disk/store" 'space'
    [ ! -s out ] || fails "acknowledged: $(cat out)"
}

full() {
    prepare
    use "$1" disk/store
    q 0 put small_before large_before
    fill_up
    case $2 in
    small) set -- small ;;
    many) set -- many/* ;;
    large) set -- large ;;
    esac
    refused "$@"
    holds small_before large_before
    sound
    rm disk/ballast
    q 0 put "$@"
    holds "$@" small_before large_before
    sound
}

# Room for some, not for all: what was acknowledged is there.
half_full() {
    prepare
    use "$1" disk/store
    q 0 put small_before
    noise 1000000 >disk/ballast
    noise 700000 >more1
    noise 700000 >more2
    noise 700000 >more3
    q 3 put small more1 large more2 more3 small_before
    complains 'No space left on device'
    for f in small more1 more2 more3 large; do
        grep -q "$(digest $f)" out || continue
        cp out kept
        holds $f
        cp kept out
    done
    holds small_before
    sound
    rm disk/ballast
    q 0 put small more1
    holds small more1
}

stream_full() {
    prepare
    use "$1" disk/store
    q 0 put small_before
    # shellcheck disable=SC2046
    noise 3000000 | timeout 10 $(q_words put) - >out 2>err && fails "it fits"
    complains 'No space left on device'
    holds small_before
    sound
    q 0 put small
    holds small
}

no_inodes() {
    prepare
    umount disk
    mount -t tmpfs -o size=2m,nr_inodes=12 none disk
    use loose disk/store
    q 0 put small_before
    q 3 put many/*
    complains 'No space left on device'
    holds small_before
    sound
}

get_full() {
    prepare
    use flat store
    q 0 put large
    printf old >disk/there
    fill_up
    for name in fresh there; do
        q 3 get "$(digest large)" -o disk/$name
        complains "disk/$name" 'No space left on device'
    done
    [ "$(cat disk/there)" = old ] || fails "the old file is lost"
    [ "$(ls -A disk)" = "$(printf 'ballast\nthere')" ] || fails "$(ls -A disk)"
}

new_home() {
    prepare
    fill_up
    use packed disk/store
    q 3 put small
    complains 'No space left on device'
    rm disk/ballast
    q 0 put small
    holds small
    sound
}

for layout in packed loose flat; do
    for what in small many large; do
        eval "full_${layout}_$what() { full $layout $what; }"
        it "$layout: a full disk refuses $what and keeps what it has" \
            full_${layout}_$what
    done
    eval "half_$layout() { half_full $layout; }"
    it "$layout: a disk that fills up half way keeps what was acknowledged" \
        half_$layout
    eval "stream_$layout() { stream_full $layout; }"
    it "$layout: a stream that fills the disk leaves nothing behind" \
        stream_$layout
done
# A home with artifacts of two sessions, $one and $two, and no space left.
full_home() {
    mkdir disk
    mount -t tmpfs -o size=20m none disk
    export QUIRE_HOME="$PWD/disk/home"
    one=$(quire session new | cut -d'"' -f4)
    two=$(quire session new | cut -d'"' -f4)
    i=0
    while [ $i -lt 20 ]; do
        noise 40000 | quire artifact put $i - --session "$one" >/dev/null
        i=$((i + 1))
    done
    noise 900000 | quire artifact put big - --session "$one" >/dev/null
    echo keep | quire artifact put keep - --session "$two" >/dev/null
    [ -s disk/home/reserve ] || fails "no space is reserved"
    fill_up
}

# What frees space must not need any.
full_delete() {
    full_home
    noise 1000 >new
    expect 3 quire artifact put new new --session "$two"
    complains 'No space left on device'
    [ -s disk/home/reserve ] || fails "a put took the reserve"
    expect 0 quire artifact rm --purge big --session "$one"
    fill_up
    expect 0 quire session rm "$one"
    fill_up
    expect 0 quire session restore "$one"
    fill_up
    expect 0 quire session rm "$one"
    fill_up
    expect 0 quire trash empty
    fill_up
    expect 0 quire gc --grace 0 --yes
    expect 0 quire check
    grep -q ' 0 blobs unreferenced' out || fails "$(cat out)"
    [ -s disk/home/reserve ] || fails "the reserve was not made again"
    expect 0 quire artifact get keep --session "$two"
    [ "$(cat out)" = keep ] || fails "lost: $(cat out)"
    expect 0 quire artifact put new new --session "$two"
    expect 0 quire check
}

# The reserve is enough to mask a value; to rewrite quire.db there must be room for it.
full_purge() {
    full_home
    rm disk/ballast
    printf 'sk-live-4fQz81LmXk29ab77' >key
    echo "it is $(cat key)" | quire artifact put leaked - --session "$one" >/dev/null
    fill_up
    expect 3 quire purge --value-from key --yes
    complains 'No space left on device' 'masked'
    ! grep -rq "$(cat key)" disk/home || fails "the value is left"
    rm disk/ballast
    expect 0 quire check
    expect 0 quire purge --value-from key --yes
    expect 0 quire check
    expect 0 quire artifact get keep --session "$two"
    [ "$(cat out)" = keep ] || fails "lost: $(cat out)"
    expect 0 quire artifact get leaked --session "$one"
    grep -q 'it is \[purged\]' out || fails "$(cat out)"
}

it 'a disk without inodes refuses more files' no_inodes
it 'get -o onto a full disk leaves no part of a file' get_full
it 'a home on a full disk can be made when there is room' new_home
it 'a full disk allows deletions' full_delete
it 'on a full disk a value can be masked' full_purge
summary
