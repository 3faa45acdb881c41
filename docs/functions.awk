# Writes src/expression/function_docs.def: a sentence for each function of expressions.
#     awk -f docs/functions.awk include/tyto/*.h src/expression/functions.def src/expression/functions/*.def
# The sentence is the first one above the public function of that name.  A comment "says: ..." above a row of functions.def
# replaces it; a row without either gets the sentence of the first public function that it calls.
BEGIN {
    print "/* Made by ./dev docs from the comments of the public headers: the sentence of each function of expressions. */"
}
# The text before the first of `ends` that a blank follows, outside of parentheses.
function before(text, ends,    i, depth, c) {
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        depth += (c ~ /[([{]/) - (c ~ /[])}]/)
        if (depth <= 0 && index(ends, c) && substr(text, i - 1, 2) != ".." && substr(text, i + 1, 1) ~ /^ ?$/)
            return substr(text, 1, i - 1)
    }
    return text
}
function sentence(text) {
    gsub(/[ \t\n]+/, " ", text)
    sub(/^ /, "", text)
    text = before(text, ".")
    if (length(text) > 150) text = before(text, ";:")
    gsub(/`/, "", text)
    gsub(/ty_/, "", text)
    sub(/(,? in(to)? parts| and write the n views to out)\[\]/, "", text)
    gsub(/\\/, "\\\\", text)
    gsub(/"/, "\\\"", text)
    return text
}
function define(name, text) {
    if (text == "") { print "docs/functions.awk: no sentence for " name > "/dev/stderr"; failed = 1 }
    printf "#define DOC_%s \"%s\"\n", name, text
}
function emit(    name, text, called) {
    text = row
    row = ""
    if (text == "") return
    sub(/^CALL(_MANY)?\(/, "", text)
    name = text
    sub(/,.*/, "", name)
    if (says == "") says = doc["ty_" name]
    while (says == "" && match(text, /ty_[a-z0-9_]+\(/)) {
        called = substr(text, RSTART, RLENGTH - 1)
        text = substr(text, RSTART + RLENGTH)
        says = doc[called]
    }
    define(name, says)
    says = ""
}
FNR == 1 { inside = 0 }
FILENAME ~ /\.h$/ {
    line = $0
    if (!inside && match(line, /^ *\/\*/)) {
        inside = 1
        comment = ""
        line = substr(line, RSTART + RLENGTH)
    }
    if (inside) {
        inside = !sub(/\*\/.*/, "", line)
        sub(/^ *\*/, "", line)
        comment = comment " " line
    } else if (line !~ /_sized\(/ && match(line, /ty_[a-z0-9_]+\(/) && !((name = substr(line, RSTART, RLENGTH - 1)) in doc))
        doc[name] = sentence(comment)
    next
}
/^ / && row != "" { row = row $0; next }
{ emit() }
/^\/\* says: / { says = $0; sub(/^\/\* says: /, "", says); sub(/ *\*\/$/, "", says) }
/^CALL/ { row = $0 }
/^(POOLS|UNPOOL)\(/ {
    split($0, part, /[(), ]+/)
    for (i = 1; i <= 3 && /^POOLS/; i++) define(part[2] i "d" part[3], doc["ty_" part[2] i "d" part[3]])
    if (/^UNPOOL/) define(part[2], doc["ty_" part[2]])
}
END {
    emit()
    exit failed
}
