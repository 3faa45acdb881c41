/* Measurement of the bytes that a function, of which only the name is known, allocates beside its result and beside a
   destination (ty_into); header-only. */
#ifndef TESTS_SUPPORT_FUNCTION_BYTES_H
#define TESTS_SUPPORT_FUNCTION_BYTES_H
#include <stdbool.h>
#include "tests/support/samples/beside.h"

enum { BYTES_TEXT = 256, BYTES_LEAST = 2 * BESIDE_COLUMNS, BYTES_MANY = 1 << 18 };

/* Bytes for each element of x, f32, as x grows: beside the result, and beside a destination. Arenas of programs are whole
   huge pages, which are 8 bytes an element here. */
struct byte_limit {
    const char *name;
    double beside, into;
};
static const double BYTES_SLACK = 0.5; /* for pieces, whose sizes vary with the length */

/* Return the limit of a function; 0 unless tests/support/samples/bytes.def has a row. */
static inline struct byte_limit byte_limit_of(const char *name) {
    static const struct byte_limit limits[] = {
#define BYTES(name, beside, into) {name, beside, into},
#include "tests/support/samples/bytes.def"
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (!strcmp(limits[i].name, name)) return limits[i];
    return (struct byte_limit){name, 0, 0};
}

struct function_bytes {
    char text[BYTES_TEXT]; /* the call */
    double result, beside, into;
    bool steep; /* result or memory grow faster than x: measured at short lengths */
    bool over;  /* above a limit */
};

static inline struct beside bytes_at(const char *text, int64_t n, bool into) {
    ty_tensor *x[BESIDE_NAMES];
    ty_scope *scope = ty_open();
    beside_operands(TY_F32, n, x);
    struct beside b = into ? beside_into(text, x) : beside_of(text, x);
    ty_close(scope);
    return b;
}

/* True for functions whose time grows so fast with their operands that they are not measured. */
static inline bool bytes_slow(const char *name) {
    static const char *const names[] = {"eval_",  "pascal",   "roots",   "kendall",     "hadamard",
                                        "magic",  "stirling", "gauss_",  "hilbert",     "multinomial",
                                        "hyp2f1", "kde",      "polyval", "spherical_yn"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(name, names[i], strlen(names[i]))) return true;
    return false;
}

/* Measure the function by the first list of arguments that it accepts. False if it accepts none, or is slow. */
static inline bool function_bytes(const char *name, struct function_bytes *f) {
    static const char *const lists[] = {
#include "tests/support/call_lists.def"
    };
    struct beside few = {.error = ""}, many = few;
    for (size_t i = 0; i < sizeof lists / sizeof *lists && few.error && !bytes_slow(name); i++) {
        snprintf(f->text, sizeof f->text, "%s(%s)", name, lists[i]);
        few = bytes_at(f->text, BYTES_LEAST, false);
        if (!few.error) many = bytes_at(f->text, 2 * BYTES_LEAST, false);
    }
    if (few.error || many.error) return false;
    f->steep = many.result * 2 > few.result * 5 || many.peak - few.peak > 2 * BYTES_LEAST * BYTES_LEAST;
    int64_t n = f->steep ? BYTES_LEAST : BYTES_MANY;
    if (!f->steep) few = bytes_at(f->text, n, false);
    if (!f->steep) many = bytes_at(f->text, 2 * n, false);
    struct beside into_few = bytes_at(f->text, n, true), into_many = bytes_at(f->text, 2 * n, true);
    bool writes =
        !into_few.error && !into_many.error; /* results whose form depends on elements are no promises */
    f->result = (double)(many.result - few.result) / (double)n;
    f->beside = (double)(many.peak - few.peak) / (double)n;
    f->into = writes ? (double)(into_many.peak - into_few.peak) / (double)n : 0;
    struct byte_limit limit = byte_limit_of(name);
    f->over = f->beside > limit.beside + BYTES_SLACK || f->into > limit.into + BYTES_SLACK;
    return !few.error && !many.error;
}
#endif
