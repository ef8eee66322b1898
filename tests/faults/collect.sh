# Collections beside writers, for long, with death now and then.
#
# Several programs write sessions with images, fork them, remove them, put them
# away, store artifacts; others collect. Some are killed. In the end every
# reference in every file leads to its content. With QUIRE_LONG=1 it takes an
# hour.
# shellcheck shell=sh source=lib
. "$LIB"

seconds=18
[ -z "${QUIRE_LONG:-}" ] || seconds=3600

# Entries with images, of which a few are used again and again, so that some die
# and return. Some are too large for a row.
make_entries() {
    i=0
    while [ $i -lt 24 ]; do
        awk -v seed=$i 'BEGIN {
            letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
            letters = letters "0123456789"
            srand(seed)
            n = seed % 5 ? 2000 : 120000
            printf "{\"type\":\"message\",\"message\":{\"role\":\"user\","
            printf "\"content\":[{\"type\":\"image\",\"mimeType\":"
            printf "\"image/png\",\"data\":\""
            while (n-- > 0)
                printf "%s", substr(letters, int(rand() * 62) + 1, 1)
            print "\"}]}}"
        }' >entry$i
        i=$((i + 1))
    done
}

# A number below $1, another each time.
random() {
    od -An -N2 -tu2 /dev/urandom | awk -v n="$1" '{ print $1 % n }'
}

# Any session of the home.
any() {
    find home/sessions home/archive -name '*.jsonl' 2>/dev/null |
        shuf -n 1 2>/dev/null
}

# What may fail: the session has gone, or somebody has it.
mine() {
    timeout 20 quire --home home "$@" >/dev/null 2>>"said$who" || {
        code=$?
        [ $code = 1 ] || [ $code = 3 ] || echo "$code: $*" >>odd
    }
}

write_on() {
    who=$1
    set +e
    while [ -d home ] && [ ! -e stop ]; do
        case $(random 9) in
        0 | 7)
            mine session new --cwd "/w$(random 3)"
            ;;
        1 | 2)
            path=$(any)
            [ -z "$path" ] ||
                mine session append "./$path" <"entry$(random 24)"
            ;;
        3)
            path=$(any)
            [ -z "$path" ] || {
                mine session fork "./$path"
                mine session rm --now "./$path"
            }
            ;;
        4)
            path=$(any)
            [ -z "$path" ] || mine session archive "./$path"
            ;;
        5)
            path=$(any)
            [ -z "$path" ] || mine session unarchive "./$path"
            ;;
        6)
            path=$(any)
            [ -z "$path" ] || mine session rm --now "./$path"
            ;;
        8)
            [ "$kind" != native ] ||
                mine artifact put "a$(random 4)" <"entry$(random 24)"
            ;;
        esac
    done
}

# Without a grace time only Quire's own programs may write, as here.
collect_on() {
    who=$1
    set +e
    while [ -d home ] && [ ! -e stop ]; do
        mine gc --yes --grace "$2" --dry-run
        timeout 20 quire --home home gc --yes --grace "$2" --list \
            >>"gone$who" 2>>"said$who" || :
    done
}

# Each reference in each file, found by grep.
all_there() {
    # shellcheck disable=SC2046
    grep -rhoaE 'blob:sha256:[0-9a-f]{64}' \
        $(find home -name sessions -o -name archive) 2>/dev/null |
        sort -u >refs || :
    while read -r ref; do
        timeout 10 quire --home home blob get "$ref" >content 2>err ||
            fails "$ref: $(cat err)"
        [ "blob:sha256:$(digest content)" = "$ref" ] || fails "$ref is another"
    done <refs
    [ -s refs ] || fails "nothing refers to anything"
    quire --home home blob check >out 2>&1 || fails "$(cat out)"
    [ ! -s out ] || fails "$(cat out)"
}

# The jobs are the shell's own children, and ended by their number.
campaign() {
    kind=$1 grace=$2
    rm -rf home stop odd gone4 gone5
    mkdir home
    [ "$kind" = native ] || mkdir home/sessions home/blobs
    make_entries
    pids=
    trap ': >stop; wait' EXIT
    for who in 1 2 3; do
        (write_on $who) &
        pids="$pids $!"
    done
    for who in 4 5; do
        (collect_on $who "$grace") &
        pids="$pids $!"
    done
    end=$(($(date +%s) + seconds / 3))
    while [ "$(date +%s)" -lt $end ]; do
        sleep 0.7
        # One of the programs that they run just now.
        for victim in $(for p in $pids; do
            cat "/proc/$p/task/$p/children" 2>/dev/null
        done | tr ' ' '\n' | shuf); do
            [ "$(cat "/proc/$victim/comm" 2>/dev/null)" != timeout ] ||
                victim=$(cat "/proc/$victim/task/$victim/children" \
                    2>/dev/null) || victim=
            [ "$(cat "/proc/${victim% }/comm" 2>/dev/null)" != quire ] ||
                kill -9 "${victim% }" 2>/dev/null || :
        done
    done
    : >stop
    for p in $pids; do
        wait "$p" || :
    done
    mine session new --cwd /w
    mine session append "./$(any)" <entry1
    # On a busy machine none of them may have come to an end.
    mine blob put entry0
    timeout 20 quire --home home gc --yes --grace "$grace" --list >>gone4 || :
    sleep 2
    timeout 20 quire --home home gc --yes --grace "$grace" --list >>gone4 || :
    # 137 is ours; nothing else may end so.
    if [ -e odd ]; then
        grep -v '^137:' odd && fails "a command ended in an odd way"
    fi
    cat gone4 gone5 | grep -qE '[0-9a-f]{64}' || fails "nothing was ever removed"
    grep -hE 'missing|damaged|malformed' said* && fails "that was said"
    all_there
    # Nothing is left that could not be finished.
    expect 0 quire --home home gc --yes --full --grace 0
    all_there
    [ -z "${FIGURES:-}" ] ||
        echo "$kind $grace: $(cat gone4 gone5 | wc -l) went, $(wc -l <refs) stay," \
            "$(cat said* | sort | uniq -c | sort -rn | head -8)" >>"$FIGURES"
}

beside_native() { campaign native 1s; }
beside_native_at_once() { campaign native 0; }
beside_omp() { campaign omp 1s; }

it 'collections beside writers lose nothing' beside_native
it 'collections without a grace time lose nothing of ours' beside_native_at_once
it 'collections of an oh-my-pi home lose nothing' beside_omp
summary
