/*
 * Computes expected einsums. Each letter and each axis of '...' is a digit of one counter that takes all values. For
 * each value it multiplies the operands' elements, in long double and as 64-bit integers, and adds the product to the
 * output's element.
 */
#include "tests/support/naive/einsum_naive.h"
#include <complex.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tests/support/compare.h"
#include "tests/support/harness.h"

enum { DIGITS = 128 + 16, OPERANDS = 16, AXES = 16, DOT = 128 };

struct side {
    int rank, digits[AXES];
    int64_t place[AXES]; /* stride along an axis; 0 if the axis has size 1 */
    double _Complex *numbers;
    int64_t *integers;
};
struct sum {
    int n;
    struct side sides[OPERANDS + 1]; /* the last one is the output */
    int64_t size[DIGITS], digit[DIGITS];
    bool used[DIGITS];
    int dots;
};

/* Write the digits that a term names for a tensor of `rank` axes. */
static void name_axes(struct side *s, const char *term, size_t length, int rank) {
    int letters = 0, n = 0;
    for (size_t i = 0; i < length; i++) letters += isalpha((unsigned char)term[i]) != 0;
    for (size_t i = 0; i < length; i++) {
        if (isalpha((unsigned char)term[i])) s->digits[n++] = term[i];
        if (term[i] != '.') continue;
        for (int k = rank - letters - 1; k >= 0; k--) s->digits[n++] = DOT + k;
        i += 2;
    }
    s->rank = n;
    CHECK(n == rank, "the oracle finds %d axes in \"%.*s\", not %d", n, (int)length, term, rank);
}

/* Write the output's term: the part after "->", or the dots and the letters that occur once. */
static void name_output(struct sum *m, const char *equation, char *out) {
    const char *arrow = strstr(equation, "->");
    int times[128] = {0}, n = 0;
    if (arrow) {
        strcpy(out, arrow + 2);
        return;
    }
    for (const char *c = equation; *c; c++) times[(unsigned char)*c & 127]++;
    if (m->dots) memcpy(out, "...", (size_t)(n = 3));
    for (int c = 'A'; c <= 'z'; c++)
        if (isalpha(c) && times[c] == 1) out[n++] = (char)c;
    out[n] = 0;
}

static void measure(struct sum *m, struct side *s, const int64_t *shape) {
    int64_t step = 1;
    for (int i = s->rank - 1; i >= 0; i--) {
        int d = s->digits[i];
        s->place[i] = shape[i] == 1 ? 0 : step;
        step *= shape[i];
        if (!m->used[d] || m->size[d] == 1) m->size[d] = shape[i];
        m->used[d] = true;
        if (d >= DOT && d - DOT >= m->dots) m->dots = d - DOT + 1;
    }
}

static void read_elements(struct side *s, ty_tensor *x) {
    int64_t size = ty_size(x);
    s->numbers = test_room((size_t)size * sizeof *s->numbers);
    s->integers = test_room((size_t)size * sizeof *s->integers);
    ty_dtype dtype = ty_dtype_of(x);
    CHECK(ty_read(x, TY_C128, s->numbers), "reading failed");
    if (dtype < TY_F16) CHECK(ty_read(x, TY_I64, s->integers), "reading failed");
}

static int64_t place_of(const struct sum *m, const struct side *s) {
    int64_t place = 0;
    for (int i = 0; i < s->rank; i++) place += s->place[i] * m->digit[s->digits[i]];
    return place;
}

static bool count_on(struct sum *m) {
    for (int d = 0; d < DIGITS; d++) {
        if (!m->used[d]) continue;
        if (++m->digit[d] < m->size[d]) return true;
        m->digit[d] = 0;
    }
    return false;
}

/* Expected value of one element of the output. */
struct target {
    long double _Complex sum;
    long double absolute;
    int64_t integer, terms;
};

static void add_all(struct sum *m, struct target *targets) {
    for (int d = 0; d < DIGITS; d++)
        if (m->used[d] && m->size[d] == 0) return;
    do {
        long double _Complex product = 1;
        uint64_t integer = 1;
        for (int k = 0; k < m->n; k++) {
            int64_t place = place_of(m, &m->sides[k]);
            product *= m->sides[k].numbers[place];
            integer *= (uint64_t)m->sides[k].integers[place];
        }
        struct target *t = &targets[place_of(m, &m->sides[m->n])];
        t->sum += product;
        t->absolute += cabsl(product);
        t->integer = (int64_t)((uint64_t)t->integer + integer);
        t->terms++;
    } while (count_on(m));
}

static void check_one(const struct target *t, ty_dtype dtype, double _Complex got, int64_t integer, int n,
                      const char *equation, const char *what) {
    if (dtype == TY_BOOL) {
        CHECK(integer == (t->integer != 0), "%s, %s: %d is not the or of ands", equation, what, (int)integer);
    } else if (dtype < TY_F16) {
        size_t shift = 64 - 8 * ty_dtype_size(dtype);
        CHECK(((uint64_t)integer << shift) == ((uint64_t)t->integer << shift), "%s, %s: %lld is not %lld",
              equation, what, (long long)integer, (long long)t->integer);
    } else {
        double error = (double)cabsl(got - t->sum), eps = relative_ulp(dtype);
        double least = dtype == TY_F16 ? 0x1p-24 : 0; /* smallest subnormal number of half precision */
        double bound = (double)(t->terms + n) * (30 * eps * (double)t->absolute + least);
        CHECK(error <= bound, "%s, %s of %s: off by %g where %g is allowed", equation, what,
              ty_dtype_name(dtype), error, bound);
    }
}

void einsum_check(ty_tensor *got, const char *equation, int n, ty_tensor *const *operands, const char *what) {
    struct sum *m = test_room(sizeof *m);
    const char *at = equation;
    char output[128];
    int64_t shape[AXES];
    ty_dtype dtypes[OPERANDS];
    m->n = n;
    for (int k = 0; k < n; k++) {
        size_t length = strcspn(at, ",-");
        name_axes(&m->sides[k], at, length, ty_rank(operands[k]));
        measure(m, &m->sides[k], ty_shape(operands[k]));
        read_elements(&m->sides[k], operands[k]);
        dtypes[k] = ty_dtype_of(operands[k]);
        at += length + 1;
    }
    ty_dtype dtype = ty_promote_all(n, dtypes);
    CHECK_OK(got);
    name_output(m, equation, output);
    struct side *out = &m->sides[n];
    name_axes(out, output, strlen(output), ty_rank(got));
    for (int i = 0; i < out->rank; i++) shape[i] = m->size[out->digits[i]];
    for (int i = 0; i < out->rank; i++)
        CHECK(ty_shape(got)[i] == shape[i], "%s, %s: axis %d has size %lld, not %lld", equation, what, i,
              (long long)ty_shape(got)[i], (long long)shape[i]);
    CHECK(ty_dtype_of(got) == dtype, "%s, %s: the result is %s, not %s", equation, what,
          ty_dtype_name(ty_dtype_of(got)), ty_dtype_name(dtype));
    measure(m, out, shape);
    struct target *targets = test_room((size_t)(ty_size(got) + 1) * sizeof *targets);
    add_all(m, targets);
    read_elements(out, got);
    for (int64_t i = 0; i < ty_size(got); i++)
        check_one(&targets[i], dtype, out->numbers[i], out->integers[i], n, equation, what);
}
