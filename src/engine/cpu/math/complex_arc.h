/*
 * Template: complex inverse circular and hyperbolic functions in f64 lanes, after T. Hull, T. Fairgrieve and P. Tang,
 * "Implementing the complex arcsine and arccosine functions using exception handling", ACM TOMS 23 (1997). With r =
 * |z + 1|, s = |z - 1|, a = (r + s)/2: asin z = atan(x / sqrt((a + x) (a - x))) + i log(a + sqrt(a^2 - 1)), where
 * a - 1 and a - x are sums of terms >= 0. Pairs keep all but the last roundings.
 */

/* asin z = atan(x / root) + i log, for x, y >= 0, in the lanes `usual`. */
struct L(arcs) {
    L(vector) root, log;
    L(mask) usual;
};
/* With first = r + 1 + x, second = s + |1 - x|, h = (1/first + 1/second)/2 and g = (y^2/first + second)/2: a - 1 = h
   y^2 and a - x = g for x < 1; else a - 1 = g and a - x = h y^2. */
ALWAYS struct L(arcs) L(arcs)(L(vector) x, L(vector) y) {
    L(vector) unit = L(splat)(1);
    L(mask) inside = x < 1;
    struct L(two) up = L(two_sum)(unit, x), down = L(two_sum)(unit, -x), square = L(two_product)(y, y);
    down = L(two_select)(inside, down, L(two_negative)(down));
    struct L(two) r = L(two_root)(L(two_add)(L(two_square)(up), square)),
                  s = L(two_root)(L(two_add)(L(two_square)(down), square));
    struct L(two) a = L(two_half)(L(two_add)(r, s)), first = L(two_add)(r, up), second = L(two_add)(s, down);
    struct L(two) both = L(two_times)(first, second);
    struct L(two) h = L(two_half)(L(two_quotient)(L(two_add)(first, second), both));
    struct L(two) g = L(two_half)(L(two_add)(L(two_quotient)(L(two_times)(square, second), both), second));
    struct L(two) root = L(two_root)(L(two_times)(L(two_add)(a, L(two_of)(x)), L(two_select)(inside, g, h)));
    struct L(two) other =
        L(two_root)(L(two_times)(L(two_add)(a, L(two_of)(unit)), L(two_select)(inside, h, g)));
    root = L(two_scale)(root, SELECT(inside, unit, y)), other = L(two_scale)(other, SELECT(inside, y, unit));
    struct L(two) t = L(two_add)(L(two_select)(inside, L(two_times)(h, square), g), other);
    return (struct L(arcs)){L(rounded)(root), L(rounded)(L(two_log1p)(t)),
                            (x < (SCALAR)0x1p60) & (y < (SCALAR)0x1p60) &
                                ((x != 1) | (y > (SCALAR)0x1p-200))};
}
COMPLEX(asinh)(struct L(complex) z) {
    struct L(arcs) arcs = L(arcs)(ABS(z.im), ABS(z.re));
    USUAL(arcs.usual, casinh, z, COPYSIGN(arcs.log, z.re), COPYSIGN(ATAN2(ABS(z.im), arcs.root), z.im));
}
COMPLEX(acos)(struct L(complex) z) {
    struct L(arcs) arcs = L(arcs)(ABS(z.re), ABS(z.im));
    USUAL(arcs.usual, cacos, z, ATAN2(arcs.root, z.re), COPYSIGN(arcs.log, -z.im));
}
COMPLEX(acosh)(struct L(complex) z) {
    struct L(arcs) arcs = L(arcs)(ABS(z.re), ABS(z.im));
    USUAL(arcs.usual, cacosh, z, arcs.log, COPYSIGN(ATAN2(arcs.root, z.re), z.im));
}
/* Return atanh z = log(1 + 4x / ((1 - x)^2 + y^2)) / 4 + i atan2(2y, 1 - x^2 - y^2) / 2, for x, y >= 0. */
COMPLEX(atanh)(struct L(complex) z) {
    L(vector) x = ABS(z.re), y = ABS(z.im), unit = L(splat)(1);
    struct L(two) gap = L(two_sum)(unit, -x), below = L(two_add)(L(two_square)(gap), L(two_product)(y, y));
    struct L(two) log = L(two_log1p)(L(two_quotient)(L(two_of)(x * 4), below));
    struct L(two) rest = L(two_add)(L(two_of)(unit), L(two_negative)(L(squares)(x, y)));
    L(mask) usual = (x < (SCALAR)0x1p60) & (y < (SCALAR)0x1p60) & (below.high > (SCALAR)0x1p-200);
    USUAL(usual, catanh, z, COPYSIGN(L(rounded)(log) * (SCALAR)0.25, z.re),
          COPYSIGN(ATAN2(y + y, L(rounded)(rest)) * (SCALAR)0.5, z.im));
}
EXCHANGED(asin, asinh)
EXCHANGED(atan, atanh)
