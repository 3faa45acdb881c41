/* Lists of nests, folds, and engines of the user's own. */
#include <string.h>
#include "tests/support/calls/take.h"

enum { ELEMENTS = 4 };
static const int64_t one_step[] = {1, 1}, outer_step[] = {1, 0};

/* r0 = f32 operand 0; r1 = the negative of it; r2 = the sum of r1; operand 1 = r2. */
static const ty_nest_dim dims[] = {{ELEMENTS, TY_NEST_PARALLEL, -1, -1}, {1, TY_NEST_FOLD, -1, -1}};
static const ty_nest_access from = {.slot = 0, .dtype = TY_F32, .strides = one_step};
static const ty_nest_instr neg = {"neg", TY_F32, TY_F32, 1, {0}};
static const ty_nest_instr wrong[] = {
    {"neg", TY_F32, TY_F32, 1, {9}}, {"none", TY_F32, TY_F32, 1, {0}}, {NULL, TY_DTYPES, TY_F32, 9, {0}}};
static const ty_nest_fold sum = {
    .kind = TY_NEST_SUM, .dtype = TY_F32, .value = 1, .when = TY_NEST_ALWAYS, .lanes = 4};
static const ty_nest_write to = {
    .to = {.slot = 1, .dtype = TY_F32, .strides = outer_step}, .value = 2, .when = TY_NEST_ALWAYS};

TAKE(c_ty_nest_instr_p, const ty_nest_instr *) {
    int way = calls_choose(c, 6);
    (void)name;
    return way < 3 ? &neg : &wrong[way - 3];
}

TAKE(c_ty_nest_write_p, const ty_nest_write *) {
    ty_nest_write *w = calls_room(c, sizeof *w);
    (void)name;
    *w = to;
    w->store = calls_choose(c, 8) - 1;
    if (w->store < 0) w->store = TY_NEST_SET;
    return w;
}

TAKE(c_ty_nest_p, const ty_nest *) {
    ty_nest *n = calls_room(c, sizeof *n);
    int way = calls_choose(c, 8);
    (void)name;
    *n = (ty_nest){"a test", 2,    1,   1,   1, 0, 1, 0, dims, &from, way > 5 ? &wrong[way - 6] : &neg,
                   NULL,     &sum, &to, NULL};
    if (way == 4) n->ndims = 1 << 20;
    if (way == 5) n->nfolds = -1;
    return n;
}

TAKE(c_ty_nests_p, const ty_nests *) {
    struct {
        ty_nests nests;
        ty_nest_step step;
    } *all = calls_room(c, sizeof *all);
    all->step.nest = take_c_ty_nest_p(c, name);
    if (calls_choose(c, 8) == 7) all->step = (ty_nest_step){.algorithm = "sort"};
    all->nests = (ty_nests){.nsteps = calls_choose(c, 8) == 7 ? -1 : 1, .noperands = 2, .steps = &all->step};
    return &all->nests;
}

TAKE(c_void_pc_p, const void *const *) {
    const void **operands = calls_room(c, 3 * sizeof *operands);
    (void)name;
    for (int i = 0; i < 3; i++) operands[i] = calls_choose(c, 8) == 7 ? NULL : take_c_void_p(c, name);
    return operands;
}

TAKE(c_ty_nest_value_p, const ty_nest_value *) {
    (void)name;
    return calls_room(c, 4 * sizeof(ty_nest_value));
}
TAKE(ty_nest_value_p, ty_nest_value *) {
    (void)name;
    return calls_room(c, sizeof(ty_nest_value));
}

TAKE(owned_ty_folding_p, ty_folding *) {
    (void)name;
    return ty_folding_new(take_c_ty_nest_p(c, name), 0);
}
/* The nest must outlive the state: that of `owned` is freed after the call, too. */
HANDLE(ty_folding_p, ty_folding, ty_folding_free)

/* ---- engines ---- */

static bool prepare(void *context, const ty_nests *nests, void **kernel, ty_engine_error *error) {
    (void)context, (void)nests, (void)kernel;
    return ty_engine_fail(error, TY_ERROR_UNSUPPORTED, "it does nothing");
}
static bool launch(void *context, void *stream, void *kernel, const ty_engine_place *slots,
                   ty_engine_refusal *refusal, ty_engine_error *error) {
    (void)context, (void)stream, (void)kernel, (void)slots, (void)refusal;
    return ty_engine_fail(error, TY_ERROR_INTERNAL, "it does nothing");
}
static void *allocate(void *context, size_t bytes, ty_engine_error *error) {
    (void)context, (void)bytes, (void)error;
    return NULL;
}

TAKE(ty_engine, ty_engine) {
    static const char *const names[] = {"calls", "calls", "cpu", "", "Calls", "a_name_of_many_letters", NULL};
    (void)name;
    return (ty_engine){.name = names[calls_choose(c, 7)],
                       .model = calls_choose(c, 4) == 3 ? "\xff\n" : NULL,
                       .language = TY_NEST_LANGUAGE + (calls_choose(c, 8) == 7),
                       .lacks = calls_choose(c, 8) == 7 ? UINT32_MAX : 0,
                       .memory = calls_choose(c, 8) == 7 ? -1 : 0,
                       .prepare = calls_choose(c, 8) == 7 ? NULL : prepare,
                       .launch = calls_choose(c, 8) == 7 ? NULL : launch,
                       .allocate = calls_choose(c, 8) == 7 ? allocate : NULL};
}

TAKE(c_ty_engine_p, const ty_engine *) {
    ty_engine *e = calls_room(c, sizeof *e);
    *e = take_ty_engine(c, name);
    return e;
}

TAKE(ty_engine_error_p, ty_engine_error *) {
    (void)name;
    return calls_room(c, sizeof(ty_engine_error));
}

TAKE(ty_engine_counts_p, ty_engine_counts *) {
    (void)name;
    return calls_room(c, sizeof(ty_engine_counts));
}

/* ---- files of C ---- */

TAKE(c_ty_export_function_p, const ty_export_function *) {
    static const char *const names[] = {"predict", "step", "begin", "while", "a b", "", "\xff*/", NULL};
    size_t n = calls_elements(c);
    ty_export_function *functions = calls_room(c, n * sizeof *functions);
    (void)name;
    for (size_t i = 0; i < n; i++) {
        ty_tensor **outputs = calls_room(c, sizeof *outputs);
        outputs[0] = calls_tensor(c, "output");
        functions[i] = (ty_export_function){.name = names[calls_choose(c, 8)],
                                            .noutputs = calls_choose(c, 8) == 7 ? -1 : 1,
                                            .outputs = outputs};
    }
    return functions;
}
TAKE(ty_export_options, ty_export_options) {
    static const char *const prefixes[] = {NULL, "a", "int", "_a", ""};
    (void)name;
    return (ty_export_options){.prefix = prefixes[calls_choose(c, 5)],
                               .weights = calls_choose(c, 8) == 7 ? "/nonexistent/a.bin" : NULL,
                               .openmp = calls_choose(c, 2) == 1,
                               .saves = calls_choose(c, 2) == 1,
                               .order = calls_choose(c, 2) == 1};
}
TAKE(ty_export_report_p, ty_export_report *) {
    (void)name;
    return calls_room(c, sizeof(ty_export_report));
}
