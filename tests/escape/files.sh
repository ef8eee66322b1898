# Programs that open files in ways of their own, and every way to change one.
# shellcheck shell=sh disable=SC2016
attempt 'tar -C' needs=tar <<'END'
tar -C "$OUT" -cf - secret | tar -xOf -
END
attempt 'tar with absolute names' needs=tar <<'END'
tar -Pcf x.tar "$OUT/secret"; tar -xOPf x.tar
echo new >in; tar -Pcf y.tar --transform "s,^in,$OUT/change," in; tar -xPf y.tar
END
attempt 'git diff --no-index' needs=git <<'END'
git diff --no-index --no-color /dev/null "$OUT/secret"
END
attempt 'git with another tree' needs=git <<'END'
git init -q . && git --work-tree="$OUT" add secret && git show :secret
END
attempt 'curl file://' needs=curl <<'END'
curl -s "file://$OUT/secret"
END
attempt 'sed r and w' needs=sed <<'END'
echo | sed "r $OUT/secret"; echo x | sed "w $OUT/empty/sed"
END
attempt 'sed -i' needs=sed <<'END'
sed -i s/keep/lose/ "$OUT/change"
END
attempt 'dd' needs=dd <<'END'
dd if=/dev/null of="$OUT/change" conv=notrunc 2>/dev/null; dd if="$OUT/secret"
echo x | dd of="$OUT/change" conv=notrunc
END
attempt 'redirection >|' <<'END'
echo x >|"$OUT/change"
END
attempt 'redirection &>' needs=bash <<'END'
export OUT; bash -c 'echo x &>"$OUT/change"'
END
attempt 'redirection <>' <<'END'
exec 5<>"$OUT/change"; echo x >&5
END
attempt 'append' <<'END'
echo x >>"$OUT/change"
END
attempt 'a new file outside' <<'END'
touch "$OUT/empty/new" "$CHOME/new" ../new ../../new
END
attempt 'a new directory, fifo, link outside' <<'END'
mkdir "$OUT/empty/d"; mkfifo "$OUT/empty/f"; ln -s x "$OUT/empty/l"
END
attempt 'a file is removed' <<'END'
rm -f "$OUT/change"
END
attempt 'a file is renamed' <<'END'
mv "$OUT/change" "$OUT/empty/change"
END
attempt 'a file is moved in' <<'END'
mv "$OUT/secret" mine; cat mine
END
attempt 'a file is moved out' <<'END'
echo x >mine; mv mine "$OUT/empty/"; cp /dev/null "$OUT/empty/y"
END
attempt 'truncate' needs=truncate <<'END'
truncate -s 1 "$OUT/change"
END
attempt 'truncate by path' <<'END'
"$REACH" truncate "$OUT/change"
END
not_there='no:modes and times of the own files can be changed there'
attempt 'chmod' bare="$not_there" <<'END'
chmod 666 "$OUT/change"; "$REACH" chmod "$OUT/change"
END
attempt 'chmod by the newer call' bare="$not_there" <<'END'
"$REACH" fchmodat2 "$OUT/change" || chmod 666 "$OUT/change"
END
attempt 'times' bare="$not_there" <<'END'
touch -d 2001-01-01 "$OUT/change"; "$REACH" utime "$OUT/change"
END
attempt 'attributes' bare="$not_there" control=may:'not every file system has them' <<'END'
"$REACH" xattr "$OUT/change"
END
attempt 'chown' bare="$not_there" <<'END'
chown "$(id -u):$(id -g)" "$OUT/change"
END
attempt 'the database is made readable' bare="$not_there" <<'END'
chmod 777 "$QUIRE_DATA_DIR/quire.db"
END
attempt 'names and sizes' bare='no:they can be seen there' <<'END'
stat "$OUT/change" >/dev/null && echo REACHED a size
ls "$OUT" && echo REACHED a name
END
attempt 'a list of names' <<'END'
ls "$OUT" && echo REACHED a name
END
attempt 'news of a directory' <<'END'
"$REACH" inotify "$OUT"
END
attempt 'news of a directory, by fanotify' control=may:'not every kernel has it for users' <<'END'
"$REACH" fanotify "$OUT"
END
attempt 'programs of the system are replaced' \
    control=no:'it would be done' <<'END'
for f in /usr/bin/quire-escape /usr/local/bin/quire-escape /etc/quire-escape \
    /lib/quire-escape /quire-escape /var/quire-escape /run/quire-escape; do
    ( : >"$f" ) 2>/dev/null && rm -f "$f" && echo REACHED "$f"
done
( : >>/usr/bin/env ) 2>/dev/null && echo REACHED a program
( : >>/etc/ld.so.cache ) 2>/dev/null && echo REACHED the loader
END
attempt 'what the home gives to read is written' <<'END'
echo x >"$QUIRE_DATA_DIR/examples/new"; rm -f "$REACH.old"; mv "$REACH" "$REACH.old"
mv "$REACH.old" "$REACH"; echo x >"$REACH.new"
END
attempt 'secrets of the system' control=root <<'END'
cat /etc/shadow >/dev/null 2>&1 && echo REACHED passwords
ls /root >/dev/null 2>&1 && echo REACHED the home of root
END
attempt 'memory that is a program' <<'END'
"$REACH" memfd "$OUT/secret" "$REACH"
END
attempt 'the session directory itself is replaced' <<'END'
cd /; a=$SESSION_ARTIFACT_DIR
mv "$a" "$a.old" && ln -s "$OUT" "$a" && cat "$a/secret"
rm -f "$a"; mv "$a.old" "$a"
END
attempt 'the session directory is renamed again and again' <<'END'
a=$SESSION_ARTIFACT_DIR; i=0
while [ $i -lt 50 ]; do
    mv "$a" "$a.old" && echo REACHED its name && mv "$a.old" "$a" && break
    i=$((i + 1))
done 2>/dev/null
END
attempt 'the scratchpad is another' before='rm -rf "$SESSION_SCRATCHPAD_DIR"
ln -s "$OUT" "$SESSION_SCRATCHPAD_DIR"' control=no:'quire sees it, and ends' \
    after='rm -f "$QUIRE_HOME/artifacts/scratchpad/temp"; quire run --session temp true >/dev/null 2>&1' <<'END'
cat "$SESSION_SCRATCHPAD_DIR/secret"; echo x >"$SESSION_SCRATCHPAD_DIR/empty/x"
END
