# Writes the prototypes of elementwise operators, TO/<group>.h for each group of rows:
#     cc -E -P -Iinclude docs/rows.h | awk -v to=include/tyto/rows -f docs/strings.awk -f docs/rows.awk
# Prints `text` after `prefix`, in lines of at most 112 columns.
function wrap(prefix, text,    n, i, word, line) {
    n = split(text, word, " ")
    word[n - 1] = word[n - 1] " " word[n] # the end of the comment stays with the last word
    n--
    line = prefix word[1]
    for (i = 2; i <= n; i++)
        if (length(line) + length(word[i]) < 111) line = line (word[i - 1] ~ /\.$/ ? "  " : " ") word[i]
        else {
            print line > file
            line = "   " word[i]
        }
    print line > file
}
# Returns the sentence about dtypes, broadcasting and failure of a row with n operands, which computes in the dtypes `kind` and
# returns `out`.
function contract(n, kind, out,    dtypes, fails) {
    fails = kind ~ /^(BITS|INTEGER)$/ ? "for floating and complex numbers" : kind ~ /^(FLOAT|REALB?|BOUNDED)$/ ? "for complex numbers" : ""
    if (out == "BOOL") dtypes = n == 1 ? "Returns bool" : ", the result is bool"
    else if (out == "PART") dtypes = "The result is real"
    else if (kind ~ /^FLOAT/) dtypes = n == 1 ? "Integers become floating" : ", integers become floating"
    else if (kind == "CHOICE") dtypes = ", b and c are promoted"
    else dtypes = (n == 1 ? "Keeps the dtype" : " and are promoted") (kind ~ /B$|BITS/ ? "" : " (bool: i8)")
    if (n == 1) return dtypes (fails ? "; poison " fails : "; complex numbers are allowed")
    return "Operands broadcast" dtypes "; poison if not" (fails ? ", or " fails : "")
}
/GROUP|ROW/ {
    gsub(/GROUP/, "\nGROUP")
    gsub(/ROW/, "\nROW")
    count = split($0, lines, "\n")
    for (k = 1; k <= count; k++) {
        n = strings(lines[k])
        if (lines[k] ~ /^GROUP/) {
            file = to "/" s[1] ".h"
            print "/* Made by ./dev docs from " s[1] ".def: operators that act on each element of operands that broadcast. */" > file
        } else if (lines[k] ~ /^ROW/) {
            for (i = 6; i <= n; i++) s[5] = s[5] s[i] # a text in several pieces
            wrap("/* ", "Elementwise: " s[5] ".  " contract(split(s[1], operands, ","), s[3], s[4]) ". */")
            print "TY_API ty_tensor *ty_" s[2] "(" s[1] ");" > file
        }
    }
}
