# Writes docs/special.md from the rows of special functions:
#     cc -E -P -Iinclude docs/special_rows.h | awk -f docs/strings.awk -f docs/special.awk
BEGIN {
    print "# Special functions"
    print ""
    print "Made by `./dev docs` from `include/tyto/rows/`. Each function `ty_NAME` is elementwise: it broadcasts its operands,"
    print "and accepts values and promises. `tyto eval` calls it `NAME`. Functions compute in f32 and f64: integers are cast"
    print "first, and f16 and bf16 are computed in f32. Most functions compute in doubles internally, so that f32 and narrower"
    print "results are rounded once."
    print ""
    print "All functions have gradients. Some derivatives by an order or a parameter are not known; asking for one is an error"
    print "that names it."
    print ""
    print "The bound is the largest error that `./dev bench ulp` finds, in units in the last place of the result. The benchmark"
    print "tries random bits, numbers of similar magnitude, and the usual range, and compares with long doubles. Near a zero of"
    print "a function, a bound in units in the last place cannot be kept. There the column \"error near zeros\" gives the"
    print "largest error in units of 2^-53. Where the error would exceed the bound, the result is NaN; the last column states"
    print "where."
    print ""
    print "| group | algorithm and its source file |"
    print "|---|---|"
    print "| gamma, error, whole orders | stated at the top of `error`, `psi`, `gamma`, `incomplete`, `bessel01` and `orders.kernel.c` in `src/engine/special/` |"
    print "| Bessel, Airy | Temme; continued fractions and Wronskians; Hankel's expansion; Miller: `src/engine/special/bessel.kernel.c`, `spherical.kernel.c` |"
    print "| inverses, counts, W, polylogarithms | Halley, Newton, power series: `src/engine/special/inverse.kernel.c` |"
    print "| elliptic | Carlson's duplication, Landen's transformation: `src/engine/special/elliptic.kernel.c` |"
    print "| integrals, Struve | power series, continued fractions, expansions: `src/engine/special/integral.kernel.c` |"
    print "| polynomials, 1F1 | recurrences and series in twice the digits: `src/engine/special/polynomial.kernel.c` |"
    title["special"] = "Gamma, error and Bessel functions of whole order"
    title["bessel"] = "Bessel functions of real order, Airy functions"
    title["integral"] = "Inverses, counts, elliptic and other integrals"
    title["polynomial"] = "Orthogonal polynomials, Kummer's function"
}
/^GROUP/ {
    strings($0)
    print ""
    print "## " title[s[1]]
    print ""
    print "| function | bound | error near zeros | definition |"
    print "|---|---|---|---|"
}
/^ROW/ {
    strings($0)
    for (i = 3; i <= 6; i++) gsub(/\|/, "\\|", s[i])
    printf "| `%s(%s)` | %s | %s | %s |\n", s[2], s[1], s[3], s[4], s[6]
}
END {
    print ""
    print "## Functions that run loops"
    print ""
    print "`tyto/special.h` declares two functions that run loops. `ty_hyp2f1(a, b, c, x)` is Gauss' hypergeometric function,"
    print "for x from -9 to 0.9 or for polynomials; it is NaN where its terms cancel. `ty_eval_jacobi(n, alpha, beta, x)`"
    print "evaluates Jacobi polynomials. Both have gradients by every operand. The header states their accuracy."
}
