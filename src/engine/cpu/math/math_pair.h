/*
 * Template: pairs high + low of f64 vectors, for sums that may cancel and products of two functions. Parameters: those
 * of math_float.h, with multiply-adds that are rounded once. Exact sums and products are those of math_kit.h; others
 * are accurate to a few units of 2^-100, and their parts may overlap by a few bits.
 */
struct L(two) {
    L(vector) high, low;
};
ALWAYS struct L(two) L(two_of)(L(vector) x) { return (struct L(two)){x, L(splat)(0)}; }
/* Return a + b exactly. */
ALWAYS struct L(two) L(two_sum)(L(vector) a, L(vector) b) {
    L(vector) sum = a + b;
    return (struct L(two)){sum, L(sum_rest_any)(a, b, sum)};
}
/* Return a * b exactly, barring underflow. */
ALWAYS struct L(two) L(two_product)(L(vector) a, L(vector) b) {
    L(vector) p = L(product)(a, b);
    return (struct L(two)){p, L(product_rest)(a, b, p)};
}
ALWAYS struct L(two) L(two_add)(struct L(two) a, struct L(two) b) {
    struct L(two) sum = L(two_sum)(a.high, b.high);
    sum.low += a.low + b.low;
    return sum;
}
/* Return a with a low part of at most half a unit of high, for |high| >= |low|. */
ALWAYS struct L(two) L(two_short)(struct L(two) a) {
    L(vector) sum = a.high + a.low;
    return (struct L(two)){sum, L(sum_rest)(a.high, a.low, sum)};
}
ALWAYS struct L(two) L(two_negative)(struct L(two) a) { return (struct L(two)){-a.high, -a.low}; }
ALWAYS struct L(two) L(two_half)(struct L(two) a) {
    return (struct L(two)){a.high * (SCALAR)0.5, a.low * (SCALAR)0.5};
}
ALWAYS struct L(two) L(two_times)(struct L(two) a, struct L(two) b) {
    struct L(two) p = L(two_product)(a.high, b.high);
    p.low += L(madd)(a.high, b.low, a.low * b.high);
    return p;
}
ALWAYS struct L(two) L(two_scale)(struct L(two) a, L(vector) by) {
    struct L(two) p = L(two_product)(a.high, by);
    p.low = L(madd)(a.low, by, p.low);
    return p;
}
ALWAYS struct L(two) L(two_square)(struct L(two) a) { return L(two_times)(a, a); }
/* Return a / b, b not 0. */
ALWAYS struct L(two) L(two_quotient)(struct L(two) a, struct L(two) b) {
    struct L(two) y;
    y.high = L(quotient_parts)(a.high, a.low, b.high, b.low, &y.low);
    return y;
}
/* Return the root of a >= 0. */
ALWAYS struct L(two) L(two_root)(struct L(two) a) {
    L(vector) root = SQRT(a.high), twice = (SCALAR)0.5 / L(larger)(L(splat)(LIMIT(SMALLEST)), root);
    return (struct L(two)){root, (a.low - L(product_rest)(root, root, a.high)) * twice};
}
ALWAYS struct L(two) L(two_select)(L(mask) m, struct L(two) a, struct L(two) b) {
    return (struct L(two)){SELECT(m, a.high, b.high), SELECT(m, a.low, b.low)};
}
ALWAYS L(vector) L(rounded)(struct L(two) a) { return a.high + a.low; }
/* Return x^2 + y^2: the sum of four products is exact but for its last bits, also if 1 is subtracted. */
ALWAYS struct L(two) L(squares)(L(vector) x, L(vector) y) {
    struct L(two) p = L(two_product)(x, x), q = L(two_product)(y, y);
    struct L(two) high = L(two_sum)(p.high, q.high), low = L(two_sum)(p.low, q.low);
    struct L(two) middle = L(two_sum)(high.low, low.high), sum = L(two_sum)(high.high, middle.high);
    sum.low += middle.low + low.low;
    return sum;
}
/* Return log(x), x > 0 a pair of which low is at most a unit of high. */
ALWAYS struct L(two) L(two_log)(struct L(two) x) {
    struct L(two) y;
    y.high = L(log_of_sum_parts)(x.high, x.low, L(splat)(-(SCALAR)0), &y.low);
    return y;
}
/* Return log(1 + t), for t >= 0 or a small t. */
ALWAYS struct L(two) L(two_log1p)(struct L(two) t) {
    struct L(two) sum = L(two_sum)(L(splat)(1), t.high);
    sum.low += t.low;
    return L(two_log)(sum);
}
