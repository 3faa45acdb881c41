# docs/numpy.md from tests/goldens/goldens.txt, whose lines are tested: "ours" or "ours | NumPy's", areas in comments.
# Prototypes are those of include/tyto; which one an expression calls is read from src/expression.
BEGIN {
    read_headers()
    read_rows()
    read_functions()
    print "# From NumPy to Tyto\n"
    print "Made by `./dev docs` from `tests/goldens/goldens.txt`. Each line is a test that compares NumPy and Tyto."
    print ""
    print "* **The left column** is the expression in NumPy. A method `x.f(...)` is listed as `f(x, ...)`."
    print "* **The middle column** is the expression for `tyto eval` and `ty_expression`. NumPy's names work there too, with or"
    print "  without `np.`. `tyto eval --functions` lists all functions with their parameters."
    print "* **The right column** is the prototype of the C function, where the function first occurs in a part of the table."
    print ""
    print "In C, use `ty_get` and `ty_at` to read `x[...]`, and `ty_set` to replace elements."
    print ""
    print "General differences from NumPy:"
    print ""
    print "* Functions with floating results compute integers of up to 16 bits in f32, which represents them exactly. (NumPy"
    print "  computes 8 bits in f16, and quotients in f64.)"
    print "* Complex numbers are ordered by magnitude, then phase."
    print "* An integer divided by 0 is 0. Integers of an expression's text are numbers: `5 // 0` and `2 ** 64` are errors."
    print "* `softmax` of an empty array is empty."
    print "* A plain number that an integer dtype cannot represent is an error in arithmetic and stores, as in NumPy 2. `clip`"
    print "  ignores such a limit. Comparisons (also `is_close`, `isin`, `searchsorted` and sets) are exact."
    print "* `max(x, 1)` reduces along axis 1; `max(x, y)` of two arrays is `maximum(x, y)`."
    print ""
    print "Differences by function:"
    print ""
    print "| function | NumPy | Tyto |\n|---|---|---|"
    print "| `append`, `delete`, `insert`, `repeat_each`, `unique_slices`, `take`: default axis | none: operands are flattened | 0; for `append` and `take` none, as in NumPy |"
    print "| `average` | weights that sum to 0 are an error | NaN or infinity |"
    print "| `bitwise_count` | result in u8 | result in the dtype of x |"
    print "| `convolve`, mode \"same\" | the result is as long as the longer operand | as long as the first operand, as in SciPy; any rank |"
    print "| `correlate` | default mode \"valid\" | default mode \"full\", as in SciPy; any rank |"
    print "| `cov`, `corrcoef`, `linalg.norm`, `polyder`, `polyint` of f16 and f32 | result in f64 | result in the dtype of x |"
    print "| `fabs`, `rint` of integers | floating results | integer results |"
    print "| `histogram`, weights of integers | summed in their dtype | summed in 64 bits |"
    print "| `floor_divide` of infinite numbers | NaN | the quotient, as the array API standard says |"
    print "| `fmax`, `fmin`, `clip` of complex numbers | lexicographic order | an error |"
    print "| `lp_pool` | does not exist | powers may overflow and underflow; `norm` avoids this |"
    print "| `median`, `percentile`, `quantile` of integers up to 16 bits | result in f64 | result in f32 |"
    print "| `mean`, `median`, `percentile`, `quantile` of no elements | NaN | `mean`: NaN; the others: an error |"
    print "| `nonzero` | a tuple of vectors | one matrix of indices, a row for each axis |"
    print "| `polymul`, `polydiv`, `poly`, `polyder` | leading zeros are dropped | leading zeros stay, because the size of the result depends on sizes alone; a polynomial has at least one coefficient |"
    print "| `polyval` at a plain number | result in i64 or f64 | result in the dtype of the coefficients |"
    print "| `power` of integers to a negative array | an error | the quotient, rounded toward 0 |"
    print "| `reciprocal` of integers | rounded toward 0, so mostly 0 | floating result |"
    print "| `round` of bool | result in f16 | result in bool |"
    print "| `round`, if scaling overflows | NaN or infinity | x |"
    print "| `subtract`, `negative`, `positive`, `sign`, `ptp` of bool | an error | result in i8 |"
    print "| `trapezoid`, `ediff1d` of integers and bool | wrap in their dtype | `trapezoid` is computed in f64, `ediff1d` in the dtype of the result |"
    print "| `unwrap` of unsigned integers | wraps | result in the signed dtype that represents them |\n"
    print "| NumPy | Tyto | C |\n|---|---|---|"
}

# ---- C: prototype["ty_sum"] ----

function keep_prototype(text, name) {
    gsub(/[ \t\n]+/, " ", text)
    sub(/^.*TY_(API|INLINE) /, "", text)
    sub(/ *[;{].*$/, "", text)
    name = text
    sub(/\(.*$/, "", name)
    sub(/^.*[ *]/, "", name)
    if (name !~ /^ty_poison/) prototype[name] = text # what a helper calls to fail is not what it is for
}
function read_headers(file, line, text, open) {
    while (("ls include/tyto/*.h" | getline file) > 0) {
        while ((getline line < file) > 0) {
            if (line ~ /^TY_(API|INLINE) /) { open = 1; text = "" }
            if (open) text = text " " line
            if (open && line ~ /[;{]/) { open = 0; keep_prototype(text) }
        }
        close(file)
    }
}
function read_rows(file, line, name, operands) {
    operands["1"] = "ty_tensor *x"
    operands["2"] = "ty_tensor *a, ty_tensor *b"
    operands["3"] = "ty_tensor *a, ty_tensor *b, ty_tensor *c"
    while (("ls include/tyto/rows/*.def" | getline file) > 0) {
        while ((getline line < file) > 0)
            if (line ~ /^OP[123]\(/) {
                name = line
                sub(/^OP.\(/, "", name)
                sub(/,.*/, "", name)
                elementwise[name] = 1
                prototype["ty_" name] = "ty_tensor *ty_" name "(" operands[substr(line, 3, 1)] ")"
            }
        close(file)
    }
}

# ---- expressions: what a function or a sign calls ----

function read_functions(file, line, name, part, rows) {
    file = "src/expression/functions.def"
    rows = 1
    while (rows > 0) {
        if ((getline line < file) <= 0) { # then the files that it includes
            file = included[--rows]
            continue
        }
        if (match(line, /^#include "[^"]*"/)) included[rows++] = "src/" substr(line, 11, RLENGTH - 11)
        if (line ~ /^CALL(_MANY)?\(/) {
            name = line
            sub(/^[A-Z_]*\(/, "", name)
            sub(/,.*/, "", name)
        } else if (line !~ /^ /) name = ""
        if (name != "") text_of[name] = text_of[name] " " line
    }
    file = "src/expression/functions.c" # helpers: the last function that they call is what they are for
    while ((getline line < file) > 0) {
        if (match(line, /^static [a-z_]+ \*?[a-z_]+\(/)) {
            name = substr(line, 1, RLENGTH - 1)
            sub(/^.*[ *]/, "", name)
        }
        if (line ~ /^[ }]/ && name != "") helper[name] = helper[name] line
        if (line ~ /^}/) name = ""
    }
    file = "src/expression/aliases.def"
    while ((getline line < file) > 0)
        if (line ~ /^ALIAS\(/) {
            split(substr(line, 7), part, /[,) ]+/)
            alias[part[1]] = part[2]
        }
    file = "src/expression/parse.c" # {"+", 9, ty_add} and token_is(&t, "-")) return sign_before(..., ty_neg)
    while ((getline line < file) > 0) {
        if (match(line, /token_is\(&t, "[^"]+"\)\) return sign_before/)) keep_sign(line, before)
        while (match(line, /{"[^"]+", [0-9]+, ty_[a-z_]+}/)) {
            keep_sign(substr(line, RSTART, RLENGTH), between)
            line = substr(line, RSTART + RLENGTH)
        }
    }
}
function keep_sign(text, into, sign) {
    sign = text
    sub(/^[^"]*"/, "", sign)
    sub(/".*$/, "", sign)
    if (match(text, /ty_[a-z_]+/)) into[sign] = substr(text, RSTART, RLENGTH)
}
# The first, or the last, function in the text that makes a tensor.
function called(text, last, name, found) {
    while (match(text, /[a-z_][a-z_0-9]*/)) {
        name = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        if (!(name in prototype) && !(name in helper)) continue
        if (name in prototype && (name ~ /^ty_(poison|ok|rank|size)$/ || prototype[name] !~ /^(ty_tensor|void|ty_unique|bool)/)) continue
        found = name in prototype ? name : called(helper[name], 1)
        if (found != "" && !last) return found
    }
    return found
}
function c_function(name, found) {
    if (name in alias) name = alias[name]
    if (!(name in text_of)) return "ty_" name # an elementwise row, or made by a macro
    if (!(name in elementwise) && match(text_of[name], "ty_" name "[^a-z_0-9]")) return "ty_" name
    if (name in elementwise) gsub("ty_" name "[^a-z_]", " ", text_of[name])
    found = called(text_of[name])
    return found == "" && name in elementwise ? "ty_" name : found # the entry calls the row alone
}
function first_sign(ours, sign, at, best, length_of_best, found) {
    for (sign in between) {
        at = index(ours, sign ~ /^[|]$/ ? sign : " " sign " ")
        if (at && (!best || at < best || (at == best && length(sign) > length_of_best))) {
            best = at; length_of_best = length(sign); found = between[sign]
        }
    }
    return found
}
function c_of(ours, name) {
    if (match(ours, /^[a-zA-Z_][a-zA-Z0-9_.]*\(/)) {
        name = substr(ours, 1, RLENGTH - 1)
        sub(/^.*\./, "", name)
        return c_function(name)
    }
    if (ours ~ /^[a-z](\[[^\[]*\])*\[.*\]$/) return "ty_get"
    if (substr(ours, 1, 1) in before && ours !~ / /) return before[substr(ours, 1, 1)]
    return first_sign(ours)
}

# ---- the page ----

function cell(text) { gsub(/\|/, "\\|", text); return "`" text "`" }
NR <= 2 || /^$/ { next }
/^#/ { heading = substr($0, 3); split("", seen); next }
{
    at = index($0, " | ")
    ours = at ? substr($0, 1, at - 1) : $0
    numpy = at ? substr($0, at + 3) : $0
    if (heading != "") print "| **" heading "** | | |"
    heading = ""
    c = c_of(ours)
    if (c in seen || ours == "+x") c = ""
    else if (!(c in prototype)) { print "numpy.awk: no prototype of '" c "' for " ours | "cat >&2"; failed = 1 }
    else { seen[c] = 1; c = cell(prototype[c]) }
    print "| " cell(numpy) " | " cell(ours) " | " c " |"
}
END { exit failed }
