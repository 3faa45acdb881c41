/* Numbers in columns by the rules of NumPy 2.2 (numpy/_core/arrayprint.py, FloatingFormat and others).  Each
   number is written with the shortest digits that read back, cut at the precision.  The whole array is either
   positional (12.5) or scientific (1.25e+01), with aligned decimal points. */
#include "array/number_format.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "array/decimal.h"

/* An array is written with exponents beyond these sizes and this ratio of largest to least. */
static const double LARGEST = 1e8, LEAST = 1e-4, MOST_RATIO = 1000;
/* Size from which a single number is written with an exponent. */
static const double SCALAR_LARGEST = 1e16;

/* One number in pieces, before it is put into columns. */
struct number_pieces {
    char before[DECIMAL_MOST + 320]; /* sign and digits before the point */
    char after[DECIMAL_MOST + 320];
    int exponent; /* decimal exponent */
};

static double part(struct element e, bool imaginary) {
    return (double)(imaginary ? cimagl(e.z) : creall(e.z));
}

/* Return x rounded to the real floating dtype (bf16: to f32), so that 0.0001 in f32 is not less than 0.0001. */
static double in_dtype(ty_dtype dtype, double x) {
    if (dtype == TY_F16) return f16_to_f32(f64_to_f16(x));
    return dtype == TY_F64 ? x : (double)(float)x;
}

/* True if the n elements shown[] print better in scientific form: one is too large or small, or their ratio too
   large. `imaginary` selects the part of complex ones; `suppress` ignores smallness. */
static bool needs_exponents(ty_dtype dtype, int64_t n, const struct element *shown, bool imaginary,
                            bool suppress) {
    double largest = 0, least = INFINITY;
    for (int64_t i = 0; i < n; i++) {
        double x = fabs(part(shown[i], imaginary));
        if (!isfinite(x) || x == 0) continue;
        if (x > largest) largest = x;
        if (x < least) least = x;
    }
    if (largest == 0) return false;
    return largest >= in_dtype(dtype, LARGEST) ||
           (!suppress && (least < in_dtype(dtype, LEAST) || in_dtype(dtype, largest / least) > MOST_RATIO));
}

/* Return the digit of d with weight 10^place if its first digit has weight 10^exponent; '0' outside of its
   digits. */
static char digit_at(const struct decimal *d, int exponent, int place) {
    int i = exponent - place;
    return i >= 0 && i < d->count ? d->digits[i] : '0';
}

/* Split d into the digits before and after the point and the exponent. `plus` writes a '+' before positive
   numbers. Positional unless `scientific`; at least `least` digits follow the point. */
static void split(struct number_pieces *p, const struct decimal *d, bool scientific, bool plus, int least) {
    p->exponent = d->exponent;
    int exponent = scientific ? 0 : d->exponent;
    char *out = p->before;
    if (d->negative || plus) *out++ = d->negative ? '-' : '+';
    for (int place = exponent > 0 ? exponent : 0; place >= 0; place--) *out++ = digit_at(d, exponent, place);
    *out = 0;
    int after = d->count - 1 - exponent;
    if (after < least) after = least;
    out = p->after;
    for (int place = -1; place >= -after; place--) *out++ = digit_at(d, exponent, place);
    *out = 0;
}

/* Write finite x to *p with as many digits as the format's precision allows and at least `least` behind the point. */
static void write_real(struct number_pieces *p, const struct real_format *f, double x, int least) {
    struct decimal d;
    decimal_unique(&d, f->dtype, x, least, f->precision, !f->scientific);
    split(p, &d, f->scientific, f->sign == '+', least);
}

static int exponent_digits(int exponent) { return exponent > 99 || exponent < -99 ? 3 : 2; }
static void widen(int *width, size_t n) {
    if (*width < (int)n) *width = (int)n;
}

/* Properties of the numbers shown: NaN or infinity among them, -infinity, negative ones. */
struct survey {
    bool special, minus_infinity, negative;
};

/* Widen the column f->left so that "nan" and "inf" fit if they were seen, and by one blank if f->sign is ' '
   and no number is negative. */
static void fit_special(struct real_format *f, struct survey seen) {
    if (f->sign == ' ' && !seen.negative) f->left++;
    if (!seen.special) return;
    int infinity = (int)strlen(f->inf_text) + (seen.minus_infinity || f->sign != '-'),
        nan = (int)strlen(f->nan_text), longest = nan > infinity ? nan : infinity;
    if (f->left < longest - (f->right + 1)) f->left = longest - (f->right + 1);
}

/* Return the format of real numbers of `dtype` under the options *o, with column widths still 0. `imaginary`:
   for imaginary parts, which always have a sign. */
static struct real_format start_real(ty_dtype dtype, bool imaginary, const ty_print_options *o) {
    struct real_format f = {.dtype = dtype, .nan_text = o->nan_text, .inf_text = o->inf_text};
    f.sign = imaginary ? '+' : o->sign;
    f.precision = o->mode == TY_UNIQUE ? INT16_MAX : o->precision;
    return f;
}

/* Return the column format of the real parts of the n elements shown[], or with `imaginary` of the imaginary
   ones, under options *o. It is wide enough for all of them. */
static struct real_format fit_real(ty_dtype dtype, int64_t n, const struct element *shown, bool imaginary,
                                   const ty_print_options *o) {
    struct real_format f = start_real(dtype, imaginary, o);
    struct survey seen = {0};
    int after = 0;
    f.scientific = needs_exponents(dtype, n, shown, imaginary, o->suppress);
    if (o->mode == TY_FIXED) f.least = f.precision;
    for (int64_t i = 0; i < n; i++) {
        double x = part(shown[i], imaginary);
        seen.special |= !isfinite(x);
        seen.minus_infinity |= x == -INFINITY;
        if (!isfinite(x)) continue;
        seen.negative |= signbit(x) != 0;
        struct number_pieces p;
        write_real(&p, &f, x, f.least);
        widen(&f.left, strlen(p.before));
        widen(&after, strlen(p.after));
        widen(&f.exponent, (size_t)exponent_digits(p.exponent));
    }
    if (f.scientific || o->mode == TY_FIXED || o->mode == TY_MAXPREC_EQUAL) f.precision = f.least = after;
    f.right = f.scientific ? after + 2 + f.exponent : after;
    fit_special(&f, seen);
    return f;
}

static void pad_to(struct text *t, int width, size_t n) {
    if (width > (int)n) text_pad(t, ' ', (size_t)width - n);
}

static void add_special(struct text *t, const struct real_format *f, double x, const char *suffix) {
    const char *sign = x < 0 ? "-" : f->sign == '+' ? "+" : "", *word = isnan(x) ? f->nan_text : f->inf_text;
    pad_to(t, f->left + f->right + 1, strlen(sign) + strlen(word));
    text_add(t, "%s%s%s", sign, word, suffix);
}

/* Append x, padded on both sides of its point to the columns of f. `suffix` follows the digits, before
   trailing blanks. */
static void add_real(struct text *t, const struct real_format *f, double x, const char *suffix) {
    if (!isfinite(x)) {
        add_special(t, f, x, suffix);
        return;
    }
    struct number_pieces p;
    write_real(&p, f, x, f->least);
    pad_to(t, f->left, strlen(p.before));
    text_add(t, "%s.%s", p.before, p.after);
    if (f->scientific)
        text_add(t, "e%c%0*d%s", p.exponent < 0 ? '-' : '+', f->exponent, abs(p.exponent), suffix);
    else {
        text_add(t, "%s", suffix);
        pad_to(t, f->right, strlen(p.after));
    }
}

static int integer_text(char *out, size_t capacity, ty_dtype dtype, char sign, int64_t i) {
    const char *mark = sign != '+' && sign != ' ' ? "" : sign == '+' ? "+" : " ";
    if (dtype_is(dtype, CLASS_UNSIGNED)) return snprintf(out, capacity, "%s%" PRIu64, mark, (uint64_t)i);
    return snprintf(out, capacity, "%s%" PRId64, i < 0 ? "" : mark, i);
}

/* Choose sign and width of the column *f for the n integers shown[]. `sign` ' ' leaves a blank for the sign,
   unless a negative number makes room for it. */
static void fit_integers(struct number_format *f, int64_t n, const struct element *shown, char sign) {
    char text[32];
    f->sign = sign;
    for (int64_t i = 0; sign == ' ' && i < n; i++)
        if (dtype_is(f->dtype, CLASS_SIGNED) && shown[i].i < 0) f->sign = '-';
    for (int64_t i = 0; i < n; i++)
        widen(&f->integer_width, (size_t)integer_text(text, sizeof text, f->dtype, f->sign, shown[i].i));
}

struct number_format number_format_fit(ty_dtype dtype, int64_t n, const struct element *shown,
                                       const ty_print_options *o, bool padded) {
    struct number_format f = {.dtype = dtype, .padded = padded};
    if (dtype_is(dtype, CLASS_INTEGER)) fit_integers(&f, n, shown, o->sign);
    if (dtype_is(dtype, CLASS_FLOAT | CLASS_COMPLEX))
        f.real = fit_real(dtype_table[dtype].real, n, shown, false, o);
    if (dtype_is(dtype, CLASS_COMPLEX)) f.imaginary = fit_real(dtype_table[dtype].real, n, shown, true, o);
    return f;
}

/* Append an integer or bool, padded to the column's width. */
static void add_whole(struct text *t, const struct number_format *f, int64_t i) {
    char text[32];
    if (dtype_is(f->dtype, CLASS_BOOL)) {
        text_add(t, i ? f->padded ? " True" : "True" : "False");
        return;
    }
    integer_text(text, sizeof text, f->dtype, f->sign, i);
    text_add(t, "%*s", f->integer_width, text);
}

void number_format_add(struct text *t, const struct number_format *f, struct element e) {
    if (dtype_is(f->dtype, CLASS_BOOL | CLASS_INTEGER)) {
        add_whole(t, f, e.i);
        return;
    }
    add_real(t, &f->real, part(e, false), "");
    if (dtype_is(f->dtype, CLASS_COMPLEX)) add_real(t, &f->imaginary, part(e, true), "j");
}

/* Append a number such as "12.5" or "1e-05". `plus` writes a '+' before positive numbers, `point` writes
   integers as 12.0. */
static void add_scalar_real(struct text *t, ty_dtype dtype, double x, bool plus, bool point) {
    double size = fabs(x);
    if (!isfinite(x)) {
        text_add(t, "%s%s", x < 0 ? "-" : plus ? "+" : "", isnan(x) ? "nan" : "inf");
        return;
    }
    bool scientific = size != 0 && (size >= in_dtype(dtype, SCALAR_LARGEST) || size < in_dtype(dtype, LEAST));
    struct number_pieces p;
    struct decimal d;
    decimal_unique(&d, dtype, x, 0, INT16_MAX, false);
    split(&p, &d, scientific, plus, point && !scientific);
    text_add_bytes(t, p.before, strlen(p.before));
    text_add_bytes(t, ".", p.after[0] != 0);
    text_add_bytes(t, p.after, strlen(p.after));
    if (scientific) text_add(t, "e%c%02d", p.exponent < 0 ? '-' : '+', abs(p.exponent));
}

void number_add_scalar(struct text *t, ty_dtype dtype, struct element e) {
    if (dtype_is(dtype, CLASS_BOOL | CLASS_INTEGER)) {
        add_whole(t, &(struct number_format){.dtype = dtype, .sign = '-'}, e.i);
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
