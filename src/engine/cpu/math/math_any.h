/*
 * Template: what all real lane types have, integers and floating-point numbers. Parameters: those of math_vector.h.
 */
ALWAYS L(vector) L(splat)(SCALAR c) { return ZERO + c; }
ALWAYS L(vector) L(times)(L(vector) a, L(vector) b) { return (L(vector))(WRAPPING(a) * WRAPPING(b)); }
ALWAYS L(vector) L(plus)(L(vector) a, L(vector) b) { return (L(vector))(WRAPPING(a) + WRAPPING(b)); }
ALWAYS L(vector) L(minus)(L(vector) a, L(vector) b) { return (L(vector))(WRAPPING(a) - WRAPPING(b)); }
ALWAYS L(vector) L(neg)(L(vector) x) { return (L(vector))(-WRAPPING(x)); }
ALWAYS L(mask) L(same)(L(vector) a, L(vector) b) { return a == b; }
ALWAYS L(mask) L(differ)(L(vector) a, L(vector) b) { return a != b; }
ALWAYS L(mask) L(less)(L(vector) a, L(vector) b) { return a < b; }
ALWAYS L(mask) L(lessequal)(L(vector) a, L(vector) b) { return a <= b; }
ALWAYS L(vector) L(conj)(L(vector) x) { return x; }
ALWAYS L(vector) L(realpart)(L(vector) x) { return x; }
ALWAYS L(vector) L(imagpart)(L(vector) x) {
    (void)x;
    return ZERO;
}
/* Return min(max(a, b), c); NaN of any operand wins. */
ALWAYS L(vector) L(clip)(L(vector) a, L(vector) b, L(vector) c) {
    a = SELECT((a > b) | (a != a), a, b);
    return SELECT((a < c) | (a != a), a, c);
}
