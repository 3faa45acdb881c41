/*
 * Random programs on values, views, memory, promises and values given away, against a model in C that copies everything.
 * Values and promises of values never change, whoever writes into which memory; views of memory follow it.
 */
#include <stdio.h>
#include <string.h>
#include "tests/support/harness.h"

enum { LENGTH = 6, BASE = 16, BASES = 3, HANDLES = 10, STEPS = 60 };

/* A handle and what it must show: numbers of its own, or elements of a base. */
struct handle {
    ty_tensor *x; /* NULL: free */
    int base;     /* -1: a value or promise of values */
    int start, step;
    double numbers[LENGTH];
};

struct world {
    ty_tensor *bases[BASES];
    double memory[BASES][BASE];
    struct handle handles[HANDLES];
    int step;
    const char *what;
};

static double shown(const struct world *w, const struct handle *h, int i) {
    return h->base < 0 ? h->numbers[i] : w->memory[h->base][h->start + i * h->step];
}

static void forget(struct handle *h) {
    if (h->x) ty_release(h->x);
    h->x = NULL;
}

/* Check all handles and all memory. */
static void check(const struct world *w) {
    double numbers[BASE];
    for (int k = 0; k < HANDLES; k++) {
        const struct handle *h = &w->handles[k];
        if (!h->x || !ty_read(h->x, TY_F64, numbers)) continue;
        for (int i = 0; i < LENGTH; i++)
            CHECK(numbers[i] == shown(w, h, i), "step %d, %s: handle %d has %g at %d, not %g", w->step,
                  w->what, k, numbers[i], i, shown(w, h, i));
    }
    for (int b = 0; b < BASES; b++)
        if (ty_read(w->bases[b], TY_F64, numbers))
            for (int i = 0; i < BASE; i++)
                CHECK(numbers[i] == w->memory[b][i], "step %d, %s: memory %d has %g at %d, not %g", w->step,
                      w->what, b, numbers[i], i, w->memory[b][i]);
}

static struct handle *any(struct world *w) {
    struct handle *h = &w->handles[test_between(0, HANDLES - 1)];
    return h->x ? h : NULL;
}

static struct handle *fresh(struct world *w) {
    struct handle *h = &w->handles[test_between(0, HANDLES - 1)];
    forget(h);
    return h;
}

/* Keep y, with these numbers, in a handle. Poison is dropped. */
static void put(struct world *w, ty_tensor *y, const double *numbers) {
    struct handle *h = fresh(w);
    if (!ty_ok(y)) {
        CHECK(test_starving(), "step %d, %s: %s", w->step, w->what, ty_error(y));
        return;
    }
    h->x = ty_retain(y);
    h->base = -1;
    memcpy(h->numbers, numbers, sizeof h->numbers);
}

/* Operators that are exact on the small integers of this test. */
static ty_tensor *operate(int how, ty_tensor *a, ty_tensor *b) {
    switch (how) {
    case 0:
        return ty_add(a, b);
    case 1:
        return ty_max(a, ty_neg(b));
    case 2:
        return ty_sub(ty_flip(a, 0), b);
    case 3:
        return ty_clip(ty_cumsum(a, 0, (ty_running){0}), ty_num(-9), ty_num(9));
    default:
        return ty_clip(ty_sub(b, a), ty_num(-9), ty_num(9));
    }
}

static double clipped(double x) { return x < -9 ? -9 : x > 9 ? 9 : x; }

static void model(int how, const struct world *w, const struct handle *a, const struct handle *b,
                  double *out) {
    double sum = 0;
    for (int i = 0; i < LENGTH; i++) {
        double x = shown(w, a, i), y = shown(w, b, i);
        sum += x;
        out[i] = how == 0   ? x + y
                 : how == 1 ? (x > -y ? x : -y)
                 : how == 2 ? shown(w, a, LENGTH - 1 - i) - y
                 : how == 3 ? clipped(sum)
                            : clipped(y - x);
    }
}

static void compute_value(struct world *w) {
    struct handle *a = any(w), *b = any(w);
    double out[LENGTH];
    int how = (int)test_between(0, 4);
    if (!a || !b) return;
    model(how, w, a, b, out);
    put(w, ty_eval(operate(how, a->x, b->x)), out); /* of memory now: a promise would follow it */
}

/* A promise of values; promises of memory show what is there later, which the model does not follow. */
static void make_promise(struct world *w) {
    struct handle *a = any(w), *b = any(w);
    double out[LENGTH];
    int how = (int)test_between(0, 4);
    if (!a || !b || a->base >= 0 || b->base >= 0) return;
    model(how, w, a, b, out);
    put(w, operate(how, ty_lazy(a->x), b->x), out);
}

static void view_value(struct world *w) {
    struct handle *a = any(w);
    double out[LENGTH];
    if (!a || a->base >= 0) return;
    for (int i = 0; i < LENGTH; i++) out[i] = shown(w, a, LENGTH - 1 - i);
    put(w, ty_flip(a->x, 0), out);
}

static void view_memory(struct world *w) {
    struct handle *h = fresh(w);
    int base = (int)test_between(0, BASES - 1), step = test_between(0, 1) ? 1 : 2;
    int start = (int)test_between(0, BASE - 1 - (LENGTH - 1) * step), back = (int)test_between(0, 1);
    ty_tensor *x = ty_slice(w->bases[base], 0, start, start + (LENGTH - 1) * step + 1, step);
    if (back) x = ty_flip(x, 0);
    if (!ty_ok(x)) return;
    *h = (struct handle){
        ty_retain(x), base, back ? start + (LENGTH - 1) * step : start, back ? -step : step, {0}};
}

/* Write a promise or a value of other handles into memory, or into a value, which is refused unless nobody holds it. */
static void write_into(struct world *w) {
    struct handle *to = any(w), *a = any(w), *b = any(w);
    double out[LENGTH];
    int how = (int)test_between(0, 4);
    bool lazily = test_between(0, 2) > 0;
    ty_tensor *error = NULL;
    if (!to || !a || !b) return;
    model(how, w, a, b, out);
    ty_tensor *x = operate(how, lazily ? ty_lazy(a->x) : a->x, b->x);
    if (!ty_ok(x)) return;
    if (!ty_into(to->x, x, &error)) {
        CHECK(test_starving() || (to->base < 0 && ty_error_code(error) == TY_ERROR_STATE), "step %d: %s",
              w->step, ty_error(error));
        return;
    }
    for (int i = 0; i < LENGTH; i++)
        *(to->base < 0 ? &to->numbers[i] : &w->memory[to->base][to->start + i * to->step]) = out[i];
}

/* Give a handle away; its reference is dropped, as t = f(ty_give(t)) does. */
static void give_value(struct world *w) {
    struct handle *a = any(w), *b = any(w);
    double out[LENGTH];
    int how = (int)test_between(0, 1) * 4;
    if (!a || !b || a == b || a->base >= 0) return;
    model(how, w, a, b, out);
    ty_tensor *y =
        how ? ty_clip(ty_sub(b->x, ty_give(a->x)), ty_num(-9), ty_num(9)) : ty_add(ty_give(a->x), b->x);
    y = ty_eval(y);
    forget(a);
    put(w, y, out);
}

static void set_element(struct world *w) {
    struct handle *a = any(w);
    double out[LENGTH];
    char text[16];
    int place = (int)test_between(0, LENGTH - 1);
    if (!a || a->base >= 0) return;
    for (int i = 0; i < LENGTH; i++) out[i] = i == place ? 5 : shown(w, a, i);
    snprintf(text, sizeof text, "%d", place);
    bool give = test_between(0, 1);
    ty_tensor *y = ty_set_at(give ? ty_give(a->x) : a->x, text, ty_num(5));
    if (give) forget(a);
    put(w, y, out);
}

static struct {
    const char *name;
    void (*run)(struct world *w);
} const acts[] = {
    {"a value", compute_value}, {"a promise", make_promise},    {"a view of a value", view_value},
    {"a view", view_memory},    {"into", write_into},           {"into", write_into},
    {"given away", give_value}, {"an element set", set_element}};

static void begin(struct world *w) {
    for (int b = 0; b < BASES; b++) {
        w->bases[b] = b ? ty_memory(TY_F64, TY_SHAPE(BASE))
                        : ty_borrow(TY_F64, TY_SHAPE(BASE), test_room(BASE * 8), NULL, NULL);
        double first[LENGTH];
        for (int i = 0; i < LENGTH; i++) first[i] = (double)test_between(-9, 9);
        put(w, ty_from(TY_F64, TY_SHAPE(LENGTH), first), first);
    }
}

static void random_programs(void) {
    int programs = test_some(1500, 200, 8);
    for (int p = 0; p < programs; p++) {
        struct test_round round = test_round();
        struct world w = {.what = "begin"};
        begin(&w);
        for (w.step = 0; w.step < STEPS; w.step++) {
            int act = (int)test_between(0, sizeof acts / sizeof *acts - 1);
            ty_scope *scope = ty_open();
            w.what = acts[act].name;
            acts[act].run(&w);
            ty_close(scope);
            if (w.step % 4 == 3) check(&w);
        }
        for (int k = 0; k < HANDLES; k++) forget(&w.handles[k]);
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(random_programs))
