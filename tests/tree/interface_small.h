/* A library of few functions that have all the forms of public headers; interface.sh writes its table. */
#ifndef TYTO_SMALL_H
#define TYTO_SMALL_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#define TY_API __attribute__((visibility("default")))
#define TY_INLINE static inline __attribute__((unused))
#define TY_VERSION_MAJOR 7
#define TY_VERSION_MINOR 8
#define TY_VERSION_PATCH 9
/* Names it. */
#define TY_SMALL_NAME "small \\ \"library\""

typedef enum ty_dtype { TY_F32, TY_DTYPES } ty_dtype;

/* Serves macros alone. */
__extension__ typedef double _Complex ty_private_;
#define TY_PRIVATE_ 5

/* ---- things ---- */

/* A thing, and its part. */
typedef struct ty_thing ty_thing;
typedef struct ty_part ty_part;
enum { TY_RANGES = 2 };

typedef struct ty_thing_report ty_thing_report;

/* Options of a thing. */
typedef struct ty_thing_options {
    int steps;           /* 0 means 10 */
    double rate, factor; /* 0 means 1.5, as usual */
    const char *name;    /* NULL: "none" */
    /* Called at each step. */
    void (*watch)(void *context, const struct ty_thing_report *report, size_t size);
    void *watch_context;
    const double *weights; /* nweights entries */
    int nweights;
    bool unused[4];
} ty_thing_options;
/* Facts about a thing. */
struct ty_thing_report {
    int64_t steps;
    double sum;
    struct {
        int low, high; /* of the numbers */
    } range[TY_RANGES];
    char name[8 * TY_RANGES];
};
typedef struct ty_thing_report ty_same_report;

/* Return 1. */
TY_API int ty_one(void);
TY_API ty_thing *ty_thing_made_sized(const ty_thing_options *options, size_t size);
/* Make a thing without numbers.  Never NULL.  The caller frees it with ty_thing_free. */
TY_INLINE ty_thing *ty_thing_made(ty_thing_options options) {
    return ty_thing_made_sized(&options, sizeof options);
}
typedef ty_thing_options ty_same_options;
/* Return three times x. */
TY_API __attribute__((deprecated("call ty_triple"
                                 " instead"))) int
ty_treble(int x);
/* Return twice x. */
TY_INLINE int ty_double(int x) { return 2 * x; }
/* Return the number of steps. */
TY_API int ty_steps_of_sized(const ty_same_options *options, size_t size);
TY_INLINE int ty_steps_of(ty_same_options options) { return ty_steps_of_sized(&options, sizeof options); }
/* Make a thing of n numbers.  The caller frees it with ty_thing_free; NULL: out of memory. */
TY_API ty_thing *ty_thing_new_sized(int n, const double *numbers, const ty_thing_options *options,
                                    size_t size);
TY_INLINE ty_thing *ty_thing_new(int n, const double *numbers, ty_thing_options options) {
    return ty_thing_new_sized(n, numbers, &options, sizeof options);
}
/* Free a thing.  NULL is allowed. */
TY_API void ty_thing_free(ty_thing *thing);
/* Write the facts about a thing to *report. */
TY_API void ty_thing_report_sized(const ty_thing *thing, ty_thing_report *report, size_t size);
/* Return the facts about a thing. */
TY_INLINE ty_thing_report ty_thing_report_of(const ty_thing *thing) {
    ty_thing_report report;
    ty_thing_report_sized(thing, &report, sizeof report);
    return report;
}
/* Return a text about a thing.  The caller frees it with ty_free.  NULL: the thing has none, or memory ran out. */
TY_API char *ty_thing_words(const ty_thing *thing);
/* Return the part of a thing that belongs to `numbers`; numbers NULL: the first.  The thing owns it. */
TY_API ty_part *ty_thing_part(const ty_thing *thing, const double *numbers);
/* Shut a thing.  Does nothing for NULL. */
TY_API void ty_thing_shut(ty_thing *thing);

/* ---- sums ---- */

/* Return the sum of n numbers; the product: the other function.  `initial` (NULL: none) is the first. */
TY_API double ty_sum_of(int n, const double numbers[], const double *initial);
TY_API double ty_product_of(int n, const double numbers[], const double *initial);

/* Not the comment of a function, since a blank line follows. */

TY_API bool ty_uncommented(const int64_t pair[2], ty_dtype dtype);

/* Return the sum of `count` ints. */
TY_API int ty_add_up(int count, ...);
#define ty_add_up(...) (ty_add_up)(__VA_ARGS__)

/* Multiply x by the factor of the row. */
#define ROW(name, factor, doc)                                                                               \
    TY_API double ty_small_##name##_sized(double x, const ty_thing_options *options, size_t size);           \
    TY_INLINE double ty_small_##name(double x, ty_thing_options options) {                                   \
        return ty_small_##name##_sized(x, &options, sizeof options);                                         \
    }
#include <tyto/tables/rows.def>
#undef ROW
#endif

#ifdef TY_SMALL_BODY
#include <stdlib.h>
#include <string.h>
struct ty_thing {
    ty_thing_options options;
    double sum;
};

/* Fields that the caller does not know are 0. */
static ty_thing_options known(const ty_thing_options *options, size_t size) {
    ty_thing_options all = {0};
    if (options) memcpy(&all, options, size < sizeof all ? size : sizeof all);
    return all;
}

ty_thing *ty_thing_new_sized(int n, const double *numbers, const ty_thing_options *options, size_t size) {
    ty_thing *thing = malloc(sizeof *thing);
    if (thing) *thing = (ty_thing){known(options, size), ty_sum_of(n, numbers, NULL)};
    return thing;
}

ty_thing *ty_thing_made_sized(const ty_thing_options *options, size_t size) {
    return ty_thing_new_sized(0, NULL, options, size);
}

int ty_one(void) { return 1; }

int ty_treble(int x) { return 3 * x; }

int ty_steps_of_sized(const ty_same_options *options, size_t size) { return known(options, size).steps; }

void ty_thing_free(ty_thing *thing) { free(thing); }

char *ty_thing_words(const ty_thing *thing) { return (void)thing, NULL; }

ty_part *ty_thing_part(const ty_thing *thing, const double *numbers) {
    return (void)numbers, (ty_part *)thing;
}

void ty_thing_shut(ty_thing *thing) { (void)thing; }

void ty_thing_report_sized(const ty_thing *thing, ty_thing_report *report, size_t size) {
    ty_thing_report all = {.steps = thing->options.steps ? thing->options.steps : 10,
                           .sum = thing->sum,
                           .range = {{1, 2}, {3, 4}}};
    memcpy(report, &all, size < sizeof all ? size : sizeof all);
    if (thing->options.watch) thing->options.watch(thing->options.watch_context, &all, sizeof all);
}

double ty_sum_of(int n, const double numbers[], const double *initial) {
    double sum = initial ? *initial : 0;
    for (int i = 0; i < n; i++) sum += numbers[i];
    return sum;
}

double ty_product_of(int n, const double numbers[], const double *initial) {
    double product = initial ? *initial : 1;
    for (int i = 0; i < n; i++) product *= numbers[i];
    return product;
}

bool ty_uncommented(const int64_t pair[2], ty_dtype dtype) { return dtype == TY_F32 && pair[0] < pair[1]; }

int(ty_add_up)(int count, ...) {
    va_list list;
    va_start(list, count);
    int sum = 0;
    while (count-- > 0) sum += va_arg(list, int);
    va_end(list);
    return sum;
}

#define ROW(name, factor, doc)                                                                               \
    double ty_small_##name##_sized(double x, const ty_thing_options *options, size_t size) {                 \
        return x * factor + known(options, size).steps;                                                      \
    }
#include <tyto/tables/rows.def>
#endif
