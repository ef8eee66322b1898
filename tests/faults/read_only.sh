# Places where nothing can be written: a read-only mount, and permissions.
# shellcheck shell=sh source=lib
. "$LIB"
with_mounts

stores() {
    printf keep >small
    noise 100000 >middle
    noise 1300000 >large
    printf new >new
    mkdir disk
    mount -t tmpfs -o size=20m none disk
    for layout in packed loose flat; do
        use $layout disk/$layout
        q 0 put small middle large
    done
}

readable() {
    q 0 ls
    [ "$(wc -l <out)" = 3 ] || fails "lists $(wc -l <out), not 3"
    holds small middle large
    q 0 get "$(digest large)" --range 10-19
    q 0 stat "$(digest middle)"
    q 0 check
}

unwritable() {
    before=$(find "$place" | sort)
    q 3 put new
    complains "$@"
    [ "$(find "$place" | sort)" = "$before" ] || fails "something was made"
}

mounted() {
    stores
    mount -o remount,bind,ro disk
    use "$1" disk/"$1"
    readable
    unwritable 'Read-only file system' "disk/$1"
}
mounted_packed() { mounted packed; }
mounted_loose() { mounted loose; }
mounted_flat() { mounted flat; }

new_home_read_only() {
    stores
    mount -o remount,bind,ro disk
    use packed disk/fresh
    q 3 put new
    complains 'Read-only file system' disk/fresh
    q 0 ls
    [ ! -s out ]
}

# What an agent asks is answered; what it would write is refused, and it is not
# told where on the machine that is.
slash_read_only() {
    mkdir disk
    mount -t tmpfs -o size=20m none disk
    home=disk/home
    echo kept >content
    expect 0 quire --home "$home" --session user artifact put a.md content
    mount -o remount,bind,ro disk
    printf '/read a.md\n/write --persist b\nx\n/endwrite\n' >turn
    expect 1 quire --home "$home" --session user slash <turn
    grep -qx kept out || fails "nothing was read: $(cat out)"
    grep -q '^ERR: .*reading only' out || fails "not refused: $(cat out)"
    ! grep -q disk out || fails "a path was told: $(cat out)"
    expect 0 quire --home "$home" session ls --totals
}

# A writer that was killed leaves its log beside quire.db, and the log has the
# newest rows. Without the log's index SQLite cannot read it here; an empty
# list would be a lie.
killed_then_mounted() {
    command -v python3 >/dev/null || skip "no python3"
    stores
    use packed disk/packed
    python3 - disk/packed/quire.db <<'END' || :
import os, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute('pragma wal_autocheckpoint=0')
db.execute('create table left_by_the_dead(a)')
db.commit()
os.kill(os.getpid(), 9)
END
    [ -s disk/packed/quire.db-wal ] || fails "no log was left"
    rm disk/packed/quire.db-shm
    mount -o remount,bind,ro disk
    for verb in ls check; do
        timeout 10 quire --home disk/packed blob $verb >out 2>err && {
            [ $verb = check ] || [ "$(wc -l <out)" = 3 ] || fails "$verb lies"
        }
    done
    timeout 10 quire --home disk/packed blob get "$(digest small)" \
        >out 2>err && { cmp out small || fails "get lies"; }
    [ $? != 1 ] || fails "get says that it is not there: $(cat err)"
}

# The same by ownership. A store of somebody else, who lets us look.
permitted() {
    need_nobody
    stores
    chmod -R a+rX disk
    chmod -R a-w disk
    use "$1" disk/"$1"
    readable
    # As the one who is not allowed.
    q() {
        want_q=$1 verb=$2
        shift 2
        # shellcheck disable=SC2046
        expect "$want_q" setpriv --reuid=65534 --regid=65534 --clear-groups \
            $(q_words "$verb") "$@"
    }
    [ "$(id -u)" = 0 ] || skip "only root can become somebody else"
    chmod a+rx .
    chmod a+r small middle large new
    readable
    unwritable 'Permission denied' "disk/$1"
}
permitted_packed() { permitted packed; }
permitted_loose() { permitted loose; }
permitted_flat() { permitted flat; }

# Only quire.db's directory is closed, not the one for files: a small blob may
# not end up in a file that no row knows.
half_permitted() {
    need_nobody
    [ "$(id -u)" = 0 ] || skip "only root can become somebody else"
    stores
    chmod -R a+rX disk
    chmod a+w disk/packed/blobs
    chmod a+r new
    expect 3 setpriv --reuid=65534 --regid=65534 --clear-groups \
        quire --home disk/packed blob put new
    complains 'disk/packed'
}

closed() {
    need_nobody
    [ "$(id -u)" = 0 ] || skip "only root can become somebody else"
    stores
    chmod 700 disk/*
    for layout in packed loose flat; do
        use $layout disk/$layout
        for verb in ls check put; do
            # shellcheck disable=SC2046
            expect 3 setpriv --reuid=65534 --regid=65534 --clear-groups \
                $(q_words $verb) $([ $verb != put ] || echo new)
            complains 'Permission denied' "disk/$layout"
        done
    done
}

it 'packed: a store on a read-only mount can be read' mounted_packed
it 'loose: a store on a read-only mount can be read' mounted_loose
it 'flat: a store on a read-only mount can be read' mounted_flat
it 'a new home on a read-only mount is empty, and refused' new_home_read_only
it 'an agent can read on a read-only mount' slash_read_only
it 'a log that cannot be read is not an empty store' killed_then_mounted
it 'packed: a store of somebody else can be read' permitted_packed
it 'loose: a store of somebody else can be read' permitted_loose
it 'flat: a store of somebody else can be read' permitted_flat
it 'a catalogue that cannot be written stops a put' half_permitted
it 'a store that is closed to us is an error, not empty' closed
summary
