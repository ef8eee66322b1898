# Limits of the process and of what it writes to.
# shellcheck shell=sh source=lib
. "$LIB"

contents() {
    printf keep >small
    noise 100000 >middle
    noise 3000000 >large
}

# A sanitizer needs memory and descriptors for itself.
need_plain_build() {
    case $(ASAN_OPTIONS=help=1 quire version 2>&1) in
    *AddressSanitizer*) skip "an instrumented build" ;;
    esac
}

# The unit of ulimit -f is 512 bytes in some shells, 1024 in others; it does
# not matter here.
file_size_limit() {
    contents
    for layout in packed loose flat; do
        use $layout store_$layout
        q 0 put small
        # shellcheck disable=SC2046
        expect 3 sh -c 'ulimit -f 1000; exec "$@"' sh $(q_words put) large
        complains 'File too large' "store_$layout"
        # shellcheck disable=SC2046
        expect 3 sh -c 'ulimit -f 1000; exec "$@"' sh $(q_words put) - <large
        complains 'File too large' "store_$layout"
        holds small
        sound
        q 0 put large
        holds large
        sound
    done
}

# No room to make a database in.
file_size_tiny() {
    contents
    for blocks in 1 8 40 60; do
        use packed home$blocks
        got=0
        # shellcheck disable=SC2046
        timeout 10 sh -c 'ulimit -f $1; shift; exec "$@"' sh $blocks \
            $(q_words put) small middle >out 2>err || got=$?
        [ $got = 3 ] || [ $got = 0 ] || fails "exit status $got at $blocks"
        [ $got = 0 ] || complains "home$blocks"
        cp out acknowledged
        while read -r ref; do
            q 0 get "$ref"
        done <acknowledged
        q 0 put small middle
        holds small middle
        sound
    done
}

few_descriptors() {
    need_plain_build
    contents
    for layout in packed loose flat; do
        use $layout store_$layout
        q 0 put small large
    done
    # Below four not even the libraries can be loaded.
    for n in 4 5 6 7 8 9 10 11 12 14; do
        for layout in packed loose flat; do
            use $layout store_$layout
            noise 3000 >new
            for verb in put ls get check; do
                case $verb in
                put) what=new ;;
                get) what=$(digest large) ;;
                *) what= ;;
                esac
                got=0
                # shellcheck disable=SC2046,SC2086
                timeout 10 sh -c 'ulimit -n $1; shift; exec "$@"' sh $n \
                    $(q_words $verb) $what >out 2>err || got=$?
                case $got in
                0) [ $verb != put ] || holds new ;;
                3) complains 'Too many open files' 'ulimit -n' ;;
                *) fails "$layout: $verb with $n gave $got: $(cat out err)" ;;
                esac
            done
        done
    done
    for layout in packed loose flat; do
        use $layout store_$layout
        holds small large
        sound
    done
}

little_memory() {
    need_plain_build
    contents
    use packed home
    q 0 put small middle large
    for kib in 12000 16000 20000 30000; do
        for words in 'put middle' 'put large' ls check "get $(digest large)"; do
            got=0
            # shellcheck disable=SC2046,SC2086
            timeout 10 sh -c 'ulimit -v $1; shift; exec "$@"' sh $kib \
                quire --home home blob $words >out 2>err || got=$?
            # 127: the libraries did not fit.
            case $got in
            0 | 3 | 127) ;;
            *) fails "$words with $kib KiB gave $got: $(cat err)" ;;
            esac
        done
    done
    holds small middle large
    sound
}

full_output() {
    contents
    use packed home
    q 0 put small large
    for words in 'blob ls' 'blob ls --json' "blob get $(digest small)" \
        "blob get $(digest large)" "blob stat $(digest small)" \
        'blob put middle' version help doctor 'completion bash'; do
        for to in '>/dev/full' '>&-'; do
            expect 3 sh -c "quire --home home $words $to"
            grep -q 'cannot write to standard output' err ||
                fails "$words $to: $(cat err)"
        done
    done
    # Stored all the same.
    holds middle
    expect 3 quire --home home blob get "$(digest small)" -o /dev/full
    complains '/dev/full'
    # Nobody listens to the errors either.
    expect 3 sh -c 'quire --home small blob ls 2>/dev/full'
    expect 3 sh -c 'quire --home small blob ls 2>&-'
    expect 3 sh -c 'quire --home small blob ls >&- 2>&- <&-'
}

# A reader that goes away ends us, as it ends every filter.
closed_pipe() {
    contents
    use packed home
    q 0 put large
    # shellcheck disable=SC2046
    { timeout 10 $(q_words get) "$(digest large)" 2>err || echo $? >status; } |
        head -c 10 >/dev/null
    [ "$(cat status)" = 141 ] || fails "exit status $(cat status)"
    [ ! -s err ] || fails "$(cat err)"
}

it 'a limit on the size of files is told, and costs nothing' file_size_limit
it 'a limit too small for a database is told' file_size_tiny
it 'too few descriptors are told, and cost nothing' few_descriptors
it 'too little memory is told, and costs nothing' little_memory
it 'an output that is full or closed is told by every command' full_output
it 'a reader that goes away ends get without a word' closed_pipe
summary
