# what is short is shown, and no file is made of it
$ export QUIRE_SESSION=$(quire session new | cut -d'"' -f4)
$ printf 'one\ntwo\n' | quire output sink --tool ls
one
two
$ printf 'one\ntwo\n' | quire output sink --json
{"output":"one\ntwo\n","truncated":false,"totalLines":3,"totalBytes":8,"outputLines":3,"outputBytes":8,"artifactId":null,"address":null,"path":null}
$ quire output sink </dev/null; quire output sink --json </dev/null
{"output":"","truncated":false,"totalLines":0,"totalBytes":0,"outputLines":0,"outputBytes":0,"artifactId":null,"address":null,"path":null}
$ printf 'no newline' | quire output sink --json
{"output":"no newline","truncated":false,"totalLines":1,"totalBytes":10,"outputLines":1,"outputBytes":10,"artifactId":null,"address":null,"path":null}
$ printf '\n' | quire output sink --json
{"output":"\n","truncated":false,"totalLines":2,"totalBytes":1,"outputLines":2,"outputBytes":1,"artifactId":null,"address":null,"path":null}
$ quire output ls --json; quire output ls 2>said; cat said; find $QUIRE_HOME/sessions -type d | wc -l
no outputs in …
2

# what is long is kept whole, its end is shown, and its address is said last
$ export QUIRE_SESSION=$(quire session new | cut -d'"' -f4)
$ seq 20000 >all; quire output sink --tool seq <all >shown 2>said; cat said
full output: artifact://0 (20000 lines, 106.3 KiB)
$ wc -c <shown; tail -c 51200 all | cmp - shown
51200
$ quire read artifact://0 | cmp - all
$ quire output sink <all >both 2>&1; tail -1 both
full output: artifact://1 (20000 lines, 106.3 KiB)
$ quire output sink --json <all >j; sed 's/"output":"[^"]*"/"output":""/' j
{"output":"","truncated":true,"totalLines":20001,"totalBytes":108894,"outputLines":…,"outputBytes":51200,"elidedLines":…,"elidedBytes":57694,"artifactId":"2",…"path":"…/2.tool.log"}
$ path=$(sed 's/.*"path":"\([^"]*\)".*/\1/' j); cmp "$path" all; stat -c '%a %F' "$path" "$(dirname "$path")"
600 regular file
700 directory
$ find $QUIRE_HOME -name '.*' -o -name '*tmp*' -type f

# the threshold is exact, and takes units
$ export QUIRE_SESSION=$(quire session new | cut -d'"' -f4)
$ printf 1234567890 | quire output sink --threshold 10 --json | cut -d, -f2-
"truncated":false,"totalLines":1,"totalBytes":10,"outputLines":1,"outputBytes":10,"artifactId":null,"address":null,"path":null}
$ printf 12345678901 | quire output sink --threshold 10 --json | cut -d, -f1-6
{"output":"2345678901","truncated":true,"totalLines":1,"totalBytes":11,"outputLines":1,"outputBytes":10
$ head -c 51200 /dev/zero | tr '\0' x | quire output sink | wc -c
51200
$ head -c 51201 /dev/zero | tr '\0' x | quire output sink | wc -c
full output: artifact://1 (1 line, 50.0 KiB)
51200
$ head -c 2048 /dev/zero | tr '\0' x | quire output sink --threshold 2K --json | grep -o '"truncated":[a-z]*'
"truncated":false
$ head -c 2049 /dev/zero | tr '\0' x | quire output sink --threshold=2K --json | grep -o '"truncated":[a-z]*'
"truncated":true
$ quire output ls | wc -l
3

# what is left out counts: it is what remains that must fit
$ export QUIRE_SESSION=$(quire session new | cut -d'"' -f4)
$ printf '\033[31m1234567890\033[0m' | quire output sink --threshold 10 --json
{"output":"1234567890","truncated":false,"totalLines":1,"totalBytes":10,"outputLines":1,"outputBytes":10,"artifactId":null,"address":null,"path":null}
$ printf '12345\r\n7890' | quire output sink --threshold 10 --json
{"output":"12345\n7890","truncated":false,"totalLines":2,"totalBytes":10,"outputLines":2,"outputBytes":10,"artifactId":null,"address":null,"path":null}
$ printf '\033[31m\033[0m\007\000' | quire output sink --json
{"output":"","truncated":false,"totalLines":0,"totalBytes":0,"outputLines":0,"outputBytes":0,"artifactId":null,"address":null,"path":null}

# the end begins at a character, not within one
$ export QUIRE_SESSION=$(quire session new | cut -d'"' -f4)
$ for n in 1 2 3 4 5 6 7 8; do printf 'a€€b' | quire output sink --threshold $n --json 2>&1 | cut -d, -f1,6; done
{"output":"b","outputBytes":1
{"output":"b","outputBytes":1
{"output":"b","outputBytes":1
{"output":"€b","outputBytes":4
{"output":"€b","outputBytes":4
{"output":"€b","outputBytes":4
{"output":"€€b","outputBytes":7
{"output":"a€€b","outputBytes":8
$ printf '€' | quire output sink --threshold 2 --json | cut -d, -f1-6
{"output":"","truncated":true,"totalLines":1,"totalBytes":3,"outputLines":0,"outputBytes":0

# --head keeps a beginning too, and says what is missing between
$ export QUIRE_SESSION=$(quire session new | cut -d'"' -f4)
$ seq 100 | quire output sink --threshold 40 --head 20
1
2
3
4
5
6
7
8
9
10
[…83ln elided…]
95
96
97
98
99
100
full output: artifact://0 (100 lines, 292 B)
$ seq 100 | quire output sink --threshold 40 --head 20 --json
{"output":"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n[…83ln elided…]\n95\n96\n97\n98\n99\n100\n","truncated":true,"totalLines":101,"totalBytes":292,…,"elidedLines":83,"elidedBytes":252,"artifactId":"1",…"path":"…/1.tool.log"}
$ seq 5 | quire output sink --threshold 40 --head 20 --json | cut -d, -f1,2
{"output":"1\n2\n3\n4\n5\n","truncated":false
$ seq 100 >all; quire read artifact://0 | cmp - all; quire read artifact://1 | cmp - all

# the marker counts bytes when hardly a line is missing, and stands on its own
$ printf 'aaaaabbbbbbbbbbccccc' | quire output sink --threshold 10 --head 5
aaaaa
[…10B elided…]
ccccc
full output: …
$ printf 'aaaa\nbbbbbbbbbb\nccc' | quire output sink --threshold 10 --head 5 2>&- | head -3
aaaa
[…
...
$ printf 'aaaa\nbbbbbbbbbb\nccc' | quire output sink --threshold 8 --head 5 --json | cut -d, -f1
{"output":"aaaa\n[…B elided…]\nccc"

# --head takes at most half, and leaves the rest to the end
$ export QUIRE_SESSION=$(quire session new | cut -d'"' -f4)
$ printf 0123456789abcdefghijklmnop | quire output sink --threshold 10 --head 9 --json | cut -d, -f1
{"output":"01234\n[…16B elided…]\nlmnop"
$ printf 0123456789 | quire output sink --threshold 10 --head 9 --json | cut -d, -f1,2
{"output":"0123456789","truncated":false
$ printf 0123456789abcdefghijklmnop | quire output sink --threshold 10 --head 3 --json | cut -d, -f1
{"output":"012\n[…16B elided…]\njklmnop"
$ printf 0123456789abcdefghijklmnop | quire output sink --threshold 10 --head 0 --json | cut -d, -f1
{"output":"ghijklmnop"

# --columns shortens long lines, and keeps them whole in the file
$ export QUIRE_SESSION=$(quire session new | cut -d'"' -f4)
$ printf '123456789012\nshort\n1234567890\n12345678901\n' >all; quire output sink --columns 10 <all
1234567…
short
1234567890
1234567…
full output: artifact://0 (4 lines, 42 B)
$ quire read artifact://0 | cmp - all
$ quire output sink --columns 10 --json <all
{"output":"1234567…\nshort\n1234567890\n1234567…\n","truncated":true,"totalLines":5,"totalBytes":42,"outputLines":5,"outputBytes":39,"columnTruncatedLines":2,"columnDroppedBytes":9,"artifactId":"1",…"path":"…"}
$ quire output sink --columns 12 --json <all | grep -o '"truncated":[a-z]*\|column.*'
"truncated":false

# one byte too many in a line is enough, and the file has it
$ export QUIRE_SESSION=$(quire session new | cut -d'"' -f4)
$ for line in 12345678901 123456789012 1234567890123 12345678901234; do
>     printf $line | quire output sink --columns 10; quire read artifact://$(($(quire output ls | wc -l) - 1)); echo
> done
1234567…
full output: artifact://0 (1 line, 11 B)
12345678901
1234567…
full output: artifact://1 (1 line, 12 B)
123456789012
1234567…
full output: artifact://2 (1 line, 13 B)
1234567890123
1234567…
full output: artifact://3 (1 line, 14 B)
12345678901234

# columns are cut between characters
$ printf '€€€€' | quire output sink --columns 10 --json | cut -d, -f1
{"output":"€€…"
$ printf '€€€€' | quire output sink --columns 8 --json | cut -d, -f1
{"output":"€…"
$ printf '12345678' | quire output sink --columns 3 --json | cut -d, -f1
{"output":"…"
$ printf '12345678' | quire output sink --columns 1 --json | cut -d, -f1
{"output":"…"
$ printf '12345678' | quire output sink --columns 0 --json | cut -d, -f1
{"output":"12345678"

# columns, head and threshold together
$ export QUIRE_SESSION=$(quire session new | cut -d'"' -f4)
$ for i in 1 2 3 4 5 6 7 8 9; do echo "$i this line is longer than ten"; done >all
$ quire output sink --columns 10 --threshold 44 --head 22 <all
1 this …
2 this …
[…5ln elided…]
8 this …
9 this …
full output: artifact://0 (9 lines, 279 B)
$ quire read artifact://0 | cmp - all

# CRLF and a lone CR become newlines
$ printf 'a\r\nb\rc\n\r\nd\r' | quire output sink --json
{"output":"a\nb\nc\n\nd\n","truncated":false,"totalLines":6,"totalBytes":9,"outputLines":6,"outputBytes":9,"artifactId":null,"address":null,"path":null}
$ (printf 'a\r'; sleep 0.1; printf '\nb') | quire output sink --json | cut -d, -f1
{"output":"a\nb"
$ printf '\r\r\n\r' | quire output sink --json | cut -d, -f1,3
{"output":"\n\n\n","totalLines":4

# escape sequences and control characters are left out
$ printf '\033[1;31mred\033[0m \033]0;title\007x \033]8;;http://a\033\\link\033]8;;\033\\ \033(Bb \033Pq#0\033\\s \033_app\033\\ \033=\0337\n' | quire output sink --json | cut -d, -f1
{"output":"red x link b s  \n"
$ printf 'a\000b\001c\010d\013e\014f\016g\037h\177i\tj\n' | quire output sink --json | cut -d, -f1
{"output":"abcdefghi\tj\n"
$ printf 'a\302\200b\302\237c\302\240d' | quire output sink | od -An -tx1
 61 62 63 c2 a0 64
$ (printf 'a\033[3'; sleep 0.1; printf '1mb\033'; sleep 0.1; printf ']0;t'; sleep 0.1; printf '\033'; sleep 0.1; printf '\\c') | quire output sink --json | cut -d, -f1
{"output":"abc"

# what is not UTF-8 is replaced
$ printf 'a\377b\300\257c\342\202d\355\240\200e\364\220\200\200f\360\237\216' | quire output sink --json | cut -d, -f1
{"output":"a�b��c�d���e����f�"
$ (printf 'x\342'; sleep 0.1; printf '\202\254'; sleep 0.1; printf 'y\360\237'; sleep 0.1; printf '\216\210') | quire output sink --json | cut -d, -f1
{"output":"x€y🎈"
$ printf '\357\273\277bom' | quire output sink --json | cut -d, -f3-4 
"totalLines":1,"totalBytes":6

# the file is cleaned as well
$ export QUIRE_SESSION=$(quire session new | cut -d'"' -f4)
$ printf 'a\r\n\033[31mb\377\000\302\205c\n' | quire output sink --threshold 2
c
full output: artifact://0 (2 lines, 8 B)
$ quire read artifact://0 | od -An -c
   a  \n   b 357 277 275   c  \n

# the name of a tool is cleaned before it is part of a file's name
$ export QUIRE_SESSION=$(quire session new | cut -d'"' -f4)
$ for tool in bash mcp__a-b ../../etc/passwd . .. '' /// 'a b' 'grüß' 'a.b.log' '_x_' 'a//..//b' 日本 "$(printf 'a\nb')" -x; do
>     echo full | quire output sink --threshold 1 --tool="$tool" --json | sed 's/.*"path":".*\/\([^/]*\)"}/\1/'
> done
0.bash.log
1.mcp__a-b.log
2.etc_passwd.log
3.tool.log
4.tool.log
5.tool.log
6.tool.log
7.a_b.log
8.gr.log
9.a_b_log.log
10.x.log
11.a_b.log
12.tool.log
13.a_b.log
14.-x.log
$ echo full | quire output sink --threshold 1 -t $(head -c 200 /dev/zero | tr '\0' x) --json | sed 's/.*"path":".*\/\([^/]*\)"}/\1/' | wc -c
72
$ echo full | quire output sink --threshold 1 -t $(head -c 63 /dev/zero | tr '\0' x)/y --json | sed 's/.*"path":".*\/\([^/]*\)"}/\1/' | wc -c
71
$ quire output ls --json | sed -n 's/.*"id":"\(1[0-6]\)","tool":"\([^"]\{1,6\}\).*/\1 \2/p'
10 x
11 a_b
12 tool
13 a_b
14 -x
15 xxxxxx
16 xxxxxx

# numbers go on after the highest there is, whatever it is
$ P=$(quire session new | cut -d'"' -f8); D=${P%.jsonl}; export QUIRE_SESSION=$P
$ next() { echo full | quire output sink --threshold 1 --json | sed 's/.*"artifactId":"\([^"]*\)".*/\1/'; }
$ next; touch $D/7.notes.txt; next; rm $D/7.notes.txt; next; mkdir $D/20.dir; next
0
8
9
21
$ touch $D/007.x.log $D/30 $D/40-Name.md $D/x50.log $D/.60.log $D/-70.log; next
22
$ touch $D/99.; next; touch $D/99999999999999999999999.big.log; next
100
101

# a link is no output: its number is free, and its name is left alone
$ P=$(quire session new | cut -d'"' -f8); D=${P%.jsonl}; export QUIRE_SESSION=$P; mkdir $D
$ echo secret >elsewhere; ln -s $PWD/elsewhere $D/0.tool.log; ln -s /nowhere $D/1.tool.log; ln -s /nowhere $D/120.gone.log
$ echo full >text; n=$(quire output sink --threshold 1 --json <text | sed 's/.*"artifactId":"\([^"]*\)".*/\1/'); quire read artifact://$n; cat elsewhere
full
secret
$ n=$(quire output sink -t other --threshold 1 --json <text | sed 's/.*"artifactId":"\([^"]*\)".*/\1/'); quire read artifact://$n; quire output ls | wc -l
full
2
$ find $D -type l | wc -l
3

# ls names what there is: tools by number, then reports
$ export QUIRE_SESSION=$(quire session new | cut -d'"' -f4)
$ for i in 0 1 2 3 4 5 6 7 8 9 10; do echo $i | quire output sink --threshold 1 -t t$i >/dev/null 2>&1; done
$ printf 'report\n' | quire output agent Scout >/dev/null; printf 'more' | quire output agent Guard >/dev/null
$ quire output ls
20…-…-… …:…  2 B  artifact://0  t0
20…-…-… …:…  2 B  artifact://1  t1
...
20…-…-… …:…  2 B  artifact://9  t9
20…-…-… …:…  3 B  artifact://10  t10
20…-…-… …:…  7 B  agent://0-Scout
20…-…-… …:…  4 B  agent://1-Guard
$ quire output ls --json | sed -n '1p;11,13p'
{"address":"artifact://0","id":"0","tool":"t0",…"size_bytes":2,"modified_at":"20…T…Z","path":"…/0.t0.log"}
{"address":"artifact://10","id":"10","tool":"t10",…"size_bytes":3,"modified_at":"20…T…Z","path":"…/10.t10.log"}
{"address":"agent://0-Scout","id":"0-Scout",…"size_bytes":7,"modified_at":"20…T…Z","path":"…/0-Scout.md"…}
{"address":"agent://1-Guard","id":"1-Guard",…"size_bytes":4,"modified_at":"20…T…Z","path":"…/1-Guard.md"}

# ls names every output that can be read
$ P=$(quire session new | cut -d'"' -f8); D=${P%.jsonl}; export QUIRE_SESSION=$P; mkdir $D
$ for f in 0.a.log 1.b.txt 2.c 3.x.y.log Scout.md 0-A.md 0-A.1-B.md; do echo "$f" >"$D/$f"; done
$ for i in 0 1 2 3; do quire read artifact://$i; done
0.a.log
1.b.txt
2.c
3.x.y.log
$ quire output ls --json | sed 's/.*"address":"\([^"]*\)".*/\1/'
artifact://0
artifact://1
artifact://2
artifact://3
agent://0-A
agent://0-A.1-B
agent://Scout

# every address that ls gives can be read
$ P=$(quire session new | cut -d'"' -f8); D=${P%.jsonl}; export QUIRE_SESSION=$P; mkdir $D
$ for f in 'odd name.md' 'p%41.md' 'a:b.md' 'ünï.md' 'q?x.md' 'h#x.md' '+.md' 'a@b.md'; do echo "$f" >"$D/$f"; done
$ quire output ls --json | sed 's/.*"address":"\([^"]*\)".*/\1/' | while read -r a; do quire read "$a" || echo "lost: $a"; done | sort >got
$ ls $D | sort | diff - got

# a report is kept byte for byte, under the next index
$ P=$(quire session new | cut -d'"' -f8); D=${P%.jsonl}; export QUIRE_SESSION=$P
$ printf 'a\r\n\033[31m\377\000b' >r; quire output agent Scout <r
{"id":"0-Scout","path":"…/0-Scout.md"…}
$ cmp $D/0-Scout.md r; stat -c %a $D $D/0-Scout.md; quire read agent://0-Scout | cmp - r
700
600
$ quire output agent Scout </dev/null; quire output agent --json Guard <r
{"id":"1-Scout","path":"…/1-Scout.md"…}
{"id":"2-Guard","path":"…/2-Guard.md"…}
$ wc -c <$D/1-Scout.md; cmp $D/0-Scout.md r
0
$ head -c 3000000 /dev/urandom >big; quire output agent Big <big; cmp $D/3-Big.md big
{"id":"3-Big","path":"…/3-Big.md"…}

# names of agents are cleaned as those of tools
$ export QUIRE_SESSION=$(quire session new | cut -d'"' -f4)
$ for name in Scout ../../x '' . 'A.B' 'a b' 'ünï' 5 5-x; do echo r | quire output agent -- "$name" | cut -d'"' -f4; done
0-Scout
1-x
2-agent
3-agent
4-A_B
5-a_b
6-n
7-5
8-5-x
$ echo r | quire output agent $(head -c 200 /dev/zero | tr '\0' x) | cut -d'"' -f4 | wc -c
67

# indexes count for each parent
$ P=$(quire session new | cut -d'"' -f8); D=${P%.jsonl}; export QUIRE_SESSION=$P
$ id() { echo r | quire output agent "$@" | cut -d'"' -f4; }
$ id A; id B; id C --parent 0-A; id D --parent 0-A; id C --parent=1-B; id E --parent 0-A.1-D; id F --parent 0-A; id G
0-A
1-B
0-A.0-C
0-A.1-D
1-B.0-C
0-A.1-D.0-E
0-A.2-F
2-G
$ touch $D/9-X.md $D/0-A.7-Y.md $D/5.t.log; id H; id I --parent 0-A
10-H
0-A.8-I

# a parent that could not be one is wrong usage, and nothing is made
$ P=$(quire session new | cut -d'"' -f8); D=${P%.jsonl}; export QUIRE_SESSION=$P
$ for parent in .. ../0-A 0-A/../.. /etc '' . 'a..b' .a a. 'a/b' "$(printf 'a\nb')" "$(head -c 300 /dev/zero | tr '\0' x)"; do
>     echo r | quire output agent X --parent "$parent" >>out 2>>err; echo $?
> done | sort | uniq -c
     12 2
$ cat out; grep -c '^quire: ' err; find $QUIRE_HOME/sessions | wc -l
12
3

# a report that is there is never replaced
$ P=$(quire session new | cut -d'"' -f8); D=${P%.jsonl}; export QUIRE_SESSION=$P
$ mkdir $D; echo precious >$D/0-Scout.md; echo r | quire output agent Scout
{"id":"1-Scout",…}
$ ln -s /nowhere $D/2-Link.md; mkdir $D/3-Dir.md; echo r | quire output agent Scout
{"id":"4-Scout",…}
$ cat $D/0-Scout.md; test -L $D/2-Link.md && echo link
precious
link

# a hundred at once get a hundred numbers
$ P=$(quire session new | cut -d'"' -f8); D=${P%.jsonl}; export QUIRE_SESSION=$P
$ for i in $(seq 25); do
>     (echo r | quire output agent A | cut -d'"' -f4 >>ids) & (echo ff | quire output sink --threshold 1 --json | grep -o '"artifactId":"[0-9]*' | cut -d'"' -f4 >>nos) &
> done; wait; sort -n ids | uniq | wc -l; sort -n nos | uniq | wc -l; sort -n nos | tail -1
25
25
24
$ ls $D | wc -l; ls -A $D | grep -c '^\.'
50
0
? 1

# a fork copies the outputs, and counts on for itself
$ A=$(quire session new | cut -d'"' -f4); echo '{"type":"custom"}' | quire session append $A >/dev/null
$ s() { echo "$2" | quire output sink --threshold 1 --session $1 --json | grep -o '"artifactId":"[0-9]*"'; }
$ s $A first; s $A second; echo r | quire output agent Scout --session $A | cut -d'"' -f4
"artifactId":"0"
"artifactId":"1"
0-Scout
$ B=$(quire session fork $A | cut -d'"' -f4); s $B third; s $A other; echo r | quire output agent Scout --session $B | cut -d'"' -f4
"artifactId":"2"
"artifactId":"2"
1-Scout
$ for i in $A $B; do quire read artifact://0 --session $i; quire read artifact://2 --session $i; quire output ls --session $i | wc -l; done
first
other
4
first
third
5

# extract takes the outputs along
$ A=$(quire session new | cut -d'"' -f4); echo '{"type":"custom","id":"a1"}' | quire session append $A >/dev/null
$ echo first | quire output sink --threshold 1 --session $A >/dev/null 2>&1
$ B=$(quire session extract $A a1 | cut -d'"' -f4); quire read artifact://0 --session $B
first

# outputs go where their session goes
$ quire session new --cwd /a >made; A=$(cut -d'"' -f4 made); P=$(cut -d'"' -f8 made)
$ echo '{"type":"custom","id":"a1"}' | quire session append $A >/dev/null; export QUIRE_SESSION=$A
$ echo first | quire output sink --threshold 1 >/dev/null 2>&1; echo r | quire output agent Scout >/dev/null
$ N=$(quire session move $A --cwd /b | cut -d'"' -f8); test -e ${P%.jsonl} || echo gone; ls ${N%.jsonl}; quire read artifact://0
gone
0-Scout.md
0.tool.log
first
$ quire session archive $A >/dev/null; test -e ${N%.jsonl} || echo gone; quire session unarchive $A >/dev/null; quire read artifact://0; quire read agent://0-Scout
gone
first
r
$ echo second | quire output sink --threshold 1 --json | grep -o '"artifactId":"[0-9]*"'
"artifactId":"1"
$ quire session rm $A; quire trash empty; find $QUIRE_HOME -name '*.log' -o -name '*.md'
$ quire output ls
quire: …
...
? 1

# an archived session can be read, and its outputs
$ A=$(quire session new | cut -d'"' -f4); echo '{"type":"custom"}' | quire session append $A >/dev/null
$ echo first | quire output sink --threshold 1 --session $A >/dev/null 2>&1
$ P=$(quire session archive $A --json | sed 's/.*"path":"\([^"]*\)".*/\1/'); ls "$P" >/dev/null && quire read artifact://0 --session "$P"
first

# without a session outputs go to a directory of one's own
$ mkdir tmp; export TMPDIR=$PWD/tmp
$ seq 9 | quire output sink --threshold 4 2>said; cat said
8
9
full output: artifact://0 (9 lines, 18 B) in …/tmp/quire-…/0.tool.log
$ seq 9 | quire output sink --threshold 4 --json
{"output":"8\n9\n",…,"artifactId":"1",…"path":"…/tmp/quire-…/1.tool.log","temporary":true…}
$ echo r | quire output agent Scout
{"id":"0-Scout","path":"…/tmp/quire-…/0-Scout.md",…"temporary":true…}
$ ls tmp | sed "s/$(id -u)/uid/"; stat -c %a tmp/quire-*; stat -c %a tmp/quire-*/0.tool.log
quire-uid
700
600
$ quire read artifact://1 --limit 1; quire output read 0 --tail 1; quire read agent://0-Scout; quire output ls | wc -l
1
9
r
3
$ seq 3 | quire output sink --json; test -e $QUIRE_HOME || echo no home
{"output":"1\n2\n3\n","truncated":false,…"artifactId":null…}
no home

# what is short needs no directory for temporary files
$ mkdir tmp; export TMPDIR=$PWD/tmp; seq 3 | quire output sink; ls -A tmp
1
2
3
$ quire output ls --json; ls -A tmp; quire read artifact://0
quire: no artifact://0…
...
? 1
$ ls -A tmp; export TMPDIR=$PWD/nowhere; quire output ls --json; quire read agent://x >/dev/null 2>&1
? 1
$ seq 3 | quire output sink --threshold 2
3
quire: …nowhere…
hint: …
? 3
$ test -e nowhere
? 1

# a directory for temporary files that is not one's own is refused
$ mkdir tmp other; export TMPDIR=$PWD/tmp; me=$(id -u)
$ ln -s $PWD/other tmp/quire-$me; seq 9 | quire output sink --threshold 4
8
9
quire: …quire-…
hint: …
? 3
$ seq 9 | quire output agent Scout
quire: …quire-…
hint: …
? 3
$ echo secret >other/0.tool.log; quire read artifact://0 >out 2>err; test $? != 0 && test ! -s out && grep -c '^quire: ' err
1
$ ls other; rm tmp/quire-$me; echo file >tmp/quire-$me; seq 9 | quire output sink --threshold 4 --json
0.tool.log
{"output":"8\n9\n",…"artifactId":null,…"artifactError":"…"…}
...
? 3
$ cat tmp/quire-$me; rm tmp/quire-$me; mkdir -m 777 tmp/quire-$me; echo forged >tmp/quire-$me/0.tool.log; chmod 777 tmp/quire-$me; seq 9 | quire output sink --threshold 4 2>err
file
8
9
? 3
$ ls tmp/quire-$me; cat tmp/quire-$me/0.tool.log; quire read artifact://0
0.tool.log
forged
quire: …
hint: …
? 3

# TMPDIR may itself be a link, and need not be set
$ mkdir real; ln -s real tmp; echo r | TMPDIR=$PWD/tmp quire output agent B
{"id":"…-B","path":"…/tmp/quire-…",…"temporary":true…}
$ echo r | TMPDIR= quire output agent B >said; rm -f "$(cut -d'"' -f8 said)"; sed 's/[0-9]*-B/n-B/g' said
{"id":"n-B","path":"/tmp/quire-…/n-B.md",…"temporary":true…}
$ echo r | env -u TMPDIR quire output agent B >said; rm -f $(cut -d'"' -f8 said); cut -c1-200 said | grep -c '"/tmp/quire-'
1

# a session that is not there gets no outputs, but what a tool printed is shown
$ seq 9 | quire output sink --threshold 4 --session 0123456789abcdef
8
9
quire: cannot keep the whole output: no session 0123456789abcdef …
hint: …
? 3
$ for verb in ls 'read 0' 'agent X'; do quire output $verb --session nope </dev/null >out 2>err; echo $?; cat out; done
1
1
1
$ seq 9 | QUIRE_SESSION=nope quire output sink --threshold 4 --json
{"output":"8\n9\n",…"artifactId":null,…"artifactError":"…nope…"…}
{"error":"…nope…","kind":"not_found","hint":"…"}
? 3
$ find $QUIRE_HOME 2>/dev/null
? 1

# however it comes, the same comes out
! python3
$ export QUIRE_SESSION=$(quire session new | cut -d'"' -f4)
$ cat >pieces.py <<'END'
> import json, random, socket, subprocess
> # A packet is read at once, whole.
> def sink(data, cuts):
>     ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
>     p = subprocess.Popen(["quire", "output", "sink", "--json", "--threshold", "60", "--head", "20", "--columns", "15"], stdin=theirs, stdout=subprocess.PIPE)
>     theirs.close()
>     for a, b in zip([0] + cuts, cuts + [len(data)]):
>         if b > a:
>             ours.send(data[a:b])
>     ours.close()
>     said = json.loads(p.communicate()[0])
>     with open(said.pop("path"), "rb") as f:
>         whole = f.read()
>     said.pop("artifactId"), said.pop("address", None)
>     return said, whole
> parts = [b"a", b"word", b"\r", b"\n", b"\r\n", b"\xe2\x82\xac", b"\xf0\x9f\x8e\x88", b"\xff", b"\xf0\x9f", b"\xc2\x9b1m", b"\x1b[31m", b"\x1b]0;t\x07", b"\x1b]8;;u\x1b\\", b"\x1b(B", b"\x1b", b"\x1b[", b"\0", b"\x18", b"\xc2\x85"]
> r = random.Random(7)
> for case in range(40):
>     data = b"".join(r.choice(parts) for i in range(60)) + b"-" * 70
>     want = sink(data, [])
>     for cuts in (list(range(1, len(data))), sorted(r.randrange(len(data)) for i in range(9))):
>         if sink(data, cuts) != want:
>             print("differs:", data, cuts)
> END
$ python3 pieces.py

# a sink holds up nobody, and nobody holds up a sink
$ P=$(quire session new | cut -d'"' -f8); D=${P%.jsonl}; export QUIRE_SESSION=$P; mkfifo pipe
$ quire output sink --threshold 10 <pipe >shown 2>said & exec 9>pipe; seq 1000 >&9; sleep 0.1; ls -A $D 2>/dev/null | grep -c '^[^.]'
0
? 1
$ echo '{"type":"custom","id":"a1"}' | quire session append $P --wait 0; quire session rename $P title --wait 0; seq 9 | quire output sink --threshold 4 --wait 0 >/dev/null; quire session fork $P --wait 0 | cut -c1-5
{"id":"a1","parentId":null}
full output: artifact://0 …
{"id"
$ exec 9>&-; wait; cat said
full output: artifact://1 (1000 lines, 3.8 KiB)
$ quire session append $P <pipe >acks & exec 9>pipe; echo '{"type":"custom","id":"b1"}' >&9; sleep 0.1; seq 9 | quire output sink --threshold 4 --wait 0 >/dev/null; echo r | quire output agent A --wait 0 | cut -d'"' -f4; quire output ls | wc -l
full output: artifact://2 …
0-A
4
$ exec 9>&-; wait; cat acks
{"id":"b1","parentId":…}

# the session may be a file anywhere
$ printf '{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.678Z","cwd":"/x"}\n' | tee s.jsonl >plain
$ echo full | quire output sink --threshold 1 --session ./s.jsonl --json | sed 's/.*"path":"//'
…/s/0.tool.log"}
$ echo full | quire output sink --threshold 1 --session ./plain --json | sed 's/.*"path":"//'
…/plain.outputs/0.tool.log"}
$ quire read artifact://0 --session ./s.jsonl; quire read artifact://0 --session ./plain; cat s/0.tool.log
full
full
full

# a place where no directory can be made is told, the end is shown
$ P=$(quire session new | cut -d'"' -f8); D=${P%.jsonl}; export QUIRE_SESSION=$P
$ echo file >$D; seq 9 | quire output sink --threshold 4
8
9
quire: …
hint: …
? 3
$ seq 9 | quire output sink --threshold 4 --json 2>err
{"output":"8\n9\n","truncated":true,"totalLines":10,"totalBytes":18,"outputLines":3,"outputBytes":4,…"artifactId":null,…"artifactError":…}
? 3
$ echo r | quire output agent X
quire: …
hint: …
? 3
$ cat $D; rm $D; mkdir other; ln -s $PWD/other $D; seq 9 | quire output sink --threshold 4 >/dev/null 2>&1; echo r | quire output agent X >/dev/null 2>&1; ls -A other
file

# wrong usage is told before anything is read
$ quire output sink --threshold x
quire: --threshold needs …, not `x`
...
? 2
$ for o in '--threshold -1' '--threshold 99999999999999999999999' '--head x' '--columns -5' '--columns 1.5' '--tool' '--nonsense' extra; do quire output sink $o >/dev/null 2>&1; echo $?; done | uniq -c
      8 2
$ quire output agent
quire: `quire output agent` needs NAME
hint: usage: quire output agent NAME
? 2
$ quire output agent A B >/dev/null 2>&1
? 2
$ quire output read
quire: `quire output read` needs …
...
? 2
$ quire output nonsense
quire: …nonsense…
...
? 2

# outputs are removed by number, id or address, and no number is given again
$ P=$(quire session new | cut -d'"' -f8); export QUIRE_SESSION=$P
$ for i in 0 1 2; do seq 20000 | quire output sink --tool t$i >/dev/null 2>&1; done; echo hello | quire output agent Scout >/dev/null
$ quire output rm 1 agent://0-Scout --dry-run; quire output ls | wc -l
20…  artifact://1  t1
20…  agent://0-Scout
4
$ quire output rm 1 agent://0-Scout --json
{"address":"artifact://1","id":"1","tool":"t1",…}
{"address":"agent://0-Scout","id":"0-Scout",…}
$ quire output ls --json | cut -d'"' -f4
artifact://0
artifact://2
$ quire output rm 2; quire read artifact://2
quire: no artifact://2; available: 0
hint: …
? 1
$ quire read agent://0-Scout
quire: no agent://0-Scout; available: none
hint: …
? 1
$ seq 20000 | quire output sink --tool t3 2>&1 >/dev/null; echo again | quire output agent Scout | cut -d'"' -f4
full output: artifact://3 (20000 lines, 106.3 KiB)
1-Scout
$ quire output rm 3 9
quire: no output 9
hint: `quire output ls` lists the outputs
? 1
$ quire output rm --all; quire output ls; quire stats --json | grep -o '"outputs":[0-9]*' | head -1
no outputs in …
"outputs":0
$ quire output rm
quire: no output is named
hint: give numbers or ids, as `quire output ls` prints them, or --all
? 2
$ quire session rm $P; ls $QUIRE_HOME/sessions/*/ | wc -l
0

# an output that cannot be written is told, the file is kept
$ P=$(quire session new | cut -d'"' -f8); export QUIRE_SESSION=$P
$ seq 20000 | quire output sink >/dev/full
full output: artifact://0 (20000 lines, 106.3 KiB)
quire: cannot write to standard output: No space left on device…
...
? 3
$ quire read artifact://0 | tail -1
20000
