# Writes docs/special.md from the rows of special functions:
#     cc -E -P -Iinclude docs/special_rows.h | awk -f docs/strings.awk -f docs/special.awk
BEGIN {
    print "# Special functions"
    print ""
    print "Made by `./dev docs` from `include/tyto/rows/`. Each function `ty_NAME` is elementwise, on tensors that broadcast, and accepts"
    print "values and promises. `tyto eval` knows it by its name. Gradients flow to arguments; a missing derivative by an order or a"
    print "parameter is an error that names it. Functions compute in f32 and f64: integers are cast first, f16 and bf16 are computed in"
    print "f32. Most compute in doubles inside, so that results in f32 and narrower are rounded once."
    print ""
    print "The bound is the largest error, in units in the last place of the result, over all operands that `./dev bench ulp` tries. These"
    print "are random bits, numbers of similar magnitude, and the usual range; long doubles are the reference. A function with many zeros"
    print "may also have the second error, in units of 2^-53. Near a zero this exceeds the last place. Where the error would exceed the"
    print "bound, the result is NaN; the last column states the region."
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
    print "## More operands, and loops"
    print ""
    print "`tyto/special.h` declares two functions that are loops. `ty_hyp2f1(a, b, c, x)` is Gauss' hypergeometric function, for x from -9"
    print "to 0.9 or for polynomials, and NaN where its terms cancel. `ty_eval_jacobi(n, alpha, beta, x)` evaluates Jacobi polynomials."
    print "Gradients flow to every tensor. The header states their accuracy."
}
