# Writes docs/special.md from the rows of special functions:
#     cc -E -P -Iinclude docs/special_rows.h | awk -f docs/special.awk
BEGIN {
    print "# Special functions"
    print ""
    print "Made by `./dev docs` from `include/tyto/rows/`. Each function `ty_NAME` works element by element on tensors that broadcast, on"
    print "values and on promises; `tyto eval` knows it by its name. Gradients flow to arguments; a derivative by an order or a"
    print "parameter, where nobody wrote it down, is an error that says so. Functions compute in f32 and f64: integers are cast first,"
    print "f16 and bf16 go through f32. Most compute in doubles inside, so that f32 and below are rounded once."
    print ""
    print "The bound is the largest error, in units in the last place of the result, on operands of any size that `./dev bench ulp`"
    print "tries: random bits, numbers of near magnitude, the usual range. It is measured against long doubles. A function with many"
    print "zeros may also be off by the second number, in units of 2^-53: next to a zero that is more than the last place. What cannot be"
    print "computed within the bound is NaN, and the last column says where that is."
    print ""
    print "| group | where the algorithm comes from |"
    print "|---|---|"
    print "| gamma, error, whole orders | the heads of `src/engine/cpu/math/special_*.c` |"
    print "| Bessel, Airy | Temme; continued fractions and Wronskians; Hankel's expansion; Miller: `src/engine/special/bessel.kernel.c` |"
    print "| inverses, counts, W, polylogarithms | Halley, Newton, power series: `src/engine/special/inverse.kernel.c` |"
    print "| elliptic | Carlson's duplication, Landen's transformation: `src/engine/special/elliptic.kernel.c` |"
    print "| integrals, Struve | power series, continued fractions, expansions: `src/engine/special/integral.kernel.c` |"
    print "| polynomials, 1F1 | recurrences and series in twice the digits: `src/engine/special/polynomial.kernel.c` |"
    title["special"] = "Gamma, error and Bessel functions of whole order"
    title["bessel"] = "Bessel functions of real order, Airy functions"
    title["integral"] = "Inverses, counts, elliptic and other integrals"
    title["polynomial"] = "Orthogonal polynomials, Kummer's function"
}
# The strings of a line, in s[1..n]; neighbours are apart.
function strings(line,    n) {
    n = 0
    while (match(line, /"([^"\\]|\\.)*"/)) {
        s[++n] = substr(line, RSTART + 1, RLENGTH - 2)
        line = substr(line, RSTART + RLENGTH)
    }
    return n
}
/^GROUP/ {
    strings($0)
    print ""
    print "## " title[s[1]]
    print ""
    print "| function | bound | near zeros | what it is |"
    print "|---|---|---|---|"
}
/^ROW/ {
    strings($0)
    for (i = 3; i <= 6; i++) gsub(/\|/, "\\|", s[i])
    printf "| `%s(%s)` | %s | %s | %s |\n", s[2], s[1], s[3], s[4], s[6]
}
END {
    print ""
    print "## More operands, and loops"
    print ""
    print "`tyto/special.h`: `ty_hyp2f1(a, b, c, x)`, Gauss' function for x from -9 to 0.9 or of polynomials, NaN where its terms cancel, and `ty_eval_jacobi(n, alpha, beta, x)`;"
    print "gradients flow to every tensor. What holds of their digits stands in the header."
}
