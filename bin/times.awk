# Prints the time that each part of a build took, from the lines that ./verify keeps: seconds and what Maven printed.
#
# Parts are the goals that Maven names, and of the end-to-end tests the packages that they are in.

function finish(now) {
    if (part != "") {
        took[part] += now - begun
    }
}

$3 == "---" && $5 != "" {
    finish($1)
    part = $4
    sub(/:[0-9][^:]*:/, ":", part)
    part = part " " $5
    begun = $1
    if (!(part in took)) {
        names[++count] = part
        took[part] = 0
    }
}

/ -- in .*IT$/ {
    test = $NF
    sub(/\.[A-Za-z0-9]*$/, "", test)
    seconds = $0
    sub(/.*Time elapsed: /, "", seconds)
    sub(/ s.*/, "", seconds)
    tests[test] += seconds
}

NR == 1 {
    first = $1
}

END {
    finish($1)
    print ""
    print "Seconds that each part took, from 2 on:"
    for (i = 1; i <= count; i++) {
        if (took[names[i]] >= 2) {
            printf "%6d  %s\n", took[names[i]], names[i]
        }
    }
    for (test in tests) {
        printf "%6d  of it in %s, in all JVMs\n", tests[test], test
    }
    printf "%6d  altogether\n", $1 - first
}
