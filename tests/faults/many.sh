# A hundred thousand files in one command.
# shellcheck shell=sh source=lib
. "$LIB"

hundred_thousand() {
    # In memory, where that is possible: making so many files on a disk takes
    # longer than storing them, and is not what we look at.
    many=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
    trap 'rm -rf "$many"' EXIT
    store=$PWD/home refs=$PWD/refs
    (cd "$many" && seq 100000 | split -l 1 -a 4 -)
    # Seconds of the processor: those of the clock depend on what else runs.
    (cd "$many" && printf '%s\n' * |
        timeout 120 xargs -s 1900000 quire --home "$store" blob put >"$refs"
        times) >spent
    [ "$(wc -l <refs)" = 100000 ] || fails "$(wc -l <refs) references"
    seconds=$(tail -1 spent | tr ms '  ' |
        awk '{ print int($1 * 60 + $2 + $3 * 60 + $4) }')
    [ "$seconds" -lt 15 ] || fails "took $seconds s"
    use packed home
    q 0 check
    [ ! -s out ]
    q 0 ls
    [ "$(wc -l <out)" = 100000 ] || fails "lists $(wc -l <out)"
    # In the order of the files: the first, one in between, the last.
    for at in 1 54321 100000; do
        echo $at >content
        [ "$(sed -n ${at}p refs)" = "blob:sha256:$(digest content)" ] ||
            fails "reference $at is another's"
    done
}

it 'a hundred thousand files are put by one command' hundred_thousand
summary
