# Included by scripts that read rows after the C preprocessor.  strings(LINE) puts the C strings of a line into s[1..n], neighbours
# apart, and returns n.
function strings(line,    n) {
    n = 0
    while (match(line, /"([^"\\]|\\.)*"/)) {
        s[++n] = substr(line, RSTART + 1, RLENGTH - 2)
        line = substr(line, RSTART + RLENGTH)
    }
    return n
}
