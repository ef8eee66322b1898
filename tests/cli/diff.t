# versions of an artifact, words of changed lines
$ quire session new >new; export QUIRE_SESSION=last
$ printf 'one\ntwo words here\nthree\n' | quire artifact put a.md
#1 a.md, version 1
$ printf 'one\ntwo other words here\nthree\nfour\n' | quire artifact put a.md
#1 a.md, version 2
$ quire diff a.md
@@ -1,3 +1,4 @@
 one
-two words here
+two other words here
 three
+four
? 1
$ quire diff a.md@1 '#1@2' --json
{"hunks":[{"old":1,"new":1,"lines":[["=","one"],["-","two words here"],["+","two other words here",[[4,10]]],["=","three"],["+","four"]]}],"added":2,"removed":1}
? 1
$ quire diff a.md a.md
$ quire diff a.md@1 a.md@7
quire: a.md has no version 7
hint: …
? 1
$ quire diff nothing.md
quire: no artifact nothing.md in session …
hint: …
? 1

# outputs, blobs, files, standard input
$ quire session new >new; export QUIRE_SESSION=last
$ seq 100 | quire output sink --tool a --threshold 1 >tail 2>&1; seq 100 | sed 's/^50$/x/' | quire output sink --tool b --threshold 1 >tail 2>&1
$ quire diff artifact://0 artifact://1
@@ -47,7 +47,7 @@
 47
 48
 49
-50
+x
 51
 52
 53
? 1
$ seq 100 >f; quire diff f artifact://0
$ quire diff - f </dev/null | head -2
@@ -0,0 +1,100 @@
+1
$ quire diff $(seq 100 | quire blob put) f
$ printf 'a\nb' >g; printf 'a\nc\n' | quire diff g -
@@ -1,2 +1,2 @@
 a
-b
\ No newline at end of file
+c
? 1
$ printf 'a\0' >g; printf 'b\0' | quire diff g -
binary contents differ
? 1
$ quire diff artifact://9 f
quire: no artifact://9; available: 0-1
hint: …
? 1
