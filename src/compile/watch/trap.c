#include "compile/watch/trap.h"
#include <math.h>
#include <string.h>
#include "array/dtype.h"
#include "base/alloc.h"
#include "compile/show/describe.h"
#include "ops/core/kernel/away.h"

/* Exponent bits, which are all set in NaN and infinities alone, by dtype. */
static const struct {
    size_t size;
    uint64_t mask;
} exponents[TY_DTYPES] = {
    [TY_F16] = {2, 0x7c00},     [TY_BF16] = {2, 0x7f80},
    [TY_F32] = {4, 0x7f800000}, [TY_F64] = {8, UINT64_C(0x7ff0000000000000)},
    [TY_C64] = {4, 0x7f800000}, [TY_C128] = {8, UINT64_C(0x7ff0000000000000)},
};

/* Defines a function that returns the index of the first of n numbers, `step` apart, that is not finite,
   or n. */
#define COUNT_FINITE(name, type)                                                                             \
    static int64_t name(const char *data, int64_t n, int64_t step, uint64_t mask) {                          \
        type m = (type)mask, word;                                                                           \
        for (int64_t i = 0; i < n; i++) {                                                                    \
            memcpy(&word, data + i * step * (int64_t)sizeof word, sizeof word);                              \
            if ((word & m) == m) return i;                                                                   \
        }                                                                                                    \
        return n;                                                                                            \
    }
COUNT_FINITE(finite_16, uint16_t)
COUNT_FINITE(finite_32, uint32_t)
COUNT_FINITE(finite_64, uint64_t)

/* Return the index of the first of n elements of a floating or complex dtype that is not finite; n if all are.
   Elements are `step` elements apart. A complex element is finite if both its parts are. */
static int64_t count_finite(ty_dtype dtype, const char *data, int64_t n, int64_t step) {
    size_t size = exponents[dtype].size;
    int64_t parts = (int64_t)(dtype_table[dtype].size / size), least = n;
    for (int64_t part = 0; part < parts; part++) {
        const char *at = data + part * (int64_t)size;
        int64_t good = size == 2   ? finite_16(at, n, step * parts, exponents[dtype].mask)
                       : size == 4 ? finite_32(at, n, step * parts, exponents[dtype].mask)
                                   : finite_64(at, n, step * parts, exponents[dtype].mask);
        if (good < least) least = good;
    }
    return least;
}

/* Iterates over the lines along the last axis. */
struct trap_lines {
    struct odometer outer;
    int64_t at, n, step;
};

/* Set *s to the first line, along the last axis, of layout l. False if there are no elements. */
static bool lines_begin(struct trap_lines *s, const struct layout *l) {
    int last = l->rank - 1;
    *s = (struct trap_lines){.outer = {.rank = l->rank > 0 ? last : 0, .shape = l->shape},
                             .n = l->rank > 0 ? l->shape[last] : 1,
                             .step = l->rank > 0 ? l->strides[last] : 0};
    return shape_size(l->rank, l->shape) > 0;
}
static bool lines_next(struct trap_lines *s, const struct layout *l) {
    const int64_t *strides[1] = {l->strides};
    return odometer_next(&s->outer, 1, strides, &s->at);
}

/* True if o has floating or complex elements, one at least. */
static bool has_numbers(const struct operand *o) {
    return exponents[o->dtype].size && shape_size(o->layout.rank, o->layout.shape) > 0;
}

/* True if all elements of o are finite. Else *s is set to the line of the first that is not, and *good to its
   index in the line. slots[] has the address of each block. */
static bool all_finite(const struct operand *o, void *const *slots, struct trap_lines *s, int64_t *good) {
    if (!exponents[o->dtype].size || !lines_begin(s, &o->layout)) return true;
    do {
        const char *line = operand_base(o, slots) + s->at * (int64_t)dtype_table[o->dtype].size;
        *good = count_finite(o->dtype, line, s->n, s->step);
        if (*good < s->n) return false;
    } while (lines_next(s, &o->layout));
    return true;
}

/* ---- the message ---- */

/* Append to t the range of the elements of o, e.g., " from -1 to 3"; nothing for complex or no elements.
   slots: the address of each block. */
static void add_range(struct text *t, const struct operand *o, void *const *slots) {
    struct trap_lines s;
    double low = INFINITY, high = -INFINITY;
    if (dtype_is(o->dtype, CLASS_COMPLEX) || !lines_begin(&s, &o->layout)) return;
    do {
        for (int64_t i = 0; i < s.n; i++) {
            const char *at =
                operand_base(o, slots) + (s.at + i * s.step) * (int64_t)dtype_table[o->dtype].size;
            double x = element_number(o->dtype, element_load(o->dtype, at));
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
    } while (lines_next(&s, &o->layout));
    if (low == high)
        text_add(t, " of %g", low);
    else
        text_add(t, " from %g to %g", low, high);
}

static bool written_over(const struct kernel *k, const struct operand *o, void *const *slots) {
    for (int i = 0; i < k->noutputs; i++)
        if (slots[k->outputs[i].slot] == slots[o->slot]) return true;
    return false;
}

/* Append the block, dtype and shape of operand o, and its range of values unless the kernel has written over
   it. */
static void add_operand(struct text *t, const struct launch *l, const struct operand *o) {
    if (l->flow) {
        describe_block(t, l->flow, o->slot);
        text_add(t, " ");
    }
    describe_operand(t, o);
    if (written_over(l->kernel, o, l->slots))
        text_add(t, " (written over)");
    else
        add_range(t, o, l->slots);
}

/* Append to t the indices, in brackets, of element `good` of the present line *s, of a tensor of this rank. */
static void add_place(struct text *t, const struct trap_lines *s, int64_t good, int rank) {
    text_add(t, "[");
    for (int i = 0; i < rank - 1; i++) text_add(t, "%lld,", (long long)s->outer.index[i]);
    if (rank > 0) text_add(t, "%lld", (long long)good);
    text_add(t, "]");
}

/* Set the fault that names the kernel, the result o, its first element that is not finite (element `good` of
   line *s), and the operands. Always return false. */
static bool tell(const struct launch *l, const struct operand *o, const struct trap_lines *s, int64_t good,
                 struct fault *fault) {
    const struct kernel *k = l->kernel;
    const char *at =
        operand_base(o, l->slots) + (s->at + good * s->step) * (int64_t)dtype_table[o->dtype].size;
    struct text t = {0};
    describe_kernel(&t, k);
    double real = element_number(o->dtype, element_load(o->dtype, at));
    text_add(&t, " made %s of finite operands, first at ",
             dtype_is(o->dtype, CLASS_COMPLEX) ? "NaN or an infinity"
             : isnan(real)                     ? "NaN"
             : real > 0                        ? "inf"
                                               : "-inf");
    add_place(&t, s, good, o->layout.rank);
    text_add(&t, " of ");
    if (l->flow) {
        describe_block(&t, l->flow, o->slot);
        text_add(&t, " ");
    }
    describe_operand(&t, o);
    for (int i = 0; i < k->ninputs; i++) {
        text_add(&t, i ? ", " : "; operands: ");
        add_operand(&t, l, &k->inputs[i]);
    }
    if (k->location.file) text_add(&t, " (at %s)", location_words(&k->location, (char[LOCATION_WORDS]){0}));
    char *words = text_take(&t);
    bool told = words ? fault_set(fault, E_DOMAIN, "trap: %s", words) : fault_memory(fault, sizeof *fault);
    mem_free(words);
    return told;
}

/* True if k has operands with numbers, which are all finite. */
static bool begins_finite(const struct kernel *k, void *const *slots) {
    struct trap_lines s;
    int64_t good;
    bool looks = false;
    for (int i = 0; i < k->ninputs; i++) looks |= has_numbers(&k->inputs[i]);
    for (int i = 0; i < k->ninputs && looks; i++) looks = all_finite(&k->inputs[i], slots, &s, &good);
    return looks;
}

/* False, with the fault set, if a result of the launch is not finite. */
static bool ends_finite(const struct launch *l, struct fault *fault) {
    struct trap_lines s;
    int64_t good;
    for (int i = 0; i < l->kernel->noutputs; i++)
        if (!all_finite(&l->kernel->outputs[i], l->slots, &s, &good))
            return tell(l, &l->kernel->outputs[i], &s, good, fault);
    return true;
}

/* trap_launch of a kernel on a device, whose operands are looked at on the host. */
static bool trap_away(const struct launch *l, struct fault *fault,
                      bool (*run)(const struct launch *, struct fault *)) {
    struct away a = {0};
    struct launch here = *l;
    bool done = away_open(&a, l->kernel, l->slots, fault), looks = done && begins_finite(&a.kernel, a.slots);
    here.kernel = &a.kernel;
    here.slots = a.slots;
    here.flow = NULL; /* it names other slots */
    done = done && run(l, fault) && (!looks || (away_fetch_results(&a, fault) && ends_finite(&here, fault)));
    away_close(&a);
    return done;
}

bool trap_launch(const struct launch *l, struct fault *fault,
                 bool (*run)(const struct launch *, struct fault *)) {
    if (l->kernel->device) return trap_away(l, fault, run);
    bool looks = begins_finite(l->kernel, l->slots);
    return run(l, fault) && (!looks || ends_finite(l, fault));
}
