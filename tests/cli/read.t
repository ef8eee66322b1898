# lines are chosen by number, counting from 1
$ export QUIRE_SESSION=$(quire session new | cut -d'"' -f4); seq 100 | quire output sink --threshold 1 >/dev/null 2>&1
$ quire read artifact://0 --limit 2; quire read artifact://0 --offset 99; quire read artifact://0 --offset 50 --limit 2; quire read artifact://0 --tail 2
1
2
99
100
50
51
99
100
$ quire read artifact://0 --offset 1 --limit 1; quire read artifact://0 --offset=100; quire read artifact://0 --limit 1000 | wc -l
1
100
100
$ quire output read 0 --limit 1; quire output read artifact://0 --tail 1
1
100

# a choice of which nothing is left is the answer no
$ export QUIRE_SESSION=$(quire session new | cut -d'"' -f4); seq 100 | quire output sink --threshold 1 >/dev/null 2>&1
$ quire read artifact://0 --grep nothing
quire: artifact://0: no line matches "nothing"
? 1
$ quire read artifact://0 --grep '^5$' --json; quire read artifact://0 --grep nothing --json
{"line":5,"text":"5"}
{"error":"artifact://0: no line matches \"nothing\"","kind":"not_found","hint":""}
? 1
$ quire read artifact://0 --offset 101
quire: artifact://0: the text has only 100 lines
? 1
$ quire read artifact://0 --offset 90 --grep '^5' --tail 2 2>/dev/null
? 1

# the choices are made in their order: offset, grep, limit, tail
$ export QUIRE_SESSION=$(quire session new | cut -d'"' -f4); seq 100 | quire output sink --threshold 1 >/dev/null 2>&1
$ quire read artifact://0 --offset 20 --grep 5 --limit 3
25
35
45
$ quire read artifact://0 --tail 1 --limit 3 --grep 5 --offset 20
45
$ quire read artifact://0 --grep 0 --tail 3
80
90
100
$ quire read artifact://0 --limit 5 --tail 2
4
5
$ quire read artifact://0 --limit 2 --tail 5
1
2
$ quire read artifact://0 --offset 98 --tail 2
99
100
$ quire read artifact://0 --limit 1 --grep 7; quire read artifact://0 --offset 20 --grep '^1'
7
100
$ quire read artifact://0 --offset 20 --grep 5 --limit 3 --tail 2 -N; quire read artifact://0 --offset 20 --grep 5 --limit 1 --json
35:35
45:45
{"line":25,"text":"25"}

# -n puts the number before the line
$ export QUIRE_SESSION=$(quire session new | cut -d'"' -f4); printf 'a\nb\n\nc' | quire output sink --threshold 1 >/dev/null 2>&1
$ quire read artifact://0 -N
1:a
2:b
3:
4:c
$ quire read artifact://0 --number --tail 2; quire read artifact://0 -N --grep b; quire read artifact://0 --offset 2 --limit 2 -N --tail 1
3:
4:c2:b
3:

# --grep takes Perl's expressions, -i any case
$ export QUIRE_SESSION=$(quire session new | cut -d'"' -f4)
$ printf 'Error: one\nwarning: two\nok\nERROR three\nGrüße\nGRÜSSE GRÜẞE\na.b\n\ttab\n' | quire output sink --threshold 1 >/dev/null 2>&1
$ quire read artifact://0 --grep 'Error|warning'; quire read artifact://0 --grep '^error' -i; quire read artifact://0 --grep 'error' --ignore-case --tail 1
Error: one
warning: two
Error: one
ERROR three
ERROR three
$ quire read artifact://0 --grep 'a\.b'; quire read artifact://0 --grep '^\w+: (?=two)'; quire read artifact://0 --grep '^ok$'; quire read artifact://0 --grep '^Gr..e$'; quire read artifact://0 --grep 'grü.*e$' -i --limit 1; quire read artifact://0 --grep '\t'
a.b
warning: two
ok
Grüße
Grüße
	tab
$ quire read artifact://0 --grep '' | wc -l
8
$ quire read artifact://0 --grep='('
quire: …
hint: …
? 2
$ quire read artifact://0 --grep '[z-a]' --json
{"error":"…","kind":"invalid","hint":"…"}
? 2

# an expression that never ends does
$ export QUIRE_SESSION=$(quire session new | cut -d'"' -f4)
$ (head -c 40 /dev/zero | tr '\0' a; printf 'b\nfine\n') | quire output sink --threshold 1 >/dev/null 2>&1
$ timeout 20 quire read artifact://0 --grep '^(a+)+$'
quire: the expression "^(a+)+$" is too costly
hint: …
? 2

# --json gives an object for each line
$ export QUIRE_SESSION=$(quire session new | cut -d'"' -f4); printf 'a "q"\n\tb\\\n\nlast' | quire output sink --threshold 1 >/dev/null 2>&1
$ quire read artifact://0 --json
{"line":1,"text":"a \"q\""}
{"line":2,"text":"\tb\\"}
{"line":3,"text":""}
{"line":4,"text":"last"}
$ quire read artifact://0 --json --offset 2 --grep b; quire output read 0 --json --tail 1
{"line":2,"text":"\tb\\"}
{"line":4,"text":"last"}

# what is read is what is there, byte for byte
$ P=$(quire session new | cut -d'"' -f8); D=${P%.jsonl}; export QUIRE_SESSION=$P; mkdir $D
$ printf 'no newline' >$D/0.a.log; printf '' >$D/1.b.log; printf '\n' >$D/2.c.log; printf '\n\nx\n\n' >$D/3.d.log; printf 'a\r\nb\r\n\000\377' >$D/4.e.log
$ for i in 0 1 2 3 4; do quire read artifact://$i | cmp - $D/$i.*; done
$ quire read artifact://0 --tail 1 | od -An -c; quire read artifact://2 --json; quire read artifact://3 --tail 2 --json
   n   o       n   e   w   l   i   n   e
{"line":1,"text":""}
{"line":3,"text":"x"}
{"line":4,"text":""}
$ quire read artifact://4 --json
{"line":1,"text":"a…"}
{"line":2,"text":"b…"}
{"line":3,"text":"\u0000�"}
$ quire read artifact://4 --limit 1 | od -An -c
   a  \r  \n

# long lines and many lines
$ P=$(quire session new | cut -d'"' -f8); D=${P%.jsonl}; export QUIRE_SESSION=$P; mkdir $D
$ (head -c 3000000 /dev/zero | tr '\0' x; echo; echo end) >$D/0.a.log; seq 300000 >$D/1.b.log
$ quire read artifact://0 --limit 1 | wc -c; quire read artifact://0 --offset 2; quire read artifact://0 --tail 1; quire read artifact://0 --grep '^x' | wc -c
3000001
end
end
3000001
$ quire read artifact://1 --offset 299999; quire read artifact://1 --tail 200000 | head -1; quire read artifact://1 --grep '^1+$' --tail 1; quire read artifact://1 --offset 150000 --limit 100000 | tail -1
299999
300000
100001
111111
249999

# of a long line the first MiB is looked at, which the help says
$ P=$(quire session new | cut -d'"' -f8); D=${P%.jsonl}; export QUIRE_SESSION=$P; mkdir $D
$ (head -c 1048576 /dev/zero | tr '\0' x; echo; head -c 1048576 /dev/zero | tr '\0' x; echo y; echo xy) >$D/0.a.log; wc -l <$D/0.a.log
3
$ quire read artifact://0 --grep 'x$' | wc -l; quire read artifact://0 --grep y; quire read --help | grep -c MiB
1
xy
1

# a number means the file that begins with it and a dot
$ P=$(quire session new | cut -d'"' -f8); D=${P%.jsonl}; export QUIRE_SESSION=$P; mkdir $D
$ echo one >$D/1.a.log; echo ten >$D/10.a.log; echo md >$D/2.notes.md; echo b >$D/3.b.log; echo a >$D/3.a.log; echo txt >$D/3.0.txt; echo four >$D/04.x.log; echo five >$D/5x.log
$ quire read artifact://1; quire read artifact://10; quire read artifact://2; quire read artifact://3; quire read artifact://04
one
ten
md
a
four
$ for n in 0 01 001 4 5 11 00 1x -1 1.0 0x1 ' 1' ٣ 99999999999999999999999999; do quire read "artifact://$n" >>out 2>/dev/null; echo $?; done | sort | uniq -c | sed 's/^ *//'; cat out
7 1
7 2
$ quire read artifact://1/some/path; quire read 'artifact://1?x=y'; quire read artifact://1/; quire read 'artifact://1#x'; quire read ARTIFACT://1
one
one
one
one
one

# what is not there is the answer no, and what is there is named
$ export QUIRE_SESSION=$(quire session new | cut -d'"' -f4)
$ quire read artifact://0
quire: no artifact://0; available: none, there is no directory of outputs
hint: …
? 1
$ for i in 0 1 2; do echo $i | quire output sink --threshold 1 >/dev/null 2>&1; done; echo r | quire output agent Scout >/dev/null
$ quire read artifact://7
quire: no artifact://7; available: 0-2
hint: …
? 1
$ quire read agent://1-Scout
quire: no agent://1-Scout; available: 0-Scout
hint: …
? 1
$ quire output read 9 --json
{"error":"no artifact://9; available: 0-2","kind":"not_found","hint":"…"}
? 1
$ quire output read Nobody
quire: no agent://Nobody; available: 0-Scout
hint: …
? 1
$ quire output read 0-Scout
r

# a report is read by its id, whose case counts
$ P=$(quire session new | cut -d'"' -f8); D=${P%.jsonl}; export QUIRE_SESSION=$P; mkdir $D
$ echo report >$D/0-Scout.md; echo sp >"$D/a b.md"; echo colon >$D/a:b.md; echo un >$D/ünï.md; echo pct >"$D/5%.md"
$ quire read agent://0-Scout; quire read agent://0-Scout/; quire read 'agent://0-Scout?q='; quire read 'agent://0-Scout?x=1'; quire read Agent://0-Scout
report
report
report
report
report
$ quire read agent://0-scout >/dev/null 2>&1
? 1
$ quire read agent://a%20b; quire read 'agent://a b'; quire read agent://a:b; quire read agent://%c3%bcn%C3%AF; quire read agent://5%25; quire read agent://0%2DScout
sp
sp
colon
un
pct
report
$ quire read agent://5%
quire: agent://5%: …
hint: …
? 2
$ quire read agent://0-Scout --grep o --json; quire read agent://0-Scout -N
{"line":1,"text":"report"}
1:report

# a value is taken out of a report by path or query
$ export QUIRE_SESSION=$(quire session new | cut -d'"' -f4)
$ printf '%s\n' '{"a":{"b":[10,{"c":"deep"}]},"s":"two\nlines","n":null,"t":true,"f":1.50,"e":{},"l":[],"a b":1,"0":"zero","ü":"u","x.y":3,"q\"":4}' | quire output agent R >/dev/null
$ for x in /a/b/1/c '?q=.a.b[1].c' '?q=a.b[1].c' "?q=['a']['b'][1]['c']" '?q=a[b][1].c' '?q=..a..b[1]..c' /a/b/1/c/ //a//b/1/c; do quire read "agent://0-R$x"; done | uniq -c
      8 deep
$ for x in /t /n /f /e /l /a%20b "?q=['a b']" '?q=["a b"]' '?q=%5B%27a%20b%27%5D' "?q=['a+b']" /x.y '?q=[x.y]' /ü /%C3%BC /q%22; do quire read "agent://0-R$x"; done
true
null
1.50
{}
[]
1
1
1
1
1
3
3
u
u
4
$ quire read agent://0-R/a
{
  "b": [
    10,
    {
      "c": "deep"
    }
  ]
}
$ quire read agent://0-R/s; quire read agent://0-R/s --json; quire read agent://0-R/a --json
two
lines
"two\nlines"
{"b":[10,{"c":"deep"}]}
$ for x in /nothing /a/b/9 /a/x/y/z /s/0 /t/x /n/x '?q=.a[0]' '?q=nothing[0]' /0; do quire read "agent://0-R$x"; done | uniq -c
      9 null
$ quire read "agent://0-R?q=['0']"; quire read agent://0-R/nothing --json; quire output read 0-R/t; quire output read '0-R?q=.t'
zero
null
true
true

# both a path and a query are wrong usage
$ export QUIRE_SESSION=$(quire session new | cut -d'"' -f4); echo '{"a":{"b":1}}' | quire output agent R >/dev/null
$ quire read 'agent://0-R/a?q=.b'
quire: agent:// cannot combine a path with ?q=
hint: …
? 2
$ quire read 'agent://0-R/a?q='; quire read 'agent://0-R/?q=.a.b'
{
  "b": 1
}
1

# a query that cannot be read is wrong usage
$ export QUIRE_SESSION=$(quire session new | cut -d'"' -f4); echo '{"a":[1]}' | quire output agent R >/dev/null
$ for q in '.a[' '.a[]' '.a[ ]' '.a|b' '.a *' '$' '.a[0' 'a,b' '.ü' '"a"' '.a b'; do
>     quire read "agent://0-R?q=$q" >>out 2>err; echo $?; grep -c '^quire: \|^hint: ' err
> done | uniq -c | sed 's/^ *//'; cat out
22 2
$ quire read 'agent://0-R?q=.a[' --json
{"error":"…","kind":"invalid","hint":"…"}
? 2

# lines of a value cannot be chosen
$ export QUIRE_SESSION=$(quire session new | cut -d'"' -f4); echo '{"a":"x"}' | quire output agent R >/dev/null
$ for o in '--offset 1' '--limit 1' '--grep x' '--tail 1'; do for u in /a '?q=a'; do quire read agent://0-R$u $o >>out 2>>err; echo $?; done; done | sort | uniq -c; cat out
      8 2
$ grep -c ^hint err; quire read agent://0-R/a -N >/dev/null 2>&1
8
? 2

# a report that is no JSON has no values
$ export QUIRE_SESSION=$(quire session new | cut -d'"' -f4); printf 'A report\n' | quire output agent R >/dev/null; printf '{"a":1} trailing' | quire output agent R >/dev/null; quire output agent R </dev/null >/dev/null; printf '{"a":1}{"b":2}' | quire output agent R >/dev/null
$ for i in 0 1 2 3; do quire read agent://$i-R/a >>out 2>>err; echo $?; quire read "agent://$i-R?q=.a" >>out 2>>err; echo $?; done | sort -u; cat out; grep -c JSON err
1
8
$ quire read agent://0-R/a
quire: …0-R…JSON…
hint: …
? 1
$ quire read agent://0-R
A report

# agent://A/B is the report A.B if there is one
$ P=$(quire session new | cut -d'"' -f8); D=${P%.jsonl}; export QUIRE_SESSION=$P; mkdir $D
$ echo '{"B":"value","C":{"D":"inner"},"E":"only a value"}' >$D/A.md; echo report >$D/A.B.md; echo '{"D":"from the report"}' >$D/A.B.C.md
$ quire read agent://A/B; quire read 'agent://A?q=.B'; quire read agent://A/E; quire read agent://A/B/C; quire read agent://A.B; quire read agent://A/C/D
report
value
only a value
{"D":"from the report"}
report
inner
$ quire read agent://A.B.C/D; quire read agent://A/B --grep rep; quire read agent://A/B/
from the report
report
report
$ quire read agent://X/Y
quire: no …X…; available: …
hint: …
? 1

# of a report and its JSON, values are taken from the JSON
$ P=$(quire session new | cut -d'"' -f8); D=${P%.jsonl}; export QUIRE_SESSION=$P; mkdir $D
$ echo 'prose' >$D/A.md; echo '{"k":"sidecar"}' >$D/A.json; echo '{"k":"report"}' >$D/B.md; echo '{"k":"side' >$D/B.json; echo '{"k":"alone"}' >$D/C.json
$ quire read agent://A; quire read agent://A/k; quire read 'agent://A?q=.k'; quire read agent://B/k
prose
sidecar
sidecar
report
$ quire read agent://C/k >/dev/null 2>&1; echo $?; : >$D/B.json; quire read agent://B/k; printf '\377' >$D/B.json;  quire read agent://B/k
1
report
report
$ echo 'prose' >$D/F.md; echo broken >$D/F.json; quire read agent://F/k
quire: …F…JSON…
hint: …
? 1

# JSON beside a report that is no file is left alone
$ P=$(quire session new | cut -d'"' -f8); D=${P%.jsonl}; export QUIRE_SESSION=$P; mkdir $D
$ echo '{"k":"secret"}' >elsewhere; echo '{"k":"own"}' | tee $D/D.md >$D/E.md; ln -s $PWD/elsewhere $D/D.json; mkdir $D/E.json
$ quire read agent://D/k; quire read agent://E/k
own
own

# hostile addresses lead nowhere
$ P=$(quire session new | cut -d'"' -f8); D=${P%.jsonl}; export QUIRE_SESSION=$P; mkdir $D
$ echo secret >$D/../x.md; echo secret >$D/.md; echo secret >$D/.hidden.md; echo mine >$D/x.md; mkdir $D/sub; echo secret >$D/sub/x.md; echo '{"a":1}' >$D/j.md
$ for id in ../x %2e%2e/x ..%2fx %2E%2E%2Fx .%2e%2fx '..\x' sub/x sub%2fx sub%2Fx /etc/passwd %2fetc%2fpasswd '%00' 'x%00' 'x.md%00' '..' '.' '%2e%2e' '%' '%zz' '?q=a' '#x' '//' '' '/' '///etc/passwd' '%2e%2e%2f%2e%2e%2fetc%2fpasswd' 'x%0a' 'x%ff' '%c0%ae%c0%ae%c0%afx' '.hidden'; do
>     quire read "agent://$id" >>out 2>>err; st=$?; test $st = 1 || test $st = 2 || echo "$id: $st"
> done; cat out; grep -c secret err
0
? 1
$ for id in ../x x/../../x %2e%2e 0/../x '..%2f' '%30' '0%00'; do quire read "artifact://$id" >>out 2>>err; st=$?; test $st = 1 || test $st = 2 || echo "$id: $st"; done; cat out
$ long=$(head -c 100000 /dev/zero | tr '\0' x); for u in agent://$long artifact://$long agent://j/$long "agent://j?q=$long" agent://$long/x blob:sha256:$long $long; do quire read "$u" 2>&1 | wc -c | awk '$1 > 4000 { print "a long answer:", $1 }'; done
$ d=$(head -c 500 /dev/zero | sed 's/\x0/[0]/g'); quire read "agent://j?q=$d"; quire read "agent://j?q=$(echo "$d" | tr -d '0]')" >/dev/null 2>&1; echo $?
null
2

# links are not followed
$ P=$(quire session new | cut -d'"' -f8); D=${P%.jsonl}; export QUIRE_SESSION=$P; mkdir $D
$ echo secret >elsewhere; ln -s $PWD/elsewhere $D/5.evil.log; ln -s $PWD/elsewhere $D/0-x.md; ln -s 5.evil.log $D/6.a.log; ln -s /nowhere $D/7.b.log; mkfifo $D/8.fifo.log $D/fifo.md; mkdir $D/9.dir.log $D/dir.md
$ for u in artifact://5 artifact://6 artifact://7 artifact://8 artifact://9 agent://0-x agent://0-x/a 'agent://0-x?q=a' agent://fifo agent://dir; do
>     timeout 5 quire read $u >>out 2>>err; st=$?; test $st = 1 || test $st = 3 || echo "$u: $st"
> done; cat out; grep -c secret err
0
? 1
$ timeout 5 quire output ls; timeout 5 quire output ls --json; grep -c . elsewhere
no outputs in …
1

# a directory of outputs that is a link is not followed
$ P=$(quire session new | cut -d'"' -f8); D=${P%.jsonl}; export QUIRE_SESSION=$P; mkdir other; echo secret >other/0.x.log; echo secret >other/A.md; ln -s $PWD/other $D
$ for c in 'read artifact://0' 'read agent://A' 'output ls' 'output ls --json' 'output read 0'; do quire $c >>out 2>>err; st=$?; test $st = 1 || test $st = 3 || echo "$c: $st"; done; cat out
$ rm $D; echo file >$D; for c in 'read artifact://0' 'read agent://A' 'output ls'; do quire $c >>out 2>>err; st=$?; test $st = 1 || test $st = 3 || echo "$c: $st"; done; cat out

# blobs have lines too
$ ref=$(seq 100 | quire blob put); quire read $ref | tail -1; quire read $ref --offset 20 --grep 5 --limit 2; quire read $ref --tail 1 --json
100
25
35
{"line":100,"text":"100"}
$ quire read ${ref#blob:}; quire read ${ref##*:}
quire: …
...
? 2
$ quire read $(printf %.22s $ref) --limit 1
1
$ head -c 3000000 /dev/urandom >big; quire read $(quire blob put big) | cmp - big
$ quire read blob:sha256:0000000000000000000000000000000000000000000000000000000000000000
quire: no blob 000000000000 …
hint: …
? 1
$ for u in blob: blob:sha256: blob:md5:d41d8cd98f00b204e9800998ecf8427e blob://x; do quire read $u >/dev/null 2>&1; echo $?; done | uniq -c | sed 's/^ *//'
4 2
$ quire read $ref -N --limit 1; QUIRE_SESSION=$(quire session new | cut -d'"' -f4) quire read $ref --limit 1
1:1
1

# a damaged blob is damage, not text
$ head -c 300000 /dev/urandom >big; d=$(sha256sum <big | cut -c1-64); quire blob put big >/dev/null; f=$(find $QUIRE_HOME/blobs -name '*.blob.gz'); chmod u+w $f; printf garbage | dd of=$f bs=1 seek=60 conv=notrunc 2>/dev/null
$ quire read blob:sha256:$d >out 2>err; echo $?; grep -c '^quire: ' err
4
1

# other things are no address
$ for u in x 5 foo://x http://x/y file:///etc/passwd /etc/passwd '' artifact: artifact:/0 artifact agent agent: mem:1; do quire read "$u" >>out 2>>err; echo $?; done | uniq -c | sed 's/^ *//'; cat out
13 2
$ quire read foo://x
quire: foo://x is not an address
hint: …
? 2
$ quire read
quire: `quire read` needs URL
hint: usage: quire read URL
? 2
$ quire read artifact://0 artifact://1 >/dev/null 2>&1
? 2

# wrong numbers are wrong usage
$ export QUIRE_SESSION=$(quire session new | cut -d'"' -f4); echo full | quire output sink --threshold 1 >/dev/null 2>&1
$ for o in '--offset -1' '--offset x' '--limit x' '--limit -1' '--tail x' '--tail -1' '--offset 99999999999999999999' '--offset' '--limit 1.5'; do quire read artifact://0 $o >>out 2>>err; echo $?; done | uniq -c | sed 's/^ *//'; cat out
9 2

# nothing is made by reading
$ mkdir tmp; export TMPDIR=$PWD/tmp; quire read artifact://0 >/dev/null 2>&1; quire read agent://x >/dev/null 2>&1; quire output ls >/dev/null 2>&1; quire read blob:sha256:0000000000000000000000000000000000000000000000000000000000000000 >/dev/null 2>&1; ls -A tmp; test -e $QUIRE_HOME || echo no home
no home
$ S=$(quire session new | cut -d'"' -f4); find $QUIRE_HOME | sort >before; quire read artifact://0 --session $S >/dev/null 2>&1; quire output ls --session $S >/dev/null 2>&1; find $QUIRE_HOME | sort | diff before -

# a session that is not there has nothing to read
$ quire read artifact://0 --session 0123456789abcdef
quire: …0123456789abcdef…
...
? 1
$ quire read agent://x --session ./none.jsonl
quire: …none.jsonl…
...
? 1

# a full output is told
$ S=$(quire session new | cut -d'"' -f4); seq 20000 | quire output sink --session $S >/dev/null 2>&1
$ for o in '' '--limit 5' '--grep 5' '--tail 3' '--json' '-N'; do quire read artifact://0 --session $S $o >/dev/full 2>err; echo $?; grep -c 'cannot write to standard output' err; done | paste -sd' '
3 1 3 1 3 1 3 1 3 1 3 1
