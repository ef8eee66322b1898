# a transcript that is not true fails and says why
$ cat >bad.t <<'END'
> # it is so
> $ echo one; echo two
> one
> two
> # it is not so
> $ echo one
> two
> # the status is not so
> $ false
> # wildcards
> $ printf 'a b c\n1\n2\nend\n'
> a…c
> ...
> end
> ? 0
> # wildcards that do not fit
> $ printf 'a b c\n1\n2\nend\n'
> a…d
> ...
> # needs what is not there
> ! no-such-program
> $ false
> # the shell ends
> $ exit 3
> END
$ $TOP/tests/cli/run $(dirname $(command -v quire)) $PWD/bad.t
…/bad.t: it is not so
    $ echo one
  wanted:
    two
  got:
    one
…/bad.t: the status is not so
    $ false
  exit status: wanted 0, got 1
…/bad.t: wildcards that do not fit
...
…/bad.t: the shell ends
    $ exit 3
  exit status: wanted 0, got none (the shell ended)
2 passed, 4 failed, 1 skipped
? 1

# the console blocks of a Markdown file are transcripts
$ cat >doc.md <<'END'
> # A title
> Text, and `code`.
> ```sh
> false
> ```
> ```console
> $ echo hello
> hello
> ```
> ```console
> $ quire version
> quire 9.9.9
> ```
> END
$ $TOP/tests/cli/run $(dirname $(command -v quire)) $PWD/doc.md
…/doc.md: line 10
    $ quire version
  wanted:
    quire 9.9.9
  got:
    quire 0.1.0
1 passed, 1 failed
? 1
