/*
 * The largest error of every floating-point entry of elementwise.def, on every floating dtype and instruction set, in
 * units in the last place of the reference's long double before rounding.
 *
 *   ./dev bench ulp [--all] [--quick] [--row NAME] [--json [FILE]]
 * One operand: all 65536 values of f16 and bf16; for f32 2048 values in each binade of either sign (--all: all 2^32),
 * for f64 128. As many values come from the tests' domain. More operands: random bits, random bits of similar
 * magnitude, the domain. Exit status 1 if an entry exceeds the bound of its error column.
 */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine/isa.h"
#include "bench/support/record.h"
#include "engine/cpu/cpu.h"
#include "engine/ref/ref.h"
#include "ops/core/elementwise.h"
#include "ops/core/row_id.h"

enum { BLOCK = 4096 };

struct options {
    bool all, quick;
    const char *row;
};
/* One entry on one dtype: operands, the reference's results, the worst error so far. */
struct trial {
    enum row_id row;
    ty_dtype dtype;
    uint64_t random;
    _Alignas(64) char in[3][BLOCK * 8], out[BLOCK * 8];
    long double want[BLOCK];
    double worst[ISA_COUNT], where[3], largest;
};

static const struct shape_of {
    ty_dtype dtype;
    int digits, least; /* bits of the significand; exponent of the smallest normal number, as frexp counts */
} shapes[] = {{TY_F32, 24, -125}, {TY_F64, 53, -1021}, {TY_F16, 11, -13}, {TY_BF16, 8, -125}};

static uint64_t next(struct trial *t) { /* Return the next number of Marsaglia's xorshift. */
    t->random ^= t->random << 13;
    t->random ^= t->random >> 7;
    return t->random ^= t->random << 17;
}
static double uniform(struct trial *t) { return (double)(next(t) >> 11) * 0x1p-53; }

static double number(ty_dtype dtype, const void *from) {
    return element_number(dtype, element_load(dtype, from));
}

static void put(struct trial *t, int operand, int64_t i, double value) {
    size_t size = dtype_table[t->dtype].size;
    element_store(t->dtype, t->in[operand] + (size_t)i * size, TY_F64, (struct element){.z = value});
}
static void put_bits(struct trial *t, int operand, int64_t i, uint64_t bits) {
    size_t size = dtype_table[t->dtype].size;
    memcpy(t->in[operand] + (size_t)i * size, &bits, size); /* little-endian */
}

/* Return the distance of got and want in units in the last place of `want`; infinity if only one is NaN. */
static double units(const struct shape_of *shape, double got, long double want) {
    long double limit = ldexpl(1, 3 - shape->least); /* the least magnitude that overflows */
    int exponent;
    if (isnan(want) || isnan(got)) return isnan(want) && isnan(got) ? 0 : (double)INFINITY;
    if (isinf(got)) /* the error is the distance from the overflow limit */
        return (want > 0) != (got > 0)
                   ? (double)INFINITY
                   : (double)fmaxl(0, (limit - fabsl(want)) / ldexpl(limit, -shape->digits));
    if (isinf(want)) return (double)INFINITY;
    if (want == 0) return got == 0 ? 0 : fabs(got) / ldexp(1, shape->least - shape->digits);
    frexpl(want, &exponent);
    if (exponent < shape->least) exponent = shape->least;
    return (double)(fabsl((long double)got - want) / ldexpl(1, exponent - shape->digits));
}

/* Return the error that the entry's `around` allows at `want`, in units in its last place. */
static double allowed(const struct trial *t, const struct shape_of *shape, long double want) {
    double around = row_table[t->row].error.around;
    int exponent = shape->least;
    if (!(around > 0) || isnan(want) || isinf(want)) return 0;
    if (want != 0) frexpl(want, &exponent);
    if (exponent < shape->least) exponent = shape->least;
    return ldexp(around, -53 - exponent + shape->digits);
}

static void run_block(struct trial *t, const struct shape_of *shape, int64_t n) {
    const struct op *op = &row_ops[t->row];
    size_t size = dtype_table[t->dtype].size;
    struct instr instr = {.op = op, .in = t->dtype, .out = t->dtype, .src = {0, 1, 2}};
    for (int64_t i = 0; i < n; i++) {
        struct element registers[3] = {{0}};
        for (int k = 0; k < op->arity; k++) registers[k] = ref_load(t->dtype, t->in[k] + (size_t)i * size);
        t->want[i] = creall(ref_instr_exact(&instr, registers).z);
    }
    for (int isa = 0; isa <= (int)isa_best(); isa++) {
        isa_force((enum isa)isa);
        cpu_loop_find(op, t->dtype, t->dtype)(n, t->out, t->in[0], t->in[1], t->in[2]);
        for (int64_t i = 0; i < n; i++) {
            double error = units(shape, number(t->dtype, t->out + (size_t)i * size), t->want[i]);
            double tiny = row_table[t->row].error.tiny * ldexp(1, shape->digits - 1);
            error = fabsl(t->want[i]) < ldexpl(1, shape->least + 1) ? fmax(0, error - tiny) : error;
            error = fmax(0, error - allowed(t, shape, t->want[i]));
            if (error > t->worst[isa]) t->worst[isa] = error;
            if (error > t->largest) {
                t->largest = error;
                for (int k = 0; k < op->arity; k++)
                    t->where[k] = number(t->dtype, t->in[k] + (size_t)i * size);
            }
        }
    }
    isa_force(isa_best());
}

/* Test every stride-th pattern of `bits` bits, with random bits in between. */
static void run_patterns(struct trial *t, const struct shape_of *shape, int bits, uint64_t stride) {
    uint64_t count = bits == 64 ? UINT64_MAX / stride : (1ull << bits) / stride;
    for (uint64_t done = 0; done < count; done += BLOCK) {
        for (uint64_t i = 0; i < BLOCK; i++)
            put_bits(t, 0, (int64_t)i, (done + i) * stride + next(t) % stride);
        run_block(t, shape, BLOCK);
    }
}
static void run_domain(struct trial *t, const struct shape_of *shape, int blocks) {
    const struct row *row = &row_table[t->row];
    for (; blocks > 0; blocks--) {
        for (int k = 0; k < row_ops[t->row].arity; k++)
            for (int64_t i = 0; i < BLOCK; i++) put(t, k, i, row->low + (row->high - row->low) * uniform(t));
        run_block(t, shape, BLOCK);
    }
}
/* Test operands of random bits; with `spread`, the others have the first one's magnitude up to that power
   of two. */
static void run_bits(struct trial *t, const struct shape_of *shape, int blocks, int spread) {
    for (; blocks > 0; blocks--) {
        for (int64_t i = 0; i < BLOCK; i++) {
            put_bits(t, 0, i, next(t) >> (next(t) & 1));
            double first = number(t->dtype, t->in[0] + (size_t)i * dtype_table[t->dtype].size);
            for (int k = 1; k < row_ops[t->row].arity; k++)
                if (spread)
                    put(t, k, i,
                        first * (2 * uniform(t) - 1) *
                            ldexp(1, (int)(next(t) % (2u * (unsigned)spread)) - spread));
                else
                    put_bits(t, k, i, next(t));
        }
        run_block(t, shape, BLOCK);
    }
}

static struct record *document;
static void record_trial(const struct trial *t) {
    struct record_row row = {.name = row_ops[t->row].name, .dtype = ty_dtype_name(t->dtype), .threads = 1};
    char names[ISA_COUNT][24];
    for (int isa = 0; isa <= (int)isa_best(); isa++) {
        snprintf(names[isa], sizeof *names, "%s_ulps", isa_name((enum isa)isa));
        row.numbers[isa].name = names[isa], row.numbers[isa].value = t->worst[isa];
    }
    int last = (int)isa_best() + 1;
    row.numbers[last].name = "bound_ulps", row.numbers[last].value = row_table[t->row].error.ulps;
    record_row(document, &row);
}

static bool run_trial(struct trial *t, const struct shape_of *shape, const struct options *options) {
    const struct row_error *error = &row_table[t->row].error;
    int bits = 8 * (int)dtype_table[t->dtype].size, blocks = options->quick ? 8 : bits == 16 ? 32 : 128;
    if (row_ops[t->row].arity == 1) {
        uint64_t stride = bits == 16 || (options->all && bits == 32) ? 1 : bits == 32 ? 1 << 12 : 1ull << 45;
        run_patterns(t, shape, bits, options->quick && bits > 16 ? stride << 4 : stride);
    } else {
        run_bits(t, shape, blocks, 0);
        run_bits(t, shape, blocks, 4);
    }
    run_domain(t, shape, blocks);
    /* 2^-9 more, since the reference rounds to 64 bits itself */
    bool well = t->largest <= error->ulps + 0x1p-9;
    printf("%-10s %-5s", row_ops[t->row].name, ty_dtype_name(t->dtype));
    for (int isa = 0; isa <= (int)isa_best(); isa++) printf(" %8.3f", t->worst[isa]);
    printf(" %6.1f %s ", error->ulps, well ? "    " : "OVER");
    for (int k = 0; k < row_ops[t->row].arity; k++) printf(" %.9g", t->where[k]);
    printf("%s%s\n", *error->why ? "  # " : "", error->why);
    fflush(stdout);
    record_trial(t);
    return well;
}

static bool is_measured(enum row_id row, const struct options *options) {
    if (!((int)row_table[row].in & CLASS_FLOAT) || row_table[row].out == BOOL || row_table[row].in == CHOICE)
        return false;
    return !options->row || strcmp(options->row, row_ops[row].name) == 0;
}

int main(int argc, char **argv) {
    struct options options = {0};
    if (!record_open(&document, &argc, argv)) return 2;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--all") == 0)
            options.all = true;
        else if (strcmp(argv[i], "--quick") == 0)
            options.quick = true;
        else if (strcmp(argv[i], "--row") == 0 && i + 1 < argc)
            options.row = argv[++i];
        else
            return fprintf(stderr,
                           "bench ulp: unknown option '%s'; use --all, --quick, --row NAME, --json [FILE]\n",
                           argv[i]),
                   2;
    }
    struct trial *t = malloc(sizeof *t);
    int rows = 0, over = 0;
    if (!t) return fprintf(stderr, "bench ulp: out of memory\n"), 2;
    printf("%-10s %-5s", "row", "dtype");
    for (int isa = 0; isa <= (int)isa_best(); isa++) printf(" %8s", isa_name((enum isa)isa));
    printf(" %6s      at the worst\n", "bound");
    for (int row = 0; row < ROWS; row++)
        for (size_t k = 0; is_measured((enum row_id)row, &options) && k < sizeof shapes / sizeof *shapes;
             k++) {
            memset(t, 0, sizeof *t);
            t->row = (enum row_id)row, t->dtype = shapes[k].dtype, t->random = 88172645463325252u;
            rows++;
            over += !run_trial(t, &shapes[k], &options);
        }
    free(t);
    printf("%d rows and dtypes measured, %d over their bound\n", rows, over);
    return !record_close(document) || over;
}
