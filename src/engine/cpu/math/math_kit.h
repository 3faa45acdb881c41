/*
 * Template: building blocks of the f32 and f64 vector mathematics: exact sums and products, scaling by powers of two,
 * tables of 16 entries, polynomials. Parameters: those of math_float.h.
 *
 * Error-free transformations: T. Dekker, "A floating-point technique for extending the available precision" (1971),
 * sections 3 to 5. Operations that are to be rounded once, by an instruction if there is one, use madd. Compilers
 * contract nothing else (CMakeLists.txt), so all make the same bits.
 */
/* Return a * b, a product whose rounding error is computed later. */
ALWAYS L(vector) L(product)(L(vector) a, L(vector) b) { return a * b; }

/* LIMIT: a constant of bench/support/fit.py for the lane type. CONSTANTS: an array of them. */
#define LIMIT(name) JOIN(name##_, NUMBER_OF_LANE)
#define CONSTANTS(variable, name) TABLE variable[] ALIGNED_TABLE = {LIMIT(name)}

/* Return a * b + c, rounded once if there is an instruction for it, else twice. */
ALWAYS L(vector) L(madd)(L(vector) a, L(vector) b, L(vector) c) { return MADD(a, b, c); }
/* Return a * b + c for a constant b, rounded once if there is an instruction for it. */
ALWAYS L(vector) L(madd_by)(L(vector) a, SCALAR b, L(vector) c) { return L(madd)(a, L(splat)(b), c); }
/* Return a * b - p exactly; p must be the rounded product, and nothing may overflow. */
ALWAYS L(vector) L(product_rest)(L(vector) a, L(vector) b, L(vector) p) {
#if HAS_FMA
    return L(madd)(a, b, -p);
#else
    enum { SHIFT = (LIMIT(DIGITS) + 1) / 2 };
    L(bits) top = ALL_BITS << SHIFT, middle = (NO_BITS + 1) << (SHIFT - 1);
    L(vector) high_a = AS_VECTOR((AS_BITS(a) + middle) & top), low_a = a - high_a;
    L(vector) high_b = AS_VECTOR((AS_BITS(b) + middle) & top), low_b = b - high_b;
    return ((high_a * high_b - p) + high_a * low_b + low_a * high_b) + low_a * low_b;
#endif
}
/* Return a * b + c; without FMA the product's rounding error is kept, the sum's is not. */
ALWAYS L(vector) L(fused)(L(vector) a, L(vector) b, L(vector) c) {
#if HAS_FMA
    return L(madd)(a, b, c);
#else
    L(vector) p = a * b;
    return (p + c) + L(product_rest)(a, b, p);
#endif
}
/* Return the rounding error of s = a + b, exactly; |a| >= |b| or a is 0. */
ALWAYS L(vector) L(sum_rest)(L(vector) a, L(vector) b, L(vector) s) { return (a - s) + b; }
/* Return the rounding error of s = a + b, exactly, for any a and b. */
ALWAYS L(vector) L(sum_rest_any)(L(vector) a, L(vector) b, L(vector) s) {
    L(vector) part = s - a;
    return (a - (s - part)) + (b - part);
}

/* Return the greater operand; b if either is NaN. */
ALWAYS L(vector) L(larger)(L(vector) a, L(vector) b) {
#ifdef NATIVE
    return (L(vector))NATIVE(max)((NATIVE_TYPE)a, (NATIVE_TYPE)b);
#else
    return SELECT(a > b, a, b);
#endif
}
/* Return the lesser operand; b if either is NaN. */
ALWAYS L(vector) L(smaller)(L(vector) a, L(vector) b) {
#ifdef NATIVE
    return (L(vector))NATIVE(min)((NATIVE_TYPE)a, (NATIVE_TYPE)b);
#else
    return SELECT(a < b, a, b);
#endif
}
ALWAYS L(vector) L(between)(SCALAR low, SCALAR high, L(vector) x) {
    return L(larger)(L(splat)(low), L(smaller)(L(splat)(high), x));
}

/* Return the integer nearest to x, |x| < 2^(DIGITS - 2). *bits receives its low bits; the bits above them are
   undefined. */
ALWAYS L(vector) L(nearest)(L(vector) x, L(bits) * bits) {
    L(vector) shifted = x + (SCALAR)(1.5 * WHOLE);
    *bits = AS_BITS(shifted);
    return shifted - (SCALAR)(1.5 * WHOLE);
}
/* Return the multiple of 1/parts nearest to x; `parts` is a power of two. *bits receives the low bits of its count of
   parts; the bits above them are undefined. */
ALWAYS L(vector) L(nearest_part)(L(vector) x, int parts, L(bits) * bits) {
    L(vector) shifted = x + (SCALAR)(1.5 * WHOLE) / (SCALAR)parts;
    *bits = AS_BITS(shifted);
    return shifted - (SCALAR)(1.5 * WHOLE) / (SCALAR)parts;
}

/* Return table[index % 16] in each lane. */
ALWAYS L(vector) L(lookup)(ENTRIES table, L(bits) index) {
#if defined(ONE_LANE)
    return LANE_0(table[AT(index, 0) & 15]);
#elif defined(LOOKUP)
    return LOOKUP(table, index);
#elif VECTOR_BYTES == 64 && LANE_BITS == 32
    return (L(vector))_mm512_permutexvar_ps((__m512i)index, *(const __m512 *)table);
#elif VECTOR_BYTES == 64
    const __m512d *half = (const __m512d *)table;
    return (L(vector))_mm512_permutex2var_pd(half[0], (__m512i)index, half[1]);
#elif VECTOR_BYTES == 32 && LANE_BITS == 32
    const __m256 *half = (const __m256 *)table;
    __m256 low = _mm256_permutevar8x32_ps(half[0], (__m256i)index);
    __m256 high = _mm256_permutevar8x32_ps(half[1], (__m256i)index);
    return (L(vector))_mm256_blendv_ps(low, high, (__m256)(index << 28));
#elif VECTOR_BYTES == 32 && defined(NATIVE)
    /* permutes of words: gathers are slower for functions with more than two look-ups */
    const __m256 *part = (const __m256 *)table;
    __m256i word = _mm256_shuffle_epi32((__m256i)(index << 1), 0xa0) + (__m256i)((L(bits)){0} + (1ull << 32));
    __m256d two[2];
    for (int k = 0; k < 2; k++) {
        __m256 low = _mm256_permutevar8x32_ps(part[2 * k], word),
               high = _mm256_permutevar8x32_ps(part[2 * k + 1], word);
        two[k] = _mm256_blendv_pd((__m256d)low, (__m256d)high, (__m256d)(index << 61));
    }
    return (L(vector))_mm256_blendv_pd(two[0], two[1], (__m256d)(index << 60));
#else
    L(vector) y = L(splat)(0);
    EACH_LANE(i) y[i] = table[index[i] & 15];
    return y;
#endif
}

#if LANE_BITS == 64
/* Return table[index % 4] in each lane. */
ALWAYS L(vector) L(lookup_4)(ENTRIES table, L(bits) index) {
#if defined(ONE_LANE)
    return LANE_0(table[AT(index, 0) & 3]);
#elif defined(LOOKUP_4)
    return LOOKUP_4(table, index);
#elif VECTOR_BYTES == 64
    __m512d twice = _mm512_broadcast_f64x4(*(const __m256d *)table);
    return (L(vector))_mm512_permutexvar_pd((__m512i)index, twice);
#elif VECTOR_BYTES == 32
    __m256i word = _mm256_shuffle_epi32((__m256i)(index << 1), 0xa0) + (__m256i)((L(bits)){0} + (1ull << 32));
    return (L(vector))_mm256_permutevar8x32_ps(*(const __m256 *)table, word);
#else
    L(vector) y = L(splat)(0);
    EACH_LANE(i) y[i] = table[index[i] & 3];
    return y;
#endif
}
#endif

/* Return y * 2^floor(n), |n| < 2 BIAS, also if it overflows or becomes subnormal. */
ALWAYS L(vector) L(scale)(L(vector) y, L(vector) n) {
#if VECTOR_BYTES == 64
    return (L(vector))NATIVE(scalef)((NATIVE_TYPE)y, (NATIVE_TYPE)n);
#else
    L(bits) first, second;
    L(vector) whole = FLOOR(n), middle = L(nearest)(whole * (SCALAR)0.5, &first);
    L(nearest)(whole - middle, &second);
    y *= AS_VECTOR((first + LIMIT(BIAS)) << (LIMIT(DIGITS) - 1));
    return y * AS_VECTOR((second + LIMIT(BIAS)) << (LIMIT(DIGITS) - 1));
#endif
}
/* Return y * 2^floor(n) for a multiple n of 1/parts, 4 or 16, whose count of parts has the low bits `bits`; also if it
   overflows or becomes subnormal. */
ALWAYS L(vector) L(scale_part)(L(vector) y, L(vector) n, int parts, L(bits) bits) {
#if VECTOR_BYTES == 64
    (void)bits, (void)parts;
    return L(scale)(y, n);
#else
    (void)n;
    L(bits) both = (bits + 2 * (unsigned)parts * LIMIT(BIAS)) >> (parts == 16 ? 4 : 2), first = both >> 1;
    y *= AS_VECTOR(first << (LIMIT(DIGITS) - 1));
    return y * AS_VECTOR((both - first) << (LIMIT(DIGITS) - 1));
#endif
}
/* Return (a + low_a) / (b + low_b), quotient of two sums of high and low parts, with error term *low. */
ALWAYS L(vector)
    L(quotient_parts)(L(vector) a, L(vector) low_a, L(vector) b, L(vector) low_b, L(vector) * low) {
    L(vector) inverse = 1 / b, q = L(product)(a, inverse);
    *low = L(madd)(-q, low_b, low_a - L(product_rest)(q, b, a)) * inverse;
    return q;
}
ALWAYS L(vector) L(quotient)(L(vector) a, L(vector) low_a, L(vector) b, L(vector) low_b) {
    L(vector) low, q = L(quotient_parts)(a, low_a, b, low_b, &low);
    return q + low;
}

/* Return the square root of x + rest with error term *low; x >= 0, |rest| below a unit of x. Iterations
   from rsqrt14 are slower on Zen 4, and other instruction sets lack it. */
ALWAYS L(vector) L(root)(L(vector) x, L(vector) rest, L(vector) * low) {
    L(vector) root = SQRT(x), twice = (SCALAR)0.5 / L(larger)(L(splat)(LIMIT(SMALLEST)), root);
    *low = (rest - L(product_rest)(root, root, x)) * twice;
    return root;
}

/* Return c[0] + c[step] x + c[2 step] x^2 + ..., the entries below c[n]. Long polynomials sum odd and even terms
   apart (step 2), which halves the chain. */
ALWAYS L(vector) L(horner)(L(vector) x, ENTRIES c, int n, int step) {
    int k = (n - 1) / step * step;
    L(vector) y = L(splat)(c[k]);
    UNROLLED while ((k -= step) >= 0) y = L(madd)(y, x, L(splat)(c[k]));
    return y;
}
ALWAYS L(vector) L(polynomial)(L(vector) x, ENTRIES c, int n) {
    if (n < 6) return L(horner)(x, c, n, 1);
    L(vector) square = x * x;
    return L(madd)(L(horner)(square, c + 1, n - 1, 2), x, L(horner)(square, c, n, 2));
}
#define POLYNOMIAL(x, c) L(polynomial)(x, c, (int)(sizeof c / sizeof *c))
