/*
 * Interprets bytes as a sequence of calls on a few tensors, programs and scopes: open and close, record, differentiate,
 * compile, run, assign, keep, retain and release in balance, trim. Each result is a value, a promise or an error
 * message. No held object may be freed, and none may be left at the end.
 */
#include <string.h>
#include "fuzz/limits.h"
#include <tyto/tyto.h>

enum { SLOTS = 12, PROGRAMS = 3, SCOPES = 6, LONGEST = 200, LARGEST = 512, MOST_GRADIENTS = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct slot {
    ty_tensor *x;
    int depth; /* depth of the owning scope; above SCOPES: none */
    int refs;  /* references held here */
};

struct state {
    const uint8_t *at, *end;
    struct slot slots[SLOTS];
    ty_program *programs[PROGRAMS];
    int outputs[PROGRAMS];
    ty_scope *scopes[SCOPES];
    int depth, gradients;
};

static uint8_t next(struct state *s) { return s->at < s->end ? *s->at++ : 0; }

static void check(const ty_tensor *x) {
    if (!x || ty_ok(x) == (*ty_error(x) != 0) || strchr(ty_error(x), '\n')) __builtin_trap();
}

static void forget(struct slot *slot) {
    for (; slot->refs; slot->refs--) ty_release(slot->x);
    slot->x = NULL;
}

/* Put x, made in the innermost scope, into a random slot; large tensors are dropped. */
static void put(struct state *s, ty_tensor *x) {
    struct slot *slot = &s->slots[next(s) % SLOTS];
    check(x);
    forget(slot);
    *slot = (struct slot){ty_size(x) > LARGEST ? NULL : x, s->depth, 0};
}

static struct slot *some(struct state *s) { return &s->slots[next(s) % SLOTS]; }
static ty_tensor *take(struct state *s) { return some(s)->x; }

static void take_several(struct state *s, int n, ty_tensor **x) {
    for (int i = 0; i < n; i++) x[i] = take(s);
}

/* ---- making tensors ---- */

static void make(struct state *s) {
    static const int64_t shapes[][3] = {{2, 3}, {3, 2}, {1, 3}, {0, 3}, {3}, {2, 3, 2}, {1}, {4, 4}};
    static const int ranks[] = {2, 2, 2, 2, 1, 3, 0, 2};
    static const ty_dtype dtypes[] = {TY_F32, TY_F32, TY_F64, TY_F32, TY_I64, TY_C64, TY_F16, TY_U8};
    int shape = next(s) % 8, kind = next(s);
    ty_tensor *x = ty_iota(dtypes[kind % 8], ranks[shape], shapes[shape], 0);
    if (ranks[shape] == 0) x = ty_scalar(dtypes[kind % 8], 2);
    put(s, kind < 64    ? x
           : kind < 128 ? ty_var(x, "v")
           : kind < 192 ? ty_track(x, "t")
           : kind < 224 ? ty_lazy(x)
           : kind < 240 ? ty_num(kind)
                        : ty_poison("bad from the start"));
}

static void one(struct state *s) {
    static ty_tensor *(*const functions[])(ty_tensor *) = {
        ty_neg,  ty_exp,        ty_sqrt,   ty_transpose, ty_ravel, ty_detach, ty_lazy, ty_eval,
        ty_relu, ty_contiguous, ty_square, ty_unique,    ty_real,  ty_gelu,   ty_tanh, ty_argwhere};
    put(s, functions[next(s) % 16](take(s)));
}

static void two(struct state *s) {
    static ty_tensor *(*const functions[])(ty_tensor *, ty_tensor *) = {
        ty_add, ty_sub, ty_mul,   ty_div,    ty_max,   ty_matmul,
        ty_lt,  ty_pow, ty_inner, ty_append, ty_outer, ty_mod};
    ty_tensor *(*function)(ty_tensor *, ty_tensor *) = functions[next(s) % 12];
    ty_tensor *a = take(s);
    put(s, function(a, take(s)));
}

static void other(struct state *s) {
    int which = next(s) % 12, axis = next(s) % 5 - 2;
    ty_tensor *x = take(s), *pair[2] = {x, NULL};
    pair[1] = which == 5 || which == 6 || which == 9 ? take(s) : NULL;
    put(s, which == 0    ? ty_sum(x, ty_axis(axis))
           : which == 1  ? ty_mean(x, TY_ALL)
           : which == 2  ? ty_slice(x, axis, 0, TY_END, 2)
           : which == 3  ? ty_softmax(x, axis)
           : which == 4  ? ty_cumsum(x, axis, (ty_running){0})
           : which == 5  ? ty_concat(2, pair, axis)
           : which == 6  ? ty_where(ty_gt(x, ty_num(0)), x, pair[1])
           : which == 7  ? ty_at(x, "-1")
           : which == 8  ? ty_sort(x, axis, false)
           : which == 9  ? ty_set_at(x, "0", pair[1])
           : which == 10 ? ty_broadcast(x, 3, (int64_t[]){2, 2, 3})
                         : ty_cast(x, next(s) % (TY_DTYPES + 1)));
}

static ty_tensor *body(void *context, ty_tensor *const *x) {
    return *(const int *)context == 1 ? NULL : ty_mul(ty_exp(x[0]), x[1]);
}

static void fuse(struct state *s) {
    ty_tensor *x[2] = {NULL};
    int kind = next(s) % 8;
    take_several(s, 2, x);
    put(s, ty_fuse(body, &kind, 2, x));
}

static void differentiate(struct state *s) {
    ty_tensor *y = take(s), *x[3] = {NULL}, *gradients[3];
    int n = next(s) % 4;
    if (s->gradients++ == MOST_GRADIENTS) return; /* each gradient may double the graph */
    take_several(s, n, x);
    ty_grad(y, n, x, gradients);
    for (int i = 0; i < n; i++) put(s, gradients[i]);
}

static void evaluate(struct state *s) {
    ty_tensor *x[3] = {NULL}, *values[3];
    int n = next(s) % 4;
    take_several(s, n, x);
    ty_eval_all(n, x, values);
    for (int i = 0; i < n; i++) put(s, values[i]);
}

/* ---- variables and programs ---- */

static void assign(struct state *s) {
    ty_tensor *variables[2] = {NULL}, *values[2] = {NULL}, *error = NULL;
    int n = 1 + next(s) % 2;
    take_several(s, n, variables);
    take_several(s, n, values);
    if (!ty_assign_all(n, variables, values, &error)) check(error);
}

static void compile(struct state *s) {
    int which = next(s) % PROGRAMS, n = next(s) % 3, nupdates = next(s) % 3;
    ty_tensor *outputs[2] = {NULL};
    ty_update updates[2] = {{NULL, NULL}};
    take_several(s, n, outputs);
    for (int i = 0; i < nupdates; i++) updates[i].variable = take(s), updates[i].value = take(s);
    ty_program_free(s->programs[which]);
    ty_compile_options options = {.updates = updates, .nupdates = nupdates, .no_fuse = next(s) % 4 == 3};
    s->programs[which] = ty_compile(n, outputs, options);
    s->outputs[which] = n;
}

static void run(struct state *s) {
    int which = next(s) % PROGRAMS;
    ty_program *program = s->programs[which];
    ty_tensor *why = NULL;
    bool done = ty_run(program);
    if (!done && !*ty_program_error(program)) __builtin_trap();
    if (done && !ty_program_check(program, &why)) __builtin_trap();
    for (int i = 0; i < s->outputs[which]; i++) {
        struct slot *slot = some(s);
        ty_tensor *y = ty_retain(ty_output(program, i));
        check(y);
        forget(slot);
        *slot = (struct slot){y, SCOPES + 1, 1};
    }
}

static void free_program(struct state *s) {
    int which = next(s) % PROGRAMS;
    ty_program_free(s->programs[which]);
    s->programs[which] = NULL;
    s->outputs[which] = 0;
}

/* ---- ownership ---- */

static void open(struct state *s) {
    if (s->depth < SCOPES) s->scopes[s->depth++] = ty_open();
}

/* Close a scope and all opened after it; the first stays open. */
static void close(struct state *s) {
    int depth = 1 + next(s) % SCOPES;
    if (depth >= s->depth) return;
    ty_close(s->scopes[depth]);
    s->depth = depth;
    for (int i = 0; i < SLOTS; i++) {
        struct slot *slot = &s->slots[i];
        if (slot->depth <= depth) continue;
        if (!slot->refs) slot->x = NULL;
        slot->depth = SCOPES + 1;
    }
}

static void retain(struct state *s) {
    struct slot *slot = some(s);
    if (!slot->x || slot->refs == 3) return;
    slot->x = ty_retain(slot->x);
    slot->refs++;
}

static void release(struct state *s) {
    struct slot *slot = some(s);
    bool ours = slot->depth > SCOPES; /* no scope owns it any more */
    if (!slot->refs) return;
    ty_release(slot->x);
    if (--slot->refs == 0 && ours) slot->x = NULL;
}

static void keep(struct state *s) {
    struct slot *slot = some(s);
    if (!slot->x || slot->depth != s->depth || s->depth < 2) return;
    slot->x = ty_keep(slot->x);
    slot->depth--;
}

static void look(struct state *s) {
    ty_tensor *x[2] = {NULL};
    int64_t nodes, edges;
    take_several(s, 2, x);
    char *text = next(s) % 2 ? ty_dot(2, x) : ty_text(2, x), *format = ty_format(x[0], (ty_print_options){0});
    ty_count(2, x, &nodes, &edges, NULL);
    ty_free(text);
    ty_free(format);
    ty_free(ty_info(x[1]));
    ty_item(x[0]);
}

static void settings(struct state *s) {
    static const char *const engines[] = {"cpu", "ref", "cpu", "null", NULL};
    int which = next(s);
    if (which < 100)
        ty_trim();
    else if (which < 180)
        ty_use_engine(engines[which % 5]);
    else
        ty_set_history(which % 2);
}

static void finish(struct state *s) {
    for (int i = 0; i < PROGRAMS; i++) ty_program_free(s->programs[i]);
    for (int i = 0; i < SLOTS; i++) forget(&s->slots[i]);
    ty_close(s->scopes[0]);
    ty_use_engine("cpu");
    ty_set_history(true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static void (*const steps[])(struct state *) = {
        make,          make,     one,    one,     two,     two,  other,   other,        fuse,
        differentiate, evaluate, assign, assign,  compile, run,  run,     free_program, open,
        close,         retain,   retain, release, keep,    look, settings};
    struct state s = {.at = data, .end = data + size};
    if (size > LONGEST) return 0;
    fuzz_limits();
    open(&s);
    while (s.at < s.end) steps[next(&s) % (sizeof steps / sizeof *steps)](&s);
    finish(&s);
    if (size % 16) return 0; /* check the caches only sometimes */
    ty_trim();
    if (mem_live()) __builtin_trap();
    return 0;
}
