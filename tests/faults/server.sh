# The server where there is no room.
# shellcheck shell=sh source=lib
. "$LIB"
with_mounts
ADMIN=qra_$(printf '%064d' 5)

# `ask STATUS METHOD PATH [BODY-FILE]`: the answer is in out.
ask() {
    want_status=$1
    shift
    set -- -X "$1" "http://127.0.0.1:$port$2" ${3:+--data-binary "@$3"}
    got=$(curl -s -m 20 -o out -w '%{http_code}' \
        -H "Authorization: Bearer $token" "$@") || fails "curl: $?"
    [ "$got" = "$want_status" ] || fails "$*: $got, $(cat out)"
}

begin() {
    mkdir disk
    mount -t tmpfs -o size="$1" none disk
    QUIRE_ADMIN_TOKEN=$ADMIN quire --home disk/home serve \
        --listen 127.0.0.1:0 2>said &
    server=$!
    trap 'kill $server 2>/dev/null || :' EXIT
    until grep -q listening said; do
        kill -0 "$server" || fails "$(cat said)"
        sleep 0.05
    done
    port=$(sed -n 's/.*127.0.0.1:\([0-9]*\).*/\1/p' said)
    token=$ADMIN
    ask 201 POST /v1/admin/tenants name
    token=$(sed 's/.*"token":"\([^"]*\)".*/\1/' out)
    ask 201 POST /v1/conversations empty
    here=/v1/conversations/$(sed 's/.*"id":\([0-9]*\).*/\1/' out)
}

finish() {
    kill "$server"
    wait "$server" || fails "it ended with $?"
    expect 0 quire --home disk/home check --full
}

no_room() {
    printf '{"name":"a"}' >name
    printf '{}' >empty
    printf 'a walrus before' >before
    noise 3000000 >large
    noise 900000 >after # more than there may be left in the log
    begin 8m
    ask 200 GET /readyz
    ask 201 PUT "$here/files/before" before

    cat /dev/zero >disk/ballast 2>/dev/null || :
    ask 503 GET /readyz
    ask 507 PUT "$here/files/after" after
    ask 507 POST /v1/blobs large
    grep -q '"kind":"no_space"' out || fails "$(cat out)"
    ask 200 GET "$here/files/before"
    cmp out before
    ask 404 GET "$here/files/after"
    grep -q 'No space left' said || fails "nothing in the log: $(cat said)"

    rm disk/ballast
    ask 200 GET /readyz
    ask 201 PUT "$here/files/after" after
    ask 200 GET "$here/files/after"
    cmp out after
    finish
}
it 'server: on a full disk it says so, and goes on when there is room' no_room

# All that was sent at once, of which some fits and some does not.
together() {
    printf '{"name":"a"}' >name
    printf '{}' >empty
    begin 2m
    noise 40000 >text
    i=0 senders=
    while [ $i -lt 80 ]; do
        i=$((i + 1))
        (
            got=$(curl -s -m 120 -o /dev/null -w '%{http_code}' -X PUT \
                -H "Authorization: Bearer $token" --data-binary "x$i" \
                -H "Idempotency-Key: k$i" \
                "http://127.0.0.1:$port$here/files/f$i")
            echo "$got f$i" >>answers
            [ $((i % 2)) = 0 ] || curl -s -m 30 -o /dev/null -X PUT \
                -H "Authorization: Bearer $token" --data-binary @text \
                "http://127.0.0.1:$port$here/files/g$i"
        ) &
        senders="$senders $!"
        [ $((i % 16)) != 0 ] || sleep 0.1
    done
    # shellcheck disable=SC2086
    wait $senders || :
    grep -q '^201' answers || fails "$(cat answers)"
    grep -q '^50' answers || fails "the disk did not fill up: $(cat answers)"
    while read -r got name; do
        case $got in
        201) ask 200 GET "$here/files/$name" ;;
        *) ask 404 GET "$here/files/$name" ;;
        esac
    done <answers
    rm -f disk/ballast
    mount -o remount,size=20m disk
    finish
}
it 'server: what was acknowledged on a disk that filled up is there' together

summary
