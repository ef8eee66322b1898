# Several at once, on one store.
# shellcheck shell=sh source=lib
. "$LIB"

same_file_twice() {
    noise 30000000 >large
    for layout in packed loose flat; do
        use $layout store_$layout
        for i in 1 2 3; do
            # shellcheck disable=SC2046
            $(q_words put) large >ref$i 2>err$i &
            eval "pid$i=$!"
        done
        # shellcheck disable=SC2154
        for i in 1 2 3; do
            eval "pid=\$pid$i"
            # shellcheck disable=SC2154
            wait "$pid" || fails "put $i: $(cat err$i)"
        done
        cmp ref1 ref2
        cmp ref1 ref3
        q 0 ls
        [ "$(wc -l <out)" = 1 ]
        holds large
        sound
        [ "$(find "$place" -type f -size +1000k | wc -l)" = 1 ]
        rm -r "$place"
    done
}

put_beside_check() {
    mkdir many
    noise 3000000 | split -b 3000 -a 3 - many/
    noise 2000000 >large
    for layout in packed loose flat; do
        use $layout store_$layout
        q 0 put /dev/null # so that there is something to check
        # shellcheck disable=SC2046
        (
            set -e
            for first in a b c d e f g h i j; do
                $(q_words put) many/?$first? large
            done
        ) >refs 2>errors &
        pid=$!
        while kill -0 $pid 2>/dev/null; do
            q 0 check
            [ ! -s out ] || fails "$(cat out)"
            q 0 ls
        done
        wait $pid || fails "$(cat errors)"
        sound
    done
}

# The same content, put in its place again and again, as a repair does.
get_while_replaced() {
    noise 4000000 >large
    for layout in packed loose flat; do
        use $layout store_$layout
        q 0 put large
        file=$(file_of "$(digest large)")
        cp "$file" whole
        (
            while [ ! -e stop_$layout ]; do
                cp whole new
                mv new "$file"
            done
        ) &
        pid=$!
        for i in 1 2 3 4 5 6 7 8; do
            holds large
        done
        : >stop_$layout
        wait $pid || :
    done
}

# And by something else: right, or said to be wrong; never wrong and silent.
get_while_damaged() {
    noise 4000000 >large
    for layout in packed loose flat; do
        use $layout store_$layout
        q 0 put large
        file=$(file_of "$(digest large)")
        cp "$file" whole
        cp "$file" bad
        printf X | dd of=bad bs=1 seek=2000000 conv=notrunc 2>/dev/null
        head -c 3000000 whole >short
        (
            while [ ! -e stop_$layout ]; do
                for f in bad whole short; do
                    cp $f new
                    mv new "$file"
                done
            done
        ) &
        pid=$!
        for i in 1 2 3 4 5 6 7 8 9 10; do
            got=0
            # shellcheck disable=SC2046
            timeout 10 $(q_words get) "$(digest large)" >out 2>err || got=$?
            case $got in
            0) cmp out large ;;
            4) complains "$(basename "$file")" ;;
            *) fails "exit status $got: $(cat err)" ;;
            esac
        done
        : >stop_$layout
        wait $pid || :
    done
}

# What is being read is the file that was there when the reading began.
get_while_removed() {
    noise 20000000 >large
    mkfifo pipe
    for layout in packed loose flat; do
        use $layout store_$layout
        q 0 put large
        # shellcheck disable=SC2046
        timeout 10 $(q_words get) "$(digest large)" >pipe 2>err &
        pid=$!
        {
            head -c 100000 >got
            rm "$(file_of "$(digest large)")"
            cat >>got
        } <pipe
        wait $pid || fails "$(cat err)"
        cmp got large
    done
}

remove_beside_check() {
    export QUIRE_HOME="$PWD/home"
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        quire session new | cut -d'"' -f4
    done >ids
    while read -r id; do
        echo "$id" | quire --session "$id" artifact put f.txt - >/dev/null
    done <ids
    (
        set -e
        while read -r id; do quire session rm "$id"; done <ids
    ) >/dev/null 2>errors &
    pid=$!
    while kill -0 $pid 2>/dev/null; do
        quire check >out 2>&1 || fails "$(cat out)"
    done
    wait $pid || fails "$(cat errors)"
    unset QUIRE_HOME
}

it 'puts of one large file at once store it once' same_file_twice
it 'check beside the removal of sessions finds nothing wrong' remove_beside_check
it 'check beside put finds nothing wrong' put_beside_check
it 'get is right while the file is replaced by its equal' get_while_replaced
it 'get never lies while the file is replaced by others' get_while_damaged
it 'get goes on when the file is removed under it' get_while_removed
summary
