/*
 * Template: functions related to the error function. Inverses are Chebyshev series: x P(x^2) in the middle, r P(r)
 * with r = sqrt(-log q) in the tails (the variable of Blair, Edwards and Johnson, Mathematics of Computation 30,
 * 1976). erfcx is a series in (x - 3) / (x + 3) (Shepherd and Laframboise, Mathematics of Computation 36, 1981). The
 * normal distribution uses it, since only then the square in the exponent can be exact.
 */

#define HALF_ROOT R(0.707106781186547524400844362105) /* sqrt(1/2) */

/* Return exp(scale x^2) with the square in two parts; |scale| is a power of two. */
static REAL exp_square(REAL x, REAL scale) {
    REAL square = x * x, rest = fma(x, x, -square);
    REAL y = exp(scale * square);
    return isfinite(square) && y > 0 && isfinite(y) ? y + y * (scale * rest) : y;
}

/* Return erfcinv(q), x with erfc(x) = q, for 0 <= q <= 1/2. */
static REAL erfcinv_tail(REAL q) {
    if (q == 0) return INFINITY;
    REAL r = sqrt(-log(q));
    if (r < 2) return r * SERIES(erfcinv_0, R(0.83), 2, r);
    if (r < 4) return r * SERIES(erfcinv_1, 2, 4, r);
    return r * (r < 9 ? SERIES(erfcinv_2, 4, 9, r) : SERIES(erfcinv_3, 9, 28, r));
}

REAL F(erfinv)(REAL x) {
    REAL size = fabs(x);
    if (!(size <= 1)) return NAN;
    if (size <= 0.5) return x * SERIES(erfinv_0_half, 0, 0.25, x * x);
    return copysign(erfcinv_tail(1 - size), x);
}

REAL F(erfcinv)(REAL x) {
    if (!(x >= 0 && x <= 2)) return NAN;
    if (x < 0.5) return erfcinv_tail(x);
    return x <= 1.5 ? F(erfinv)(1 - x) : -erfcinv_tail(2 - x);
}

/* Chebyshev series of erfcx on intervals of equal length. */
struct erfcx_piece {
    int n;
    CONSTANT_SPACE REAL *c;
};
#define PIECE(c)                                                                                             \
    { LENGTH(c), c }
STORED_CONSTANT struct erfcx_piece erfcx_pieces[] = {PIECE(erfcx_0), PIECE(erfcx_1), PIECE(erfcx_2),
                                                     PIECE(erfcx_3), PIECE(erfcx_4), PIECE(erfcx_5),
                                                     PIECE(erfcx_6), PIECE(erfcx_7)};
#undef PIECE
/* Return erfcx(x) = exp(x^2) erfc(x) for x >= 0, by a table of Chebyshev series. */
static REAL erfcx_positive(REAL x) {
    if (x > 1e10) return 1 / ROOT_PI / x;
    REAL t = (x - 3) / (x + 3);
    int k = (int)((t + 1) * 4);
    if (k > 7) k = 7;
    REAL low = k * 0.25 - 1;
    return chebyshev(erfcx_pieces[k].n, erfcx_pieces[k].c, low, low + 0.25, t) / (1 + 2 * x);
}

REAL F(erfcx)(REAL x) {
    if (x >= 0 || isnan(x)) return isnan(x) ? x : erfcx_positive(x);
    return x < -27 ? INFINITY : 2 * exp_square(x, 1) - erfcx_positive(-x);
}

REAL F(ndtr)(REAL x) {
    if (x >= 0) return 1 - 0.5 * erfc(x * HALF_ROOT);
    if (x > -1) return 0.5 * erfc(-x * HALF_ROOT);
    return isnan(x) ? x : 0.5 * exp_square(x, -0.5) * erfcx_positive(-x * HALF_ROOT);
}

REAL F(log_ndtr)(REAL x) {
    if (isnan(x)) return x;
    if (x < -1) return log(0.5 * erfcx_positive(-x * HALF_ROOT)) - 0.5 * x * x;
    return x > 1 ? log1p(-F(ndtr)(-x)) : log(F(ndtr)(x));
}

REAL F(ndtri)(REAL p) { return -F(erfcinv)(2 * p) * R(1.41421356237309504880168872421); }

REAL F(dawson)(REAL x) {
    REAL size = fabs(x), y;
    if (size < 1) return x * SERIES(dawson_0_1, 0, 1, x * x);
    if (size < 2)
        y = SERIES(dawson_1_2, 1, 2, size);
    else if (size < 4)
        y = SERIES(dawson_2_4, 2, 4, size);
    else if (size < 7)
        y = SERIES(dawson_4_7, 4, 7, size);
    else
        y = SERIES(dawson_7, 0, R(1.0) / 49, 1 / size / size) / size / 2; /* includes NaN */
    return copysign(y, x);
}

/* Return x minus the nearest multiple of 2, exactly; the result is at most 1 in size. */
static REAL beyond_turns(REAL x) { return x - 2 * rint(x / 2); }

REAL F(sinpi)(REAL x) {
    REAL turn = beyond_turns(x), r = fabs(turn);
    REAL y = r > 0.75 ? sin(PI * (1 - r)) : r > 0.25 ? cos(PI * (0.5 - r)) : sin(PI * r);
    return y == 0 ? copysign(0, x) : copysign(y, turn);
}

REAL F(cospi)(REAL x) {
    REAL r = fabs(beyond_turns(x));
    return r > 0.75 ? -cos(PI * (1 - r)) : r > 0.25 ? sin(PI * (0.5 - r)) : cos(PI * r);
}
