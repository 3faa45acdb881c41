/*
 * Numbers in columns, by the rules of NumPy 2.2 (numpy/_core/arrayprint.py, FloatingFormat and its
 * neighbours): the shortest digits that tell a number from its neighbours, cut at the precision; one
 * choice for the whole array between 12.5 and 1.25e+01; points under points.
 */
#include "array/number_format.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "array/decimal.h"

/* Beyond these ratios and sizes all numbers are written with exponents. */
static const double LARGEST = 1e8, LEAST = 1e-4, MOST_RATIO = 1000;
/* The same for single numbers. */
static const double SCALAR_LARGEST = 1e16;

/* One number in pieces, before they are put into columns. */
struct pieces {
    char before[DECIMAL_MOST + 320]; /* sign and digits before the point */
    char after[DECIMAL_MOST + 320];
    int exponent; /* of ten */
};

static double part(struct element e, bool imaginary) {
    return (double)(imaginary ? cimagl(e.z) : creall(e.z));
}

/* As the dtype itself would compute it: 0.0001 in f32 is not less than 0.0001. */
static double in_dtype(ty_dtype dtype, double x) {
    if (dtype == TY_F16) return f16_to_f32(f64_to_f16(x));
    return dtype == TY_F64 ? x : (double)(float)x;
}

static bool needs_exponents(ty_dtype dtype, int64_t n, const struct element *shown, bool imaginary) {
    double largest = 0, least = INFINITY;
    for (int64_t i = 0; i < n; i++) {
        double x = fabs(part(shown[i], imaginary));
        if (!isfinite(x) || x == 0) continue;
        if (x > largest) largest = x;
        if (x < least) least = x;
    }
    if (largest == 0) return false;
    return largest >= in_dtype(dtype, LARGEST) || least < in_dtype(dtype, LEAST) ||
           in_dtype(dtype, largest / least) > MOST_RATIO;
}

/* Adds digit number `place` of d (0 is the one with weight 1), zero outside. */
static char digit_at(const struct decimal *d, int place) {
    int i = d->exponent - place;
    return i >= 0 && i < d->count ? d->digits[i] : '0';
}

/* Digits of d into pieces: with an exponent of its own or without; at least `least` after the point. */
static void split(struct pieces *p, struct decimal d, bool scientific, bool plus, int least) {
    p->exponent = d.exponent;
    if (scientific) d.exponent = 0;
    char *out = p->before;
    if (d.negative || plus) *out++ = d.negative ? '-' : '+';
    for (int place = d.exponent > 0 ? d.exponent : 0; place >= 0; place--) *out++ = digit_at(&d, place);
    *out = 0;
    int after = d.count - 1 - d.exponent;
    if (after < least) after = least;
    out = p->after;
    for (int place = -1; place >= -after; place--) *out++ = digit_at(&d, place);
    *out = 0;
}

static struct pieces write_real(const struct real_format *f, double x, int least) {
    struct pieces p;
    split(&p, decimal_unique(f->dtype, x, least, f->precision, !f->scientific), f->scientific, f->plus,
          least);
    return p;
}

static int exponent_digits(int exponent) { return exponent > 99 || exponent < -99 ? 3 : 2; }
static void widen(int *width, size_t n) {
    if (*width < (int)n) *width = (int)n;
}

/* Columns for nan and inf, which stand at the right end of the field. */
static void fit_special(struct real_format *f, bool special, bool minus_infinity) {
    if (!special) return;
    int longest = minus_infinity || f->plus ? 4 : 3;
    if (f->left < longest - (f->right + 1)) f->left = longest - (f->right + 1);
}

static struct real_format fit_real(ty_dtype dtype, int64_t n, const struct element *shown, bool imaginary,
                                   int precision) {
    struct real_format f = {.dtype = dtype, .precision = precision, .plus = imaginary};
    f.scientific = needs_exponents(dtype, n, shown, imaginary);
    int after = 0;
    bool special = false, minus_infinity = false;
    for (int64_t i = 0; i < n; i++) {
        double x = part(shown[i], imaginary);
        if (!isfinite(x)) {
            special = true;
            minus_infinity |= x == -INFINITY;
            continue;
        }
        struct pieces p = write_real(&f, x, 0);
        widen(&f.left, strlen(p.before));
        widen(&after, strlen(p.after));
        widen(&f.exponent, (size_t)exponent_digits(p.exponent));
    }
    if (f.scientific) f.precision = after;
    f.right = f.scientific ? after + 2 + f.exponent : after;
    fit_special(&f, special, minus_infinity);
    return f;
}

static void add_special(struct text *t, const struct real_format *f, double x, const char *suffix) {
    const char *sign = x < 0 ? "-" : f->plus ? "+" : "";
    const char *word = isnan(x) ? "nan" : "inf";
    text_pad(t, ' ', (size_t)(f->left + f->right + 1) - strlen(sign) - strlen(word));
    text_add(t, "%s%s%s", sign, word, suffix);
}

/* The suffix comes before the blanks at the end. */
static void add_real(struct text *t, const struct real_format *f, double x, const char *suffix) {
    if (!isfinite(x)) {
        add_special(t, f, x, suffix);
        return;
    }
    struct pieces p = write_real(f, x, f->scientific ? f->precision : 0);
    text_pad(t, ' ', (size_t)f->left - strlen(p.before));
    text_add(t, "%s.%s", p.before, p.after);
    if (f->scientific)
        text_add(t, "e%c%0*d%s", p.exponent < 0 ? '-' : '+', f->exponent, abs(p.exponent), suffix);
    else {
        text_add(t, "%s", suffix);
        text_pad(t, ' ', (size_t)f->right - strlen(p.after));
    }
}

static int integer_text(char *out, size_t capacity, ty_dtype dtype, int64_t i) {
    if (dtype_is(dtype, CLASS_UNSIGNED)) return snprintf(out, capacity, "%" PRIu64, (uint64_t)i);
    return snprintf(out, capacity, "%" PRId64, i);
}

struct number_format number_format_fit(ty_dtype dtype, int64_t n, const struct element *shown, int precision,
                                       bool padded) {
    struct number_format f = {.dtype = dtype, .padded = padded};
    char text[32];
    if (dtype_is(dtype, CLASS_INTEGER))
        for (int64_t i = 0; i < n; i++)
            widen(&f.integer_width, (size_t)integer_text(text, sizeof text, dtype, shown[i].i));
    if (dtype_is(dtype, CLASS_FLOAT | CLASS_COMPLEX))
        f.real = fit_real(dtype_table[dtype].real, n, shown, false, precision);
    if (dtype_is(dtype, CLASS_COMPLEX))
        f.imaginary = fit_real(dtype_table[dtype].real, n, shown, true, precision);
    return f;
}

static void add_whole(struct text *t, ty_dtype dtype, int64_t i, int width, bool padded) {
    char text[32];
    if (dtype_is(dtype, CLASS_BOOL)) {
        text_add(t, i ? padded ? " True" : "True" : "False");
        return;
    }
    integer_text(text, sizeof text, dtype, i);
    text_add(t, "%*s", width, text);
}

void number_format_add(struct text *t, const struct number_format *f, struct element e) {
    if (dtype_is(f->dtype, CLASS_BOOL | CLASS_INTEGER)) {
        add_whole(t, f->dtype, e.i, f->integer_width, f->padded);
        return;
    }
    add_real(t, &f->real, part(e, false), "");
    if (dtype_is(f->dtype, CLASS_COMPLEX)) add_real(t, &f->imaginary, part(e, true), "j");
}

/* "12.5", "1e-05"; `point`: whole numbers as 12.0. */
static void add_scalar_real(struct text *t, ty_dtype dtype, double x, bool plus, bool point) {
    double size = fabs(x);
    if (!isfinite(x)) {
        text_add(t, "%s%s", x < 0 ? "-" : plus ? "+" : "", isnan(x) ? "nan" : "inf");
        return;
    }
    bool scientific = size != 0 && (size >= in_dtype(dtype, SCALAR_LARGEST) || size < in_dtype(dtype, LEAST));
    struct pieces p;
    split(&p, decimal_unique(dtype, x, 0, INT16_MAX, false), scientific, plus, point && !scientific);
    text_add(t, "%s%s%s", p.before, p.after[0] ? "." : "", p.after);
    if (scientific) text_add(t, "e%c%02d", p.exponent < 0 ? '-' : '+', abs(p.exponent));
}

void number_add_scalar(struct text *t, ty_dtype dtype, struct element e) {
    if (dtype_is(dtype, CLASS_BOOL | CLASS_INTEGER)) {
        add_whole(t, dtype, e.i, 0, false);
        return;
    }
    ty_dtype real = dtype_table[dtype].real;
    double x = part(e, false), y = part(e, true);
    if (!dtype_is(dtype, CLASS_COMPLEX)) {
        add_scalar_real(t, real, x, false, true);
    } else if (x == 0 && !signbit(x)) {
        add_scalar_real(t, real, y, false, false);
        text_add(t, "j");
    } else {
        text_add(t, "(");
        add_scalar_real(t, real, x, false, false);
        add_scalar_real(t, real, y, true, false);
        text_add(t, "j)");
    }
}
