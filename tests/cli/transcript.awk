# transcript.awk - run transcripts and compare what appears
#
# A transcript is what a person would see:
#
#     # a sentence that names a case, and begins a fresh directory
#     $ a command, for sh; variables and `cd` last until the case ends
#     > its next line, if it has one
#     what it prints, standard output and error in order
#     ? the exit status, if it is not 0
#
# `…` stands for any text within a line, a line that is only `...` for any
# number of lines. Empty lines at the end of an output do not count. A line
# `! program...` skips the case unless all of these are installed.
#
# In a Markdown file (-v markdown=1) each fenced ```console block is a case, and
# all of them run one after another in one shell and one home, as a reader would
# type them. With TEST_FILTER all run, and those that it names are counted.
#
# Variables: work (an empty directory), build (first in PATH). Ends with the
# line "passed failed skipped", three numbers, for tests/cli/run to add up. With
# TEST_FILTER only cases whose title contains it, blanks written as "_".

function quoted(text) {
    gsub(/'/, "'\\''", text)
    return "'" text "'"
}

function begin_case(title) {
    if (!markdown)
        end_case()
    name = title
    if (!markdown)
        n_cmds = 0
    needs = ""
}

function installed(programs,    list, i, n) {
    n = split(programs, list, " ")
    for (i = 1; i <= n; i++)
        if (system("command -v " list[i] " >/dev/null 2>&1") != 0)
            return 0
    return 1
}

function is_wanted(title) {
    gsub(/ /, "_", title)
    return index(title, ENVIRON["TEST_FILTER"]) > 0 || !ENVIRON["TEST_FILTER"]
}

# Write and run the script of the commands so far.
function run_commands(dir,    script, i) {
    system("mkdir -p " quoted(dir "/here") " " quoted(dir "/home"))
    script = dir "/script"
    print "cd " quoted(dir "/here") >script
    print "export HOME=" quoted(dir "/home") >script
    print "export QUIRE_HOME=" quoted(dir "/home/quire") >script
    for (i = 1; i <= n_cmds; i++) {
        print "{ " cmd[i] "\n} >" quoted(dir "/out" i) " 2>&1 </dev/null" >script
        print "echo $? >" quoted(dir "/status" i) >script
    }
    close(script)
    system("timeout 120 sh " quoted(script) " >" quoted(dir "/stray") " 2>&1")
}

# All blocks of a Markdown file: the first command that fails decides a block.
function end_blocks(    dir, i, bad) {
    if (!n_cmds)
        return
    dir = work "/1"
    run_commands(dir)
    for (i = 1; i <= n_cmds; i++) {
        name = block[i]
        if (!is_wanted(name))
            continue
        if (name in bad)
            continue
        if (!check(dir, i)) {
            bad[name] = 1
            failed++
        } else if (i == n_cmds || block[i + 1] != name)
            passed++
    }
    system("chmod -R u+rwX " quoted(dir))
}

function end_case(    dir, i, bad) {
    if (!n_cmds || !is_wanted(name))
        return
    if (needs != "" && !installed(needs)) {
        print "skipped: " FILENAME ": " name " (needs " needs ")"
        skipped++
        return
    }
    dir = work "/" (++n_cases)
    run_commands(dir)
    for (i = 1; i <= n_cmds && !bad; i++)
        bad = !check(dir, i)
    if (bad)
        failed++
    else {
        passed++
        system("chmod -R u+rwX " quoted(dir) "; rm -rf " quoted(dir))
    }
    n_cmds = 0
}

# Compare the output and status of command i; complain if they differ.
function check(dir, i,    line, status, file, ok) {
    file = dir "/out" i
    n_out = 0
    while ((getline line <file) > 0)
        out[++n_out] = line
    close(file)
    while (n_out && out[n_out] == "")
        n_out--
    n_want = split_want(i)
    status = "none (the shell ended)"
    file = dir "/status" i
    getline status <file
    close(file)
    ok = fits(1, 1)
    if (ok && status == want_status[i])
        return 1
    print FILENAME ": " name
    print "    $ " cmd[i]
    if (!ok) {
        print "  wanted:"
        for (line = 1; line <= n_want; line++)
            print "    " want[line]
        print "  got:"
        for (line = 1; line <= n_out && line <= 40; line++)
            print "    " out[line]
        if (n_out > 40)
            print "    ... and " n_out - 40 " more"
    }
    if (status != want_status[i])
        print "  exit status: wanted " want_status[i] ", got " status
    if ((getline line <(dir "/stray")) > 0)
        print "  the shell said: " line
    close(dir "/stray")
    return 0
}

function split_want(i,    n) {
    for (n = 0; n < n_lines[i]; n++)
        want[n + 1] = lines[i, n + 1]
    while (n && want[n] == "")
        n--
    return n
}

# Do the wanted lines from i on fit the output from j on?
function fits(i, j,    k) {
    for (; i <= n_want; i++) {
        if (want[i] == "...") {
            for (k = j; k <= n_out + 1; k++)
                if (fits(i + 1, k))
                    return 1
            return 0
        }
        if (j > n_out || !same(want[i], out[j]))
            return 0
        j++
    }
    return j > n_out
}

function same(pattern, text,    part, n, i, at) {
    if (!index(pattern, "…"))
        return (pattern "") == (text "")
    n = split(pattern, part, "…")
    if (substr(text, 1, length(part[1])) != part[1])
        return 0
    text = substr(text, length(part[1]) + 1)
    for (i = 2; i < n; i++) {
        at = index(text, part[i])
        if (!at)
            return 0
        text = substr(text, at + length(part[i]))
    }
    return length(text) >= length(part[n]) &&
        substr(text, length(text) - length(part[n]) + 1) == part[n]
}

BEGIN { passed = failed = 0 }

markdown && /^```/ {
    inside = !inside && /^```console/
    if (inside)
        begin_case("line " FNR)
    next
}
markdown && !inside { next }

/^# / { begin_case(substr($0, 3)); next }
/^! / { needs = substr($0, 3); next }
/^\$ / {
    cmd[++n_cmds] = substr($0, 3)
    block[n_cmds] = name
    want_status[n_cmds] = "0"
    n_lines[n_cmds] = 0
    next
}
/^> / && n_cmds && !n_lines[n_cmds] {
    cmd[n_cmds] = cmd[n_cmds] "\n" substr($0, 3)
    next
}
/^\? / && n_cmds { want_status[n_cmds] = substr($0, 3); next }
n_cmds { lines[n_cmds, ++n_lines[n_cmds]] = $0 }

END {
    if (markdown)
        end_blocks()
    else
        end_case()
    print passed + 0, failed + 0, skipped + 0
}
