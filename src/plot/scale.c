#include "plot/scale.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/math/scalar.h"

/* Return 10^e, exact where a double is. */
static double ten(int e) {
    return e >= 0 ? math_pow(10, e) : e >= -300 ? 1 / math_pow(10, -e) : math_pow(10, e);
}

double scale_at(const struct scale *s, double v) {
    if (!isfinite(v) || (s->log && !(v > 0))) return NAN;
    double bottom = s->log ? math_log(s->low) : 0;
    double part = s->log ? (math_log(v) - bottom) / (math_log(s->high) - bottom)
                         : (v / 2 - s->low / 2) / (s->high / 2 - s->low / 2); /* halves do not overflow */
    return s->from + part * (s->to - s->from);
}

/* Fit a logarithmic scale to a range of positive numbers. */
static void fit_log(struct scale *s, struct bounds data, double room) {
    const double least = DBL_MIN * 1e10, most = DBL_MAX * 1e-10; /* room for powers beside the data */
    double low = fmin(fmax(data.low, least), most), high = fmin(fmax(data.high, least), most);
    double wide = math_log(high) - math_log(low);
    if (wide < 1e-9) {
        low /= 2, high *= 2;
    } else {
        double factor = math_exp(room * wide);
        low = fmax(low / factor, DBL_MIN), high = fmin(high * factor, DBL_MAX);
    }
    s->low = low, s->high = high;
}

#define MOST (DBL_MAX / 4) /* differences, and room beside the data, stay finite */

void scale_fit(struct scale *s, struct bounds data, double room) {
    if (data.low > data.high) data = s->log ? (struct bounds){1, 10} : (struct bounds){0, 1};
    if (s->log) {
        fit_log(s, data, room);
        return;
    }
    double low = fmin(fmax(data.low, -MOST), MOST), high = fmin(fmax(data.high, -MOST), MOST);
    double size = fmax(fabs(low), fabs(high));
    /* fewer than 1e12 * 2^-52 of the numbers' digits would differ: such a range counts as one value */
    if (high - low <= size * 1e-12) {
        double wide = size > DBL_MIN ? size * 0.05 : 1;
        low -= wide, high += wide;
    } else if (high - low < DBL_MIN * 1e10) {
        low -= DBL_MIN * 1e10, high += DBL_MIN * 1e10;
    } else {
        double wide = (high - low) * room;
        low -= wide, high += wide;
    }
    s->low = low, s->high = high;
}

/* ---- the choice of linear ticks (Talbot, Lin, Hanrahan 2010, without formats of labels) ---- */

static const double steps[] = {1, 5, 2, 2.5, 4, 3}; /* from the simplest on */
enum { STEPS = sizeof steps / sizeof *steps };

/* A candidate: ticks first, first + step, ... */
struct sequence {
    double score, first, step;
};

static double score_of(double simplicity, double coverage, double density) {
    return 0.25 * simplicity + 0.2 * coverage + 0.5 * density +
           0.05; /* weights of the paper; all labels are legible */
}
/* Return the simplicity of every j-th multiple of steps[i]. */
static double simplicity(int i, int j, bool zero) { return 1 - (double)i / (STEPS - 1) - j + zero; }
static double coverage(double low, double high, double first, double last) {
    double tenth = 0.1 * (high - low), a = (high - last) / tenth, b = (low - first) / tenth;
    return 1 - 0.5 * (a * a + b * b);
}
/* Return the greatest coverage of ticks that span `span`. */
static double coverage_most(double low, double high, double span) {
    double tenth = 0.1 * (high - low), half = (span - (high - low)) / 2 / tenth;
    return half > 0 ? 1 - half * half : 1;
}
static double density(int k, int wanted, double low, double high, double first, double last) {
    double r = (k - 1) / (last - first), best = (wanted - 1) / (fmax(last, high) - fmin(first, low));
    return 2 - fmax(r / best, best / r);
}
static double density_most(int k, int wanted) { return k >= wanted ? 2 - (double)(k - 1) / (wanted - 1) : 1; }

/* Improve *best by sequences of k ticks whose step is every j-th multiple of steps[i] * 10^z.  Return false if no
   greater z can. */
static bool try_step(struct sequence *best, const struct scale *s, int wanted, int i, int j, int k, int z) {
    double base = steps[i] * ten(z), step = j * base, span = step * (k - 1);
    if (s->whole && (step < 1 - 1e-9 || step != round(step))) return isfinite(span) && step < 1e18;
    double most =
        score_of(simplicity(i, j, true), coverage_most(s->low, s->high, span), density_most(k, wanted));
    if (most < best->score || !isfinite(span)) return false;
    double from = ceil(s->low / base - 1e-9), to = floor(s->high / base + 1e-9) - (double)(k - 1) * j;
    for (int n = 0; n <= to - from && to - from < 1000; n++) { /* from + 1 is from, if it is large */
        double start = from + n, first = start * base, last = first + span;
        if (s->whole && first != round(first)) continue;
        bool zero = start == j * floor(start / j) && first <= 0 && last >= 0;
        double score = score_of(simplicity(i, j, zero), coverage(s->low, s->high, first, last),
                                density(k, wanted, s->low, s->high, first, last));
        if (score > best->score) *best = (struct sequence){score, first, step};
    }
    return true;
}

/* Return the ticks with the best score. */
static struct sequence search(const struct scale *s, int wanted) {
    double half = (s->high - s->low) / 2;
    struct sequence best = {-2, s->low, half};
    if (s->whole) best = (struct sequence){-1000, ceil(s->low), fmax(floor(half), 1)}; /* few may fit */
    for (int j = 1; j <= 10; j++)
        for (int i = 0; i < STEPS; i++) {
            if (score_of(simplicity(i, j, true), 1, 1) < best.score) return best;
            for (int k = 2; k <= 2 * wanted + 10; k++) {
                if (score_of(simplicity(i, j, true), 1, density_most(k, wanted)) < best.score) break;
                int z = (int)ceil(math_log10((s->high - s->low) / (k + 1) / j / steps[i]));
                while (try_step(&best, s, wanted, i, j, k, z)) z++;
            }
        }
    return best;
}

/* ---- labels ---- */

/* Append 10^e in superscripts, or "1e6" in ASCII. */
static void add_power(char *out, size_t room, int e, bool ascii) {
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char plain[16];
    size_t n = strlen(out);
    if (ascii) {
        snprintf(out + n, room - n, "1e%d", e);
        return;
    }
    snprintf(out + n, room - n, "10%s", e < 0 ? "⁻" : "");
    snprintf(plain, sizeof plain, "%d", e < 0 ? -e : e);
    for (const char *at = plain; *at; at++) {
        n = strlen(out);
        snprintf(out + n, room - n, "%s", digits[*at - '0']);
    }
}

/* Copy a number's text with a minus sign for '-', and commas between thousands of `digits` digits or more. */
static void finish_number(char *out, size_t room, const char *plain, size_t digits, bool ascii) {
    size_t n = 0, whole = 0;
    bool minus = *plain == '-';
    if (minus) plain++;
    if (minus && strspn(plain, "0.") != strlen(plain))
        n += (size_t)snprintf(out, room, "%s", ascii ? "-" : "−");
    while (plain[whole] >= '0' && plain[whole] <= '9') whole++;
    for (size_t i = 0; plain[i] && n + 2 < room; i++) {
        if (i && i < whole && whole >= digits && (whole - i) % 3 == 0) out[n++] = ',';
        out[n++] = plain[i];
    }
    out[n] = 0;
}

void ticks_number(char *out, double v, int digits, bool ascii) {
    char plain[TICK_LABEL];
    double size = fabs(v);
    bool whole = size < 1e6 && v == round(v);
    text_print(plain, sizeof plain, "%.*g", whole && digits < 6 ? 6 : digits, v);
    finish_number(out, TICK_LABEL, plain, 5, ascii);
}

/* Return true if all ticks, in units, are whole multiples of 10^-decimals. */
static bool are_multiples(const struct ticks *t, double base, double unit, double step, int decimals) {
    double scale = ten(decimals), size = fmax(fabs(t->at[0]), fabs(t->at[t->n - 1]));
    double error = (1e-6 * step + 0x1p-50 * size) / unit * scale;
    for (int i = 0; i < t->n; i++) {
        double v = (t->at[i] - base) / unit * scale;
        if (fabs(v - round(v)) > error) return false;
    }
    return true;
}

/* Return the number of digits of v, a multiple of `power`, up to its last one that is not 0. */
static int digits_before_zeros(double v, double power) {
    double n = fabs(round(v / power));
    while (n > 0 && n / 10 == floor(n / 10)) n /= 10;
    return (int)ceil(math_log10(n + 0.5));
}

/* Return the offset that is subtracted from ticks: a multiple of the least power of 10 above their range, of which the
   ticks are less apart; below them, or between them if it is rounder there: 1,000,000 for 999,997 to 1,000,003. */
static double offset_of(const struct ticks *t, double step) {
    double power = ten((int)ceil(math_log10(step * t->n)));
    double below = floor(t->at[0] / power) * power, within = below + power;
    bool rounder = digits_before_zeros(within, power) < digits_before_zeros(below, power);
    return within <= t->at[t->n - 1] && rounder ? within : below;
}

/* Write the labels of linear ticks: an offset that they share is subtracted, and a power of 10 divided out. */
static void label_linear(struct ticks *t, double step, bool ascii) {
    char plain[400], number[TICK_LABEL];
    double size = 0, base = 0;
    for (int i = 0; i < t->n; i++) size = fmax(size, fabs(t->at[i]));
    if (size / step > 1e5) { /* more digits than people read */
        base = offset_of(t, step), size = 0;
        for (int i = 0; i < t->n; i++) size = fmax(size, fabs(t->at[i] - base));
    }
    int e = size >= 1e6 || (size < 1e-3 && size > 0) ? 3 * (int)floor(math_log10(size * (1 + 1e-9)) / 3) : 0;
    int decimals = 0;
    double unit = ten(e);
    while (decimals < 12 && !are_multiples(t, base, unit, step, decimals)) decimals++;
    for (int i = 0; i < t->n; i++) {
        text_print(plain, sizeof plain, "%.*f", decimals, (t->at[i] - base) / unit);
        finish_number(t->labels[i], TICK_LABEL, plain, size >= 1e4 ? 4 : 5, ascii);
    }
    if (e) {
        snprintf(t->factor, sizeof t->factor, "%s", ascii ? "x " : "×");
        add_power(t->factor, sizeof t->factor, e, ascii);
    }
    if (base != 0) {
        size_t n = strlen(t->factor);
        text_print(plain, sizeof plain, "%.15g", fabs(base));
        finish_number(number, sizeof number, plain, 5, ascii);
        snprintf(t->factor + n, sizeof t->factor - n, "%s%s%s", n ? " " : "",
                 base < 0 ? ascii ? "- " : "− " : "+ ", number);
    }
}

static void choose_linear(struct ticks *t, const struct scale *given, int wanted, bool ascii) {
    struct scale finite = *given, *s = &finite;
    if (!isfinite(s->high - s->low)) s->low = fmax(s->low, -MOST), s->high = fmin(s->high, MOST);
    struct sequence best = search(s, wanted);
    double k = ceil((s->low - best.first) / best.step - 1e-9);
    for (int i = 0; i < TICKS_MOST; i++) {
        double v = best.first + (k + i) * best.step;
        if (v > s->high + best.step * 1e-9) break;
        if (fabs(v) < best.step * 1e-9) v = 0;
        if (!t->n || v > t->at[t->n - 1]) t->at[t->n++] = v; /* narrow limits have few numbers */
    }
    if (!t->n) return;
    label_linear(t, best.step, ascii);
}

/* ---- logarithmic ticks ---- */

/* Add labelled ticks at `count` multiples of the powers of 10 from..to. */
static void add_multiples(struct ticks *t, const struct scale *s, int from, int to, const int *multiples,
                          int count, bool ascii) {
    for (int e = from; e <= to; e++)
        for (int i = 0; i < count && t->n < TICKS_MOST; i++) {
            double v = multiples[i] * ten(e);
            if (v < s->low * (1 - 1e-9) || v > s->high * (1 + 1e-9)) continue;
            t->at[t->n] = v;
            ticks_number(t->labels[t->n++], v, 6, ascii);
        }
}

/* Add ticks at powers of 10, at most about `wanted`; between neighbouring ones minor ticks. */
static void add_powers(struct ticks *t, const struct scale *s, int from, int to, int wanted, bool ascii) {
    int stride = (to - from) / (wanted > 1 ? wanted : 1) + 1;
    bool plain = from >= -3 && to <= 5; /* 0.001 to 100,000 */
    int first = from + ((stride - from % stride) % stride);
    if (first + stride > to) first = from; /* one tick says nothing of the scale */
    for (int e = first; e <= to && t->n < TICKS_MOST; e += stride) {
        char *label = t->labels[t->n];
        label[0] = 0;
        t->at[t->n++] = ten(e);
        if (plain)
            ticks_number(label, ten(e), 6, ascii);
        else
            add_power(label, TICK_LABEL, e, ascii);
    }
    for (int e = from - 1; e <= to && stride == 1; e++)
        for (int k = 2; k < 10 && t->nminor < TICKS_MOST * 8; k++) {
            double v = k * ten(e);
            if (v >= s->low && v <= s->high) t->minor[t->nminor++] = v;
        }
}

static void choose_log(struct ticks *t, const struct scale *s, int wanted, bool ascii) {
    static const int few[] = {1, 2, 5}, all[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    int from = (int)ceil(math_log10(s->low) - 1e-9), to = (int)floor(math_log10(s->high) + 1e-9);
    if (to - from >= 2)
        add_powers(t, s, from, to, wanted, ascii);
    else if (s->high / s->low > 4)
        add_multiples(t, s, from - 1, to, few, 3, ascii);
    else if (s->high / s->low > 2)
        add_multiples(t, s, from - 1, to, all, 9, ascii);
    else
        choose_linear(t, s, wanted, ascii);
}

void ticks_choose(struct ticks *t, const struct scale *s, int wanted, bool ascii) {
    t->n = t->nminor = 0;
    t->factor[0] = 0;
    if (wanted < 2) wanted = 2;
    if (s->log)
        choose_log(t, s, wanted, ascii);
    else
        choose_linear(t, s, wanted, ascii);
}
