# Finds the comparisons of src/ with named constants.  Arguments: all sources.
#
#   -v mode=list    prints "FILE NAME PLACE" for each: where the constant is defined, its name, and "file:line" of the comparison
#   -v mode=count   writes each source anew below the folder `to`, with comparisons that note which side they were on,
#                   and prints "NUMBER FILE NAME PLACE"
#
# A constant has a number for its value: an enumerator with a value, an object of `static const`, a macro without parameters.
# Comparisons are <, <=, > and >=.  Left out are #if, static assertions, table lengths (sizeof), subscripts, and the end of a
# loop over 0..NAME-1 or 0..NAME/2-1, which chooses nothing.
#
# Numbers depend on the file and the place in it alone, so that a change of one file leaves the others as they are.

BEGIN {
    for (i = 1; i < 128; i++) code_of[sprintf("%c", i)] = i
    number = "^[-+*/<>() ~0-9]*$"
    stops = "[;{},?:&|^=!<>]"
}

# A source with comments, texts and preprocessor conditions overwritten by blanks, the same length.
function masked(text, out, at, c, rest, length_) {
    out = ""
    while (match(text, /\/\*|\/\/|"|'|\n[ \t]*#[ \t]*(if|elif|include|error|pragma|undef|ifdef|ifndef)[^\n]*/)) {
        out = out substr(text, 1, RSTART - 1)
        c = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART)
        if (c == "/*") { at = index(text, "*/"); length_ = at + 1 }
        else if (c == "//") { at = index(text, "\n"); length_ = at - 1 }
        else if (c == "\"") { match(text, /^"([^"\\\n]|\\.)*"/); length_ = RLENGTH > 0 ? RLENGTH : 1 }
        else if (c == "'") { match(text, /^'([^'\\\n]|\\.)+'/); length_ = RLENGTH > 0 ? RLENGTH : 1 }
        else length_ = RLENGTH
        c = substr(text, 1, length_)
        gsub(/[^\n]/, " ", c)
        out = out c
        text = substr(text, length_ + 1)
    }
    return out text
}

# The names in a value that is a number made of numbers and of constants, blanks between; "no" where it is none.
function names_in(value, names) {
    gsub(/U?INT(8|16|32|64)_C|\((size_t|int|int64_t|uint64_t|double|float)\)/, "", value)
    if (value ~ /sizeof/) return "no"
    gsub(/0[xX][0-9a-fA-F.]+([pP][-+]?[0-9]+)?[uUlLfF]*|[0-9.]+([eE][-+]?[0-9]+)?[uUlLfF]*/, "0", value)
    while (match(value, /[A-Za-z_][A-Za-z0-9_]*/)) {
        names = names " " substr(value, RSTART, RLENGTH)
        value = substr(value, 1, RSTART - 1) "0" substr(value, RSTART + RLENGTH)
    }
    return value ~ number ? names : "no"
}

# A macro with several values is a parameter of a template.
function define(file, name, value) {
    if ((file, name) in value_of && value_of[file, name] != value) value = "no"
    if (!((file, name) in value_of)) { all_files[name] = all_files[name] " " file; key_file[++keys] = file; key_name[keys] = name }
    value_of[file, name] = value
    if (names_in(value) == "no") delete known[file, name]
    else known[file, name] = names_in(value)
}

# Leaves those constants whose values are made of constants, in any file.
function settle(part, n, i, k, dropped) {
    for (k = 1; k <= keys; k++) defined[key_name[k]] += (key_file[k], key_name[k]) in known
    do {
        dropped = 0
        for (k = 1; k <= keys; k++) if ((key_file[k], key_name[k]) in known) {
            n = split(known[key_file[k], key_name[k]], part, " ")
            for (i = 1; i <= n && (part[i] ~ /^TY_/ || defined[part[i]]); i++) ;
            if (i <= n) { defined[key_name[k]]--; delete known[key_file[k], key_name[k]]; dropped++ }
        }
    } while (dropped)
    for (k = 1; k <= keys; k++) if ((key_file[k], key_name[k]) in known)
        files_of[key_name[k]] = files_of[key_name[k]] " " key_file[k]
}

function definitions(file, text, rest, body, n, part, i, name, value) {
    rest = text
    while (match(rest, /enum[ \n]*[a-z_0-9]*[ \n]*\{[^{}]*\}/)) {
        body = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        sub(/^[^{]*\{/, "", body)
        sub(/\}$/, "", body)
        n = split(body, part, ",")
        for (i = 1; i <= n; i++) if (match(part[i], /^[ \n\\]*[A-Z][A-Z0-9_]*[ \n]*=/)) {
            name = substr(part[i], 1, RLENGTH - 1); value = substr(part[i], RLENGTH + 1)
            gsub(/[ \n\\]/, "", name); gsub(/[\n\\]/, " ", value)
            define(file, name, value)
        }
    }
    rest = text
    while (match(rest, /\n#[ ]*define [A-Z][A-Z0-9_]* [^\n]*/)) {
        body = substr(rest, RSTART + 1, RLENGTH - 1)
        rest = substr(rest, RSTART + RLENGTH)
        sub(/^#[ ]*define /, "", body)
        name = body; sub(/ .*/, "", name)
        sub(/^[^ ]* /, "", body)
        define(file, name, body)
    }
    rest = text
    while (match(rest, /\nstatic const [a-z0-9_]+ [^;{}]*;/)) {
        body = substr(rest, RSTART, RLENGTH - 1)
        rest = substr(rest, RSTART + RLENGTH)
        sub(/^\nstatic const [a-z0-9_]+ /, "", body)
        n = split(body, part, ",")
        for (i = 1; i <= n; i++) if (match(part[i], /^[ \n]*[a-z][a-z0-9_]*[ \n]*=/)) {
            name = substr(part[i], 1, RLENGTH - 1); value = substr(part[i], RLENGTH + 1)
            gsub(/[ \n]/, "", name); gsub(/\n/, " ", value)
            define(file, name, value)
        }
    }
}

# The file that defines a name used in `file`, "" where that is no constant: itself, else what other files can include, of the
# same folder rather than others.
function home(name, file, n, list, i, found, folder) {
    if ((file, name) in value_of) return (file, name) in known ? file : ""
    n = split(all_files[name], list, " ")
    folder = file; sub(/[^\/]*$/, "", folder)
    for (i = 1; i <= n; i++) if (list[i] ~ /(\.h|\.kernel\.c)$/) {
        if (index(list[i], folder) == 1) return (list[i], name) in known ? list[i] : ""
        if (list[i] ~ /\.h$/ && found == "" && (list[i], name) in known) found = list[i]
    }
    return found
}

# Whether what follows the blank at `at` begins a statement: after a keyword, or after the parentheses of if, for, while.
function begins(at, before) {
    before = substr(code, at > 99 ? at - 99 : 1, at > 99 ? 100 : at)
    return before ~ /(^|[^A-Za-z_0-9])(return|else|case|do)[ \n]+$/ ||
        before ~ /\)[ \n]+$/ && substr(code, at + 1, 1) ~ /[A-Za-z_0-9(!~]/
}

# Where the operand that ends before (starts after) an operator begins (ends).
function left_end(at, depth, c, d) {
    for (depth = 0; at > 0; at--) {
        c = substr(code, at, 1)
        if (c == ")" || c == "]") depth++
        else if (c == "(" || c == "[") { if (depth-- == 0) return at + 1 }
        else if (depth == 0 && c ~ stops) {
            d = substr(code, at - 1, 1)
            if (c == ">" && d == "-" || c d == ">>" || c d == "<<") { at--; continue }
            return at + 1
        } else if (depth == 0 && c ~ /[ \n]/ && substr(code, at + 1, 1) !~ /[ \n]/ && begins(at)) return at + 1
    }
    return 1
}
function right_end(at, depth, c, d) {
    for (depth = 0; at <= length(code); at++) {
        c = substr(code, at, 1)
        if (c == "(" || c == "[") depth++
        else if (c == ")" || c == "]") { if (depth-- == 0) return at - 1 }
        else if (depth == 0 && c ~ stops) {
            d = substr(code, at + 1, 1)
            if (c d == "<<" || c d == ">>") { at++; continue }
            if (c == ">" && substr(code, at - 1, 1) == "-") continue
            return at - 1
        }
    }
    return at - 1
}

# Whether what begins at `at` is the second part of a for.
function in_for(at, depth, c, semicolons) {
    for (depth = 0; at > 0; at--) {
        c = substr(code, at, 1)
        if (c == "{" || c == "}") return 0
        if (c == ";" && depth <= 0) semicolons++
        if (c == ")") depth++
        if (c == "(" && depth-- == 0) {
            depth = 0
            if (substr(code, at - 4, 4) ~ /for ?$/) return semicolons == 1
        }
    }
    return 0
}

# The constants of an operand, blanks between; subscripts and calls with several arguments left out.
function constants(operand, file, name, from, list) {
    while (operand ~ /\[[^][]*\]/) gsub(/\[[^][]*\]/, "", operand)
    if (operand ~ /sizeof/) return ""
    gsub(/NAME\([A-Z_]*\)/, "", operand)
    while (operand ~ /[A-Za-z_0-9]\([^()]*,[^()]*\)/) gsub(/[A-Za-z_0-9]\([^()]*,[^()]*\)/, "", operand)
    while (match(operand, /[A-Za-z_][A-Za-z0-9_]*/)) {
        name = substr(operand, RSTART, RLENGTH)
        from = RSTART > 1 ? substr(operand, RSTART - 1, 1) : ""
        operand = substr(operand, RSTART + RLENGTH)
        if (from == "." || from == ">" && name !~ /^[A-Z]/) continue
        if (name in files_of && home(name, file) != "" && index(list " ", " " name " ") == 0) list = list " " name
    }
    return list
}

# The number of the next comparison in a file: 64 for each of 2^14 files.
function numbered(file, i, h) {
    if (!(file in first_of)) {
        for (i = 1; i <= length(file); i++) h = (h * 31 + code_of[substr(file, i, 1)]) % 16384
        while (h in taken) h = (h + 1) % 16384
        taken[h] = 1
        first_of[file] = 64 * h
    }
    if (sites_of[file] == 64) { print "thresholds: " file " has more than 64 comparisons" >"/dev/stderr"; exit 1 }
    return first_of[file] + sites_of[file]++
}

function trimmed(s) { gsub(/^[ \n]+|[ \n]+$/, "", s); return s }

# Blocks: rewrites what is compared at `at`, or lists it.
function comparisons(file, text, out, done, at, width, l, r, left, right, name, line, from, before, n, i, part, site, lead) {
    done = 1; out = ""; line = 1; from = 1; at = 1
    while (match(substr(code, at), /[<>]=?/)) {
        at += RSTART - 1; width = RLENGTH
        before = substr(code, at - 1, 1)
        if (before == "-" || substr(code, at, 2) ~ /<<|>>/) { at += 1 + (before != "-"); continue }
        l = left_end(at - 1); r = right_end(at + width)
        left = trimmed(substr(code, l, at - l)); right = trimmed(substr(code, at + width, r - at - width + 1))
        name = constants(left " " right, file)
        if (name != "" && left != "" && right != "" && left !~ /^#|_Static_assert|static_assert/ &&
            substr(code, l - 16, 16) !~ /assert\($/ &&
            !(left ~ /^[a-z_]+$/ && right ~ /^[A-Z][A-Z0-9_]*( \/ [A-Z0-9_]+)?$/ && in_for(l - 1))) {
            gsub(/[^\n]/, "", left)
            before = substr(code, from, at - from)
            line += gsub(/\n/, "", before); from = at
            site = numbered(file)
            n = split(name, part, " ")
            for (i = 1; i <= n; i++) print site, home(part[i], file), part[i], file ":" line - 1
            if (mode == "count" && l >= done) {
                left = substr(text, l, at - l); right = substr(text, at + width, r - at - width + 1)
                lead = match(left, /^[ \n]+/) ? substr(left, 1, RLENGTH) : ""
                out = out substr(text, done, l - done) lead "TY_SIDE(" site ", (" left "), " substr(code, at, width) ", (" right "))"
                done = r + 1
            }
        }
        at += width
    }
    return out substr(text, done)
}

FNR == 1 { order[++count] = FILENAME; whole[FILENAME] = "\n" }
{ whole[FILENAME] = whole[FILENAME] $0 "\n" }
END {
    for (i = 1; i <= count; i++) {
        mask[order[i]] = masked(whole[order[i]])
        definitions(order[i], mask[order[i]])
    }
    settle()
    for (i = 1; i <= count; i++) {
        code = mask[order[i]]
        changed = comparisons(order[i], whole[order[i]])
        if (mode == "count" && changed != whole[order[i]]) {
            printf "#include \"base/sides.h\"\n%s", substr(changed, 2) > (to "/" order[i])
            close(to "/" order[i])
        }
    }
}
