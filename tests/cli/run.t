# what a command says is passed on, and so is its exit status
$ quire run -- sh -c 'echo out; echo err >&2; exit 5' 2>/dev/null
out
? 5
$ quire run -- sh -c 'echo out; echo err >&2' >/dev/null
err
$ quire run -- true
$ quire run -- false
? 1
$ quire run -c 'kill -9 $$'
? 137
$ quire run -- printf 'a\0b' | od -An -c
   a  \0   b

# -c is a script for sh
$ quire run -c 'for i in 1 2 3; do echo $i; done | wc -l'
3
$ quire run --command 'echo "$0"; exit 4'
sh
? 4
$ quire run -c ''

# options end where the command begins
$ quire run -- echo --json -c --help
--json -c --help
$ quire run -- sh -c 'echo "$#"' sh 'a b' ''
2

# one object has it all
$ export QUIRE_SESSION=temp
$ quire run --json -c 'echo a; echo b >&2; exit 3'
{"exit":3,"signal":null,"timed_out":false,"stdout":"a\n","stderr":"b\n","truncated":false,"artifact":null,"confined":[…],"limits_hit":[],"duration_ms":…,"session":"temp","run":1,"files":0,"files_passed":0}
? 3
$ quire run --json -c 'kill -15 $$'
{"exit":null,"signal":15,"timed_out":false,"stdout":"","stderr":"","truncated":false,"artifact":null,…}
? 143
$ quire run --json -c 'echo x >new'
{"exit":0,…"run":3,"files":1,"files_passed":0}
$ quire run --json -- printf '"\\\\\t\377'
{"exit":0,"signal":null,"timed_out":false,"stdout":"\"\\\\\t…","stderr":"",…}

# a command that takes too long is ended, with all it started
$ quire run --timeout 200ms -c 'sleep 60 & sleep 60'
quire: the command took too long and was ended
hint: give it more time with --timeout
? 124
$ quire run --timeout 200ms -c 'trap "" TERM; while :; do sleep 0.05; done' 2>/dev/null
? 124
$ quire run --timeout 200ms --json -- sleep 60 2>/dev/null
{"exit":null,"signal":15,"timed_out":true,…"limits_hit":["time"],…}
? 124
$ quire run --timeout 1m -c 'sleep 60 >/dev/null 2>&1 & echo done'
done

# a command that says too much is ended
$ quire run --max-output 10 -- yes
y
y
y
y
y
quire: the output was cut off, and the command was ended
hint: raise --max-output; `quire output ls` shows what was kept
? 137
$ quire run --max-output 10 --json -- yes 2>/dev/null
{"exit":null,"signal":9,"timed_out":false,"stdout":"y\ny\ny\ny\ny\n","stderr":"","truncated":true,…"limits_hit":["output"],…}
? 137
$ quire run --max-output 10 -- printf 0123456789
0123456789
$ quire run --max-output 0 -- head -c 2000000 /dev/zero | wc -c
2000000

# with --drain it goes on, and the session keeps what it wrote
$ S=$(quire session new | cut -d'"' -f4)
$ quire run --session $S --max-output 10 --drain -c 'seq 30000; touch ended' 2>/dev/null
1
2
3
4
5
$ quire artifact ls --session $S
#1 …ended
$ quire run --session $S --max-output 10 --drain --json -c 'seq 30000' 2>/dev/null
{"exit":0,"signal":null,"timed_out":false,"stdout":"1\n2\n3\n4\n5\n","stderr":"","truncated":true,"artifact":"1",…"limits_hit":["output"],…}
$ quire output read artifact://1 --session $S | tail -n 1
30000

# it has the variables it is given, and none of ours
$ export QUIRE_SESSION=temp
$ OURS=secret quire run --env A=1 --env 'B=two words' --env C= -c 'echo "$A $B${C-unset}${OURS-}"'
1 two words
$ QUIRE_SECRET=x quire run -c 'env | cut -d= -f1 | grep -v "^PWD$\|^_$\|^SHLVL$\|^OLDPWD$" | sort | tr "\n" " "'
HOME LANG LOOM_DATA_DIR PATH QUIRE_DATA_DIR SESSION_ARTIFACT_DIR SESSION_ID SESSION_SCRATCHPAD_DIR TERM…
$ quire run -c 'echo $SESSION_ID; [ "$PWD" = "$SESSION_ARTIFACT_DIR" ] && echo here'
temp
here
$ quire run --env SESSION_ID=x -- true
quire: SESSION_ID is reserved: it is set for every command
hint: choose another name for the variable
? 2
$ quire run --env novalue -- true
quire: "novalue" is not a variable assignment
hint: write NAME=VALUE
? 2

# it begins beneath its session's directories, and nowhere else
$ export QUIRE_SESSION=temp
$ quire run -c 'mkdir -p a/b; ln -s / out'
$ quire run --cwd a/b -- pwd
…/artifacts/temp/a/b
$ quire run --cwd "$QUIRE_HOME/artifacts/temp/a" -- pwd
…/artifacts/temp/a
$ quire run --cwd "$QUIRE_HOME/artifacts/scratchpad/temp" -- pwd
…/artifacts/scratchpad/temp
$ quire run --cwd / -- pwd
quire: cannot start in /: it is not beneath a directory of the session
hint: start in …/artifacts/temp or beneath it
? 2
$ quire run --cwd .. -- pwd 2>&1 | grep -v ^hint
quire: cannot start in …/artifacts/temp/..: …
$ quire run --cwd "$QUIRE_HOME/artifacts/temp2" -- pwd 2>/dev/null
? 2
$ quire run --cwd out -- pwd 2>/dev/null || echo refused
refused
$ quire run --cwd nowhere -- pwd 2>&1 | head -n 1
quire: cannot start in …/artifacts/temp/nowhere: No such file or directory

# what is piped in is its input; a terminal or nothing is nothing
$ echo piped | quire run -- cat
piped
$ quire run -- cat
$ printf 'a\nb\nc\n' >lines
$ quire run -- cat <lines
a
b
c
$ head -c 300000 /dev/zero | quire run -- wc -c
300000
$ head -c 300000 /dev/zero >zeros; quire run -- wc -c <zeros
300000

# what it does not read of a file is left for the next
$ printf 'a\nb\nc\n' >lines
$ { quire run -- head -c 2; quire run -- true; cat; } <lines
a
b
c

# a file that is its input stays as it is
$ echo keep >f; chmod 640 f; touch -d 2001-02-03 f
$ quire run -c 'cat; chmod 777 /dev/stdin; touch /dev/stdin; echo x >/dev/stdin; true' <f 2>/dev/null
keep
$ stat -c '%a %s %y' f
640 5 2001-02-03 …

# every run is in the log, the last first
$ export QUIRE_SESSION=temp
$ quire run -- true; quire run -c 'exit 3'; quire run --unconfined -c 'kill -9 $$'
? 137
$ quire run --log
#3     20…  temp       signal 9 … ms UNCONFINED sh -c kill -9 $$
#2     20…  temp       exit 3   … ms  sh -c exit 3
#1     20…  temp       exit 0   … ms  true
$ quire run --log --limit 1 --json
{"id":3,"session":"temp","command":["sh","-c","kill -9 $$"],"started_at":"…Z","ended":true,"duration_ms":…,"exit":-1,"signal":9,"stdout_bytes":0,"stderr_bytes":0,"limits_hit":[],"confined":["rlimits"],"unconfined":true}
$ quire run -- echo four >/dev/null
$ quire run --log --limit 1 --json
{"id":4,…"exit":0,"signal":0,"stdout_bytes":5,"stderr_bytes":0,…"unconfined":false}
$ quire run --log -- true
quire: --log does not run a command
hint: leave out --log or the command
? 2

# the log can be cleared, all of it or a session's
$ export QUIRE_SESSION=temp
$ S=$(quire session new | cut -d'"' -f4)
$ quire run -- true; quire run --session $S -- true; quire run -c 'exit 3'
? 3
$ quire run --log --clear --dry-run --session $S
#2     20…  ……… exit 0   … ms  true
$ quire run --log --clear --session $S; quire run --log
#3     20…  temp       exit 3   … ms  sh -c exit 3
#1     20…  temp       exit 0   … ms  true
$ quire run --log --clear --json
{"id":3,…"exit":3,…}
{"id":1,…"exit":0,…}
$ quire run --log; quire run --log --clear
$ quire run -- true; quire run --log
#4 …
$ quire run --clear -- true
quire: --clear needs --log
hint: `quire run --log --clear` clears the log
? 2
$ quire run --log --clear --limit 1
quire: --limit does not apply to --clear
hint: leave it out
? 2
$ quire run --log --dry-run
quire: --dry-run needs --clear
hint: `quire run --log --clear --dry-run` lists what would be removed
? 2

# unconfined it has our rights, and says so
$ echo mine >outside
$ quire run --unconfined -- cat "$PWD/outside"
mine
$ quire run -- cat "$PWD/outside" 2>/dev/null
? 1
$ quire run --unconfined --json -- true
{"exit":0,…"confined":["rlimits"],…}

# files become artifacts, which are found
$ export QUIRE_SESSION=temp
$ quire run -c 'mkdir notes; echo findable words >notes/a.md; echo x >b'
$ quire artifact search findable --session temp
#… notes/a.md
       findable words
$ quire run -c 'echo other text >notes/a.md; rm b'
$ quire artifact ls --session temp
#… notes/a.md
$ quire artifact get notes/a.md --session temp --version 1
findable words
$ quire run -c 'echo scratch >"$SESSION_SCRATCHPAD_DIR/s"'; quire artifact ls --session temp
#… notes/a.md
$ quire run -c 'cat "$SESSION_SCRATCHPAD_DIR/s"'
scratch

# a session has files of its own
$ export QUIRE_SESSION=temp
$ S=$(quire session new | cut -d'"' -f4)
$ quire run --session $S -c 'echo mine >mine; [ $SESSION_ID = '$S' ] && pwd'
…/artifacts/sessions/…/agent
$ quire artifact ls --session $S
#1 …mine
$ quire run -c "cat $QUIRE_HOME/artifacts/sessions/$S/agent/mine" 2>/dev/null
? 1
$ quire run --read all -c "cat $QUIRE_HOME/artifacts/sessions/$S/agent/mine"
mine
$ quire run --read all -c "echo x >>$QUIRE_HOME/artifacts/sessions/$S/agent/mine" 2>/dev/null
? 2
$ quire run --log --session $S --json
{"id":1,"session":"…",…}
$ QUIRE_SESSION=$S quire run -- cat mine
mine
$ quire run --session nobody -- true
quire: no session nobody in …
hint: `quire session ls` lists what is there; --home names another place
? 1

# a command that cannot be run is told
$ quire run -- no-such-command
quire: cannot run no-such-command: not found
hint: programs are looked for in /usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
? 127
$ quire run -- no-such-command --json 2>/dev/null
? 127
$ quire run --json -- no-such-command
{"error":"cannot run no-such-command: not found","kind":"not_found","hint":"…"}
? 127
$ quire run -c 'echo text >plain'
$ quire run -- ./plain
quire: cannot run ./plain: not permitted
hint: it needs the permission to execute (chmod +x), and to lie where a confined command may read
? 126
$ quire run -c no-such-command
sh: 1: no-such-command: not found
? 127

# wrong usage is told, and nothing is run
$ quire run
quire: give either a command or a script
hint: `quire run -- ls -l`, or `quire run -c 'ls | wc -l'`
? 2
$ quire run -c true -- true
quire: give either a command or a script
hint: …
? 2
$ quire run --read nobody -- true
quire: --read must be session or all, not `nobody`
? 2
$ quire run --timeout soon -- true
quire: --timeout needs a time, …
? 2
$ quire run --max-output much -- true 2>/dev/null
? 2
$ quire run --nonsense -- true 2>/dev/null
? 2
$ quire run --log

# nothing it leaves has the rights of who ran it
$ quire run -c 'umask 0; cp /bin/true t; chmod 4755 t; install -m 2755 t u' 2>/dev/null
? 1
$ find "$QUIRE_HOME/artifacts" -perm /6000

# what is not passed on is kept, however little it is
$ quire run --max-output 10 --drain --json -c 'seq 100' 2>said | grep -c '"truncated":true,"artifact":"[0-9]*"'
1

# a command that could not begin has an end in the record
$ quire run -- no-such-command 2>said
? 127
$ quire run --log
#1     20… exit 127 … no-such-command

# a home may be named from where one stands
$ export QUIRE_SESSION=temp
$ quire --home here run -c 'echo "$SESSION_ARTIFACT_DIR"'
/…/here/artifacts/temp
quire: created the home here

# an interrupt ends the command, which may clean up, and has an end in the record
$ sh -c 'trap "" INT; quire run -c "trap \"echo bye; exit 3\" TERM; sleep 5 & wait" & sleep 1; kill -TERM $!; wait $!'
bye
? 143
$ quire run --log
#1     20… exit 3 … sh -c …

# files that are no artifacts are told of
$ export QUIRE_SESSION=temp
$ quire run -c 'head -c 20000000 /dev/zero >large; echo small >small'
quire: 1 file did not become an artifact
hint: `quire watch --once` lists them with the reason
$ quire run --session temp --open-files 2 -- ls
quire: --open-files is less than 8, too few to start a program
hint: leave it out for 1024
? 2
$ quire run --session temp -- cat small
small
quire: 1 file did not become an artifact
hint: `quire watch --once` lists them with the reason

# an archive of a directory itself is unpacked
$ mkdir d; echo one >d/one; tar -cf d.tar -C d .; quire artifact put d.tar d.tar >put
$ quire artifact unpack d.tar
#2     20…  d/one

# limits that it met are named, also when the kernel or its own end was faster
$ quire run --file-size 1k -c 'head -c 100k /dev/zero > x; exit 0' 2>said
$ quire run --file-size 1k -- head -c 100k /dev/zero >x
$ quire run --file-size 1k -- dd if=/dev/zero of=y bs=64k count=2
quire: a file grew too large, and its writer was ended
hint: raise --file-size
? 153
$ ended() { case $? in 137 | 153) echo ended ;; esac; }
$ quire run --disk 10k -c 'head -c 100k /dev/zero > z'; ended
quire: the files of the session grew too much
hint: raise --disk, or quota.session
ended
$ quire run --files 2 -c 'touch 1 2 3'; ended
quire: the command added too many files
hint: raise --files
ended
$ quire run --log --limit 3
#5     20… ms  [files] sh -c touch 1 2 3
#4     20… ms  [disk] sh -c head -c 100k /dev/zero > z
#3     20… signal 25 … ms  [file] dd if=…

# a script of several lines is one line of the record
$ quire run -c "$(printf 'true\ntrue')"
$ quire run --log --limit 1
#1     20… sh -c true true

# where it is to begin
$ quire run --cwd nowhere -- true
quire: cannot start in …/nowhere: No such file or directory
hint: start in a directory that is there, beneath /…
? 1
$ quire run --cwd ../.. -- true
quire: cannot start in …/../..: it is not beneath a directory of the session
hint: start in /… or beneath it
? 2
$ quire run --env PATH=/nowhere -- ls
quire: cannot run ls: not found
hint: programs are looked for in /nowhere
? 127
$ quire run ls -la
quire: `quire run` has no option -l
hint: give options of the command after --: `quire run -- ls -l`
? 2
