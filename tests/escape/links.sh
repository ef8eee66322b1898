# Links: made earlier or meanwhile, followed by the command or by quire itself.
# shellcheck shell=sh disable=SC2016
attempt 'a link, then read and write' <<'END'
ln -s "$OUT/secret" s; cat s; ln -s "$OUT/change" c; echo x >c
END
attempt 'a link of an earlier run' before='ln -s "$OUT" d' <<'END'
cat d/secret; echo x >d/change; touch d/empty/new
END
attempt 'a link in the scratchpad' before='ln -s "$OUT" "$SESSION_SCRATCHPAD_DIR/d"' <<'END'
cd "$SESSION_SCRATCHPAD_DIR/d" && cat secret; echo x >>"$SESSION_SCRATCHPAD_DIR/d/change"
END
attempt 'a chain of links' <<'END'
ln -s .. a; ln -s a/.. b; ln -s b/secret c; cat c
END
attempt 'a link outside is followed' <<'END'
cat "$OUT/link"
END
attempt 'a hard link' <<'END'
ln "$OUT/secret" h && cat h
END
attempt 'cp -l' needs=cp <<'END'
cp -l "$OUT/secret" h; cp -al "$OUT" d; cat h d/secret
END
attempt 'a hard link out' <<'END'
echo x >mine; ln mine "$OUT/empty/theirs"
END
attempt 'an exchange of names' needs=perl <<'END'
mkdir mine && mv -T mine "$OUT/empty"; rename() { perl -e 'rename $ARGV[0], $ARGV[1]' "$@"; }
echo x >f; rename f "$OUT/change"
END
attempt 'a directory that becomes a link meanwhile' <<'END'
"$REACH" race "$OUT"
END
attempt 'a directory that becomes a link meanwhile, by mv' needs=mv <<'END'
mkdir d; echo x >d/secret; ln -s "$OUT" l
( i=0; while [ $i -lt 60 ]; do mv -T d s; mv -T s d; mv -T l s; mv -T s l; i=$((i + 1)); done ) 2>/dev/null &
i=0; while [ $i -lt 200 ]; do cat s/secret; i=$((i + 1)); done 2>/dev/null; wait; cat l/secret
END
attempt 'where it begins is a link' before='ln -s "$OUT" out; mkdir -p deep; ln -s ../../.. deep/up' \
    control=no:'quire refuses it' opts='' \
    after='stdin=/dev/null; cd "$WORLD"
    for d in out deep/up ../.. "$OUT" "$QUIRE_HOME/artifacts/temp2" "$QUIRE_HOME/artifacts/temp/out"; do
        confined "cat secret file; echo x >change; pwd" --cwd "$d"
    done' <<'END'
true
END
attempt 'where it begins becomes a link' control=no:'quire refuses it' \
    before='mkdir -p d; ln -s "$OUT" l' \
    after='cd "$QUIRE_HOME/artifacts/temp"
    ( i=0; while [ $i -lt 150 ]; do mv -T d s; mv -T s d; mv -T l s; mv -T s l; i=$((i + 1)); done ) 2>/dev/null &
    i=0; while [ $i -lt 12 ]; do confined "cat secret; pwd -P" --cwd s; i=$((i + 1)); done; wait' <<'END'
true
END
attempt 'quire follows a link and keeps what it finds' \
    control=no:'it is quire that would do it, not the command' \
    after='for f in s h d/secret fifo; do as_who timeout 5 quire artifact get $f; done
    as_who quire artifact search canary --json; as_who quire artifact ls --all-sessions --json' <<'END'
ln -s "$OUT/secret" s; ln -s "$OUT" d; ln "$OUT/secret" h; mkfifo fifo
END
attempt 'quire writes through a link' \
    control=no:'it is quire that would do it, not the command' \
    after='for f in d/new d/change c d/empty/x; do
        echo written | as_who timeout 5 quire artifact put "$f" --session temp; done' <<'END'
ln -s "$OUT" d; ln -s "$OUT/change" c
END
attempt 'quire removes through a link' \
    control=no:'it is quire that would do it, not the command' \
    before='mkdir d; echo mine >d/change; echo mine >d/secret' \
    after='for f in d/change d/secret; do
        as_who timeout 5 quire artifact rm "$f" --session temp
        as_who timeout 5 quire artifact restore "$f" --session temp
        as_who timeout 5 quire artifact rm "$f" --purge --session temp; done' <<'END'
rm -rf d; ln -s "$OUT" d
END
attempt 'names that quire could mistake' \
    control=no:'it is quire that would do it, not the command' \
    after='as_who quire artifact ls --session temp --json' <<'END'
mkdir -p ' ' '..a' 'a\' ; echo x >'..\..\..\outside\change'; echo x >'C:'; echo x >'-rf'
echo x >"$(printf 'a\001b')"; echo x >"$(printf 'a\nb')"; echo x >'a;touch x'; touch "$(printf '\377')"
ln -s /proc/self/root p; ln -s /proc/self/cwd/../.. q; ln -s . loop; ln -s loop/loop/loop loop2
END
attempt 'devices, sockets and pipes are left for quire to open' \
    control=no:'it is quire that would do it, not the command' status=0 \
    after='as_who timeout 5 quire artifact ls --session temp >/dev/null' <<'END'
mkfifo p1 p2; ln -s /dev/zero z; ln -s /dev/tty t; ln -s p1 p3; "$REACH" mknod . 2>/dev/null; exit 0
END
