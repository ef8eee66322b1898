# Ways to say a path that no reader of the command sees: every one of them was
# once a way around a check of the text.
# shellcheck shell=sh disable=SC2016
attempt 'a plain path' <<'END'
cat "$OUT/secret"
END
attempt 'a chain of cd' <<'END'
cd ..; cd ..; cat secret
END
attempt 'dots in a path' <<'END'
cat ../../secret ././../../artifacts/../secret
END
attempt 'a variable of pieces' <<'END'
a=${OUT%??}; b=${OUT#"$a"}; c=sec; d=ret; cat "$a$b/$c$d"
END
attempt 'PWD stripped of its end' <<'END'
cat "${PWD%/*/*}/secret"
END
attempt 'the variable of the data root' <<'END'
cat "$QUIRE_DATA_DIR/secret" "$LOOM_DATA_DIR/secret"
END
attempt 'command substitution' <<'END'
cat "$(dirname "$(dirname "$(pwd)")")/secret" `echo $OUT/secret`
END
attempt 'base64' needs=base64 <<'END'
eval "$(printf 'cat "$OUT/secret"' | base64 | base64 -d)"
END
attempt 'ANSI-C quoting' needs=bash <<'END'
export OUT; bash <<'EOT'
cat "$OUT"/$'\x73\145cret'
EOT
END
attempt 'quotes and backslashes in words' <<'END'
c''at "$OUT"/s"ec"r\et
END
attempt 'brace expansion' needs=bash <<'END'
export OUT; bash -c 'cat "$OUT"/{se,no}cret'
END
attempt 'globs' <<'END'
cat "$OUT"/se?r* ../../se[c]ret ../temp2/*
END
attempt 'perl' needs=perl <<'END'
perl -e 'open F, "<", "$ARGV[0]/secret"; print <F>; open G, ">", "$ARGV[0]/empty/p"' "$OUT"
END
attempt 'python' needs=python3 <<'END'
python3 -c 'import sys; print(open(sys.argv[1] + "/secret").read())' "$OUT"
END
attempt 'awk' needs=awk <<'END'
awk '{ print }' "$OUT/secret"; awk -v o="$OUT" 'BEGIN { print "x" > (o "/empty/awk") }'
END
attempt 'find -exec' <<'END'
find ../.. -name secret -exec cat {} +
END
attempt 'xargs' needs=xargs <<'END'
echo "$OUT/secret" | xargs cat
END
attempt 'a here-document for a shell' <<'END'
sh <<EOT
cat $OUT/secret
EOT
END
attempt 'eval' <<'END'
x='c''at'; eval "$x \$OUT/sec""ret"
END
attempt 'a script that is written and sourced later' \
    before='echo "cat $OUT/secret" >later.sh' <<'END'
. ./later.sh; sh later.sh
END
attempt 'a script outside' <<'END'
. "$OUT/run.sh"; sh "$OUT/run.sh"
END
attempt 'descriptors by exec' <<'END'
exec 5<"$OUT/secret"; cat <&5
END
attempt 'process substitution' needs=bash <<'END'
export OUT; bash -c 'cat <(cat "$OUT/secret"); echo x > >(tee "$OUT/empty/ps"); sleep 0.1'
END
attempt 'CDPATH' <<'END'
CDPATH=$QUIRE_DATA_DIR/artifacts:$OUT; cd empty && cat ../secret; cd temp2 && cat file
END
attempt 'a session whose name begins with ours' <<'END'
cat ../temp2/file "$PWD"2/file
END
attempt 'another session' <<'END'
cat "$OTHER"; cat ../sessions/*/agent/*
END
attempt 'another session that can be read is written' opts='--read all' <<'END'
echo x >>"$OTHER"; rm -f "$OTHER"; touch "${OTHER%/*}/new"; echo x >>"$NEAR"
END
attempt 'the database' <<'END'
cat "$QUIRE_DATA_DIR/quire.db"
END
attempt 'the database, to be written' <<'END'
cd "$QUIRE_DATA_DIR"
[ -e quire.db ] && ( : >>quire.db ) && echo REACHED the database
[ -e gc.lock ] && ( : >>gc.lock ) && echo REACHED the lock
END
attempt 'the home of the caller' <<'END'
cat "$CHOME/.secret" ~/.secret
END
attempt 'a file in /tmp' <<'END'
cat "$TMPFILE"; echo x >>"$TMPFILE"
END
attempt 'names with newlines' before='mkdir -p "a
b"; ln -s "$OUT" "a
b/c
d"' <<'END'
cat "a
b/c
d/secret"; cd "a
b" && echo x >"c
d/empty/x
y"
END
attempt 'names that look like options' needs=bash <<'END'
export OUT; cd -P -- "$OUT" && cat -- secret; bash -c 'cd "$OUT"/empty && >"--x"'
END
attempt 'a name longer than a path may be' <<'END'
i=0; d=$OUT; while [ $i -lt 200 ]; do d=$d/../${OUT##*/}/empty/..; i=$((i + 1)); done
cat "$d/secret"
END
