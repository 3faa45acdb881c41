# Writes the prototypes of elementwise operators, TO/<group>.h for each group of rows:
#     cc -E -P -Iinclude docs/rows.h | awk -v to=include/tyto/rows -f docs/strings.awk -f docs/rows.awk
# Prints `text` after `prefix`, in lines of at most 112 columns.
function wrap(prefix, text,    n, i, word, line) {
    n = split(text, word, " ")
    line = prefix word[1]
    for (i = 2; i <= n; i++)
        if (length(line) + length(word[i]) < 112) line = line " " word[i]
        else {
            print line > file
            line = "   " word[i]
        }
    print line > file
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
            for (i = 4; i <= n; i++) s[3] = s[3] s[i] # a text in several pieces
            wrap("/* ", "Elementwise: " s[3] ". */")
            print "TY_API ty_tensor *ty_" s[2] "(" s[1] ");" > file
        }
    }
}
