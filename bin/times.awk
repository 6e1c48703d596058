# Prints the output of Maven as it comes, and at its end the time that each part took.
#
# Parts are the goals that Maven names, and of the end-to-end tests the packages that they are in.

function now(    seconds) {
    "date +%s" | getline seconds
    close("date +%s")
    return seconds
}

function begin(name) {
    finish()
    part = name
    begun = now()
    if (!(part in took)) {
        names[++count] = part
        took[part] = 0
    }
}

function finish() {
    if (part != "") {
        took[part] += now() - begun
    }
}

{
    print
    fflush()
}

/^\[INFO\] --- / {
    goal = $3
    sub(/:[0-9][^:]*:/, ":", goal)
    begin(goal " " $4)
}

/^\[(INFO|ERROR)\].* Tests run: .* -- in .*IT$/ {
    test = $NF
    sub(/\.[A-Za-z0-9]*$/, "", test)
    seconds = $0
    sub(/.*Time elapsed: /, "", seconds)
    sub(/ s.*/, "", seconds)
    tests[test] += seconds
}

END {
    finish()
    print ""
    print "Seconds that each part took, from 2 on:"
    for (i = 1; i <= count; i++) {
        if (took[names[i]] >= 2) {
            printf "%6d  %s\n", took[names[i]], names[i]
        }
        sum += took[names[i]]
    }
    for (test in tests) {
        printf "%6d  of it in %s\n", tests[test], test
    }
    printf "%6d  altogether\n", sum
}
