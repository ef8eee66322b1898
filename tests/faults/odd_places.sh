# Something else where a file or a directory should be. No command may hang on
# it, follow it or take it for empty.
# shellcheck shell=sh source=lib
. "$LIB"

contents() {
    printf keep >small
    printf other >other
    noise 1300000 >large
}

store_is_a_file() {
    contents
    printf x >file
    for layout in packed loose flat; do
        use $layout file
        for verb in ls check; do
            q 3 $verb
            complains 'file is not a directory'
        done
        q 3 put small
        complains 'file is not a directory'
        q 3 get "$(digest small)"
        complains 'file is not a directory'
    done
    [ "$(cat file)" = x ]
}

home_inside_a_file() {
    contents
    printf x >file
    use packed file/home/deeper
    q 3 put small
    complains 'file/home/deeper'
    q 3 ls
    complains 'file/home/deeper'
    [ "$(cat file)" = x ]
}

database_is_a_directory() {
    contents
    mkdir -p home/quire.db
    use packed home
    for words in ls check 'put small'; do
        # shellcheck disable=SC2086
        q 3 $words
        complains 'home/quire.db'
    done
    q 3 get "$(digest small)"
    [ -z "$(ls -A home/quire.db)" ]
}

database_is_not_one() {
    contents
    mkdir home
    cp large home/quire.db
    use packed home
    for words in ls check 'put small'; do
        # shellcheck disable=SC2086
        q 4 $words
        complains 'home/quire.db'
    done
    cmp large home/quire.db
}

database_is_empty() {
    contents
    mkdir home
    : >home/quire.db
    use packed home
    q 0 ls
    [ ! -s out ]
    q 0 put small
    holds small
    sound
}

database_is_a_fifo() {
    contents
    mkdir home
    mkfifo home/quire.db
    use packed home
    for words in ls check 'put small'; do
        # shellcheck disable=SC2086
        q 3 $words
        complains 'home/quire.db'
    done
}

blobs_is_a_file() {
    contents
    mkdir home
    printf x >home/blobs
    use packed home
    q 3 put large
    complains 'home/blobs'
    q 3 check
    complains 'home/blobs'
    [ "$(cat home/blobs)" = x ]
}

blobs_is_a_link() {
    contents
    mkdir elsewhere home flat_elsewhere
    ln -s ../elsewhere home/blobs
    use packed home
    q 0 put small large
    holds small large
    sound
    [ -n "$(ls elsewhere)" ] || fails "nothing is there"
    ln -s flat_elsewhere link
    use flat link
    q 0 put small large
    holds small large
    sound
}

home_is_a_dead_link() {
    contents
    ln -s nowhere home
    use packed home
    q 3 put small
    complains 'home'
}

no_home() {
    contents
    expect 3 env -u HOME -u XDG_DATA_HOME -u QUIRE_HOME quire blob ls
    complains 'HOME' '--home'
    expect 3 env HOME= XDG_DATA_HOME= QUIRE_HOME= quire blob put small
    complains 'HOME' '--home'
    expect 3 env -u XDG_DATA_HOME HOME=relative quire blob put small
    complains 'HOME' '--home'
    [ ! -e relative ]
}

very_long() {
    contents
    long=$(head -c 5000 /dev/zero | tr '\0' a)
    deep=$(printf 'aaaaaaaaa/%.0s' $(seq 500))
    for name in "$long" "/$long" "$deep" "$PWD/$deep"; do
        for layout in packed loose flat; do
            use $layout "$name"
            q 3 put small
            complains 'File name too long'
            q 3 ls
            complains 'File name too long'
        done
    done
    expect 3 quire blob put "$deep"
    complains 'File name too long'
}

# SQLite takes less than the kernel does, and a name beside quire.db is longer
# than its own. Every length up to there works, or says that it is too long.
almost_too_long() {
    contents
    part=$(head -c 200 /dev/zero | tr '\0' a)
    for len in 300 480 490 500 503 504 505 512 520 600 2000 4070 4080 4085 \
        4090 4095; do
        home=$PWD
        while [ $((${#home} + 201)) -lt $len ]; do home=$home/$part; done
        mkdir -p "$home"
        home=$home/$(printf "%.$((len - ${#home} - 1))s" "$part")
        got=0
        timeout 10 quire --home "$home" blob put small >out 2>err || got=$?
        case $got in
        0)
            timeout 10 quire --home "$home" blob get "$(digest small)" |
                cmp - small
            timeout 10 quire --home "$home" blob check
            ;;
        3) complains 'too long' ;;
        *) fails "exit status $got with a home of ${#home} bytes" ;;
        esac
        [ $got = 0 ] || [ $len -gt 300 ] || fails "not even $len bytes"
    done
}

# `instead THING`: a blob's file, replaced by something else.
instead() {
    contents
    for layout in packed loose flat; do
        use $layout store_$layout
        q 0 put large small
        file=$(file_of "$(digest large)")
        mv "$file" kept
        case $1 in
        symlink) ln -s "$PWD/kept" "$file" ;;
        outside) ln -s /etc/passwd "$file" ;;
        fifo) mkfifo "$file" ;;
        directory) mkdir "$file" ;;
        socket) python3 -c 'import socket, sys
socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$file" ;;
        esac
        got=0
        q_any get "$(digest large)"
        [ $got -ge 3 ] || fails "$layout: get of it gave $got"
        [ ! -s out ] || fails "$layout: get printed something"
        complains "$(basename "$file")"
        q_any stat "$(digest large)"
        [ $got -lt 5 ] || fails "$layout: stat gave $got"
        q_any ls
        [ $got -lt 5 ] || fails "$layout: ls gave $got"
        q_any check
        [ $got = 4 ] || [ "$layout" != packed ] ||
            fails "$layout: check gave $got"
        [ $got -lt 5 ] || fails "$layout: check gave $got"
        holds small
        # Putting the content again: it is then there, or it says why not.
        q_any put large
        if [ $got = 0 ]; then
            holds large
            sound
        else
            [ $got = 3 ] || fails "$layout: put gave $got"
            complains "$(basename "$file")"
        fi
        q_any put --verify large
        [ $got = 0 ] || [ $got = 3 ] || fails "$layout: verify gave $got"
        q 0 put other
        holds other
        rm -rf "$file" kept
    done
}

# Like q, whatever the exit status; a hang is 124.
q_any() {
    got=0
    verb=$1
    shift
    # shellcheck disable=SC2046
    timeout 10 $(q_words "$verb") "$@" >out 2>err || got=$?
}

instead_symlink() { instead symlink; }
instead_outside() { instead outside; }
instead_fifo() { instead fifo; }
instead_directory() { instead directory; }
instead_socket() {
    command -v python3 >/dev/null || skip "no python3"
    instead socket
}

# The directories of loose blobs may not lead away either.
shard_is_a_link() {
    contents
    use loose store
    q 0 put large
    d=$(digest large)
    first=${d%"${d#??}"}
    mv "store/$first" away
    ln -s ../away "store/$first"
    q_any get "$d"
    [ $got = 3 ] || fails "followed: get gave $got"
    q_any put large
    [ $got = 3 ] || fails "followed: put gave $got"
    complains 'ymbolic link'
}

input_is_odd() {
    contents
    use packed home
    mkdir dir
    ln -s loop loop
    for name in dir loop missing ''; do
        q 3 put "$name"
        grep -q '^quire: ' err || fails "says nothing about '$name'"
    done
    # Files without a size, and with none.
    q 0 put /proc/self/status
    q 0 put /dev/null
    sound
}

it 'a store that is a file is refused and left alone' store_is_a_file
it 'a home inside a file is refused' home_inside_a_file
it 'a quire.db that is a directory is refused' database_is_a_directory
it 'a quire.db that is something else is damage, and kept' database_is_not_one
it 'a quire.db that is empty is a new one' database_is_empty
it 'a quire.db that is a fifo does not hang' database_is_a_fifo
it 'a blobs directory that is a file is refused' blobs_is_a_file
it 'a blobs directory may be a link' blobs_is_a_link
it 'a home that is a dead link is refused' home_is_a_dead_link
it 'without a home to go to, the way to name one is told' no_home
it 'a path longer than any is an error' very_long
it 'a path just short enough works or says why' almost_too_long
it 'a blob that became a link is not followed' instead_symlink
it 'a blob that became a link to a system file is not read' instead_outside
it 'a blob that became a fifo does not hang' instead_fifo
it 'a blob that became a directory is reported' instead_directory
it 'a blob that became a socket is reported' instead_socket
it 'a directory of blobs that became a link is not followed' shard_is_a_link
it 'odd inputs are named and refused' input_is_odd
summary
