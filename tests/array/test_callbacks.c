/*
 * Callbacks of the library: `done` of borrowed memory, subgraphs, layers, rules, sources, sinks. Each may use the
 * library wherever it is called from, leave scopes open, try to close its caller's, and return NULL.
 */
#include <pthread.h>
#include <string.h>
#include <tyto/dlpack.h>
#include <tyto/io.h>
#include <tyto/nn.h>
#include "array/scope.h"
#include "tests/support/harness.h"
#include "tests/support/misbehave.h"

/* ---- done ---- */

static float ones[1 << 12];
static int ended;

static ty_tensor *lend(int n, void (*done)(void *, void *), void *context) {
    for (int i = 0; i < n; i++) ones[i] = 1;
    return ty_borrow(TY_F32, TY_SHAPE(n), ones, done, context);
}

static void use_library(void *context, void *data) {
    (void)context, (void)data;
    ended++;
    ty_scope *s = ty_open();
    for (int i = 0; i < 40; i++) ty_eval(ty_add(ty_lazy(ty_ones(TY_F32, TY_SHAPE(50))), ty_num(i)));
    ty_einsum("ij,jk->ik", ty_ones(TY_F32, TY_SHAPE(3, 4)), ty_ones(TY_F32, TY_SHAPE(4, 5)));
    ty_trim();
    ty_close(s);
    for (int i = 0; i < 40; i++) ty_neg(ty_ones(TY_F32, TY_SHAPE(5))); /* in any open scope */
}

/* Callbacks of a closing scope may create tensors and open scopes. */
static void done_as_a_scope_closes(void) {
    ended = 0;
    ty_scope *s = ty_open();
    for (int i = 0; i < 100; i++) lend(100, use_library, NULL);
    ty_close(s);
    CHECK(ended == 100 && scope_depth() == 1, "%d of 100 ended, %d scopes are open", ended, scope_depth());
}

static void open_many(void *context, void *data) {
    (void)context, (void)data;
    ended++;
    for (int i = 0; i < 300; i++) ty_open();
    ty_ones(TY_F32, TY_SHAPE(7));
}

static void close_all(void *context, void *data) {
    (void)context, (void)data;
    ended++;
    ty_close(around);
    ty_ones(TY_F32, TY_SHAPE(7));
}

static void done_that_disturbs_scopes(void) {
    ended = 0;
    around = ty_open();
    ty_tensor *stays = ty_full(TY_F32, TY_SHAPE(3), 5);
    ty_scope *s = ty_open();
    lend(10, close_all, NULL), lend(10, open_many, NULL);
    ty_close(s);
    CHECK(scope_depth() == 2 && ended == 2, "%d scopes", scope_depth());
    double now = ty_ok(stays) ? ty_item(ty_sum(stays, TY_ALL)) : 15;
    CHECK(now == 15 || test_starving(), "what was around is %g", now);
    ty_close(around);
}

/* No lock is held when the caches of programs and einsums, or a program, release borrowed memory. */
static void done_from_the_cache(void) {
    ended = 0;
    for (int i = 0; i < 70; i++) { /* more than the cache's capacity */
        ty_scope *s = ty_open();
        /* small tensors are folded, others are arguments */
        ty_tensor *x = ty_lazy(lend(3 + i, use_library, NULL));
        ty_eval(ty_mul(ty_exp(x), x));
        ty_close(s);
    }
    ty_scope *s = ty_open();
    ty_tensor *empty =
        ty_lazy(ty_borrow(TY_F32, TY_SHAPE(0, 3), NULL, use_library, NULL)); /* part of a structure */
    for (int i = 0; i < 2; i++)
        ty_eval(ty_concat(2, (ty_tensor *[]){empty, ty_lazy(ty_ones(TY_F32, TY_SHAPE(2, 3)))}, 0));
    ty_close(s);
    ty_trim();
    CHECK(ended == 71, "%d of 71 ended", ended);
}

static ty_program *to_run;
static void run_again(void *context, void *data) {
    (void)context, (void)data;
    ended++;
    ty_scope *s = ty_open();
    if (to_run) ty_run(to_run);
    ty_close(s);
}
static void forget_program(void *unused) {
    (void)unused;
    to_run = NULL;
}

/* An update releases the old value of its variable; its callback runs the running program again. */
static void done_from_an_update(void) {
    ended = 0;
    ty_tensor *v = ty_var(ty_ones(TY_F32, TY_SHAPE(100)), "v");
    ty_tensor *next = ty_add(v, ty_num(1));
    ty_update update = {v, next};
    ty_program *p =
        test_program(ty_compile(1, &next, (ty_compile_options){.updates = &update, .nupdates = 1}));
    if (*ty_program_error(p)) return;
    test_own(to_run = p, forget_program);
    ty_scope *s = ty_open();
    bool lent = ty_assign(v, lend(100, run_again, NULL), NULL);
    ty_close(s);
    if (!lent) return;
    CHECK(ty_run(p) || test_starving(), "%s", ty_program_error(p));
    if (test_starving()) return;
    CHECK(ended == 1, "ended %d times", ended);
    CHECK(ty_item(ty_amax(v, TY_ALL)) == 3, "two runs of one make %g", ty_item(ty_amax(v, TY_ALL)));
    s = ty_open();
    ty_assign(v, lend(100, run_again, NULL), NULL);
    ty_close(s);
    ty_assign(v, ty_zeros(TY_F32, TY_SHAPE(100)), NULL);
    CHECK(ended == 2, "an assignment ended %d", ended);
}

static ty_einsum_plan *plan_to_run;
static void run_plan(void *context, void *data) {
    (void)context, (void)data;
    ended++;
    ty_scope *s = ty_open();
    if (plan_to_run) ty_einsum_plan_run(plan_to_run, 1, (ty_tensor *[]){ty_zeros(TY_F32, TY_SHAPE(100))});
    ty_close(s);
}

static void drop_plan(void *plan) { ty_einsum_plan_free(plan); }

static void done_from_an_einsum_plan(void) {
    ended = 0;
    ty_einsum_operand operand = {.rank = 1, .shape = (int64_t[]){100}};
    ty_einsum_plan *p =
        test_own(ty_einsum_plan_new("i->", TY_F32, 1, &operand, (ty_einsum_options){0}), drop_plan);
    if (*ty_einsum_plan_error(p)) return;
    plan_to_run = p;
    for (int i = 0; i < 2; i++) {
        ty_scope *s = ty_open();
        ty_tensor *y = ty_einsum_plan_run(p, 1, (ty_tensor *[]){lend(100, run_plan, NULL)});
        double sum = ty_ok(y) ? ty_item(y) : 100;
        ty_close(s);
        CHECK(sum == 100 || test_starving(), "run %d: %g", i, sum);
    }
    plan_to_run = NULL;
    CHECK(ended == 2, "ended %d", ended);
}

static void end_managed(struct DLManagedTensorVersioned *self) { use_library(self, NULL); }

static void deleters(void) {
    int64_t shape = 50;
    DLManagedTensorVersioned managed = {
        .version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION},
        .deleter = end_managed,
        .dl_tensor = {
            .data = ones, .device = {kDLCPU, 0}, .ndim = 1, .dtype = {kDLFloat, 32, 1}, .shape = &shape}};
    ended = 0;
    ty_scope *s = ty_open();
    ty_from_dlpack(&managed);
    ty_close(s);
    managed.dl_tensor.ndim = -1; /* invalid, but the deleter is called */
    ty_from_dlpack(&managed);
    CHECK(ended == 2, "ended %d times", ended);
}

/* ---- functions that return a tensor ---- */

static ty_tensor *body(void *context, ty_tensor *const *x) {
    (void)context;
    return misbehave(ty_mul(x[0], ty_num(2)));
}

static void bodies(void) {
    ty_tensor *operands[] = {ty_ones(TY_F32, TY_SHAPE(6)), ty_var(ty_ones(TY_F32, TY_SHAPE(6)), "v"),
                             ty_track(ty_ones(TY_F32, TY_SHAPE(6)), "t")};
    for (way = 0; way < WAYS; way++)
        for (int i = 0; i < 3; i++) {
            around = ty_open();
            int depth = scope_depth();
            ty_tensor *y = ty_fuse(body, NULL, 1, &operands[i]);
            CHECK(misbehave_expected(y), "operand %d, way %d: %s", i, way, ty_error(y));
            CHECK(scope_depth() == depth, "operand %d, way %d: %d scopes", i, way, scope_depth());
            ty_tensor *sum = ty_ok(y) ? ty_sum(y, TY_ALL) : y;
            CHECK(!ty_ok(sum) || ty_item(sum) == 12 || test_starving(), "%g", ty_item(sum));
            ty_close(around);
        }
    CHECK_POISON(ty_fuse(NULL, NULL, 1, operands), "the body is NULL");
}

static void one_step(void *context, ty_step *s) {
    (void)context;
    s->next[0] = misbehave(ty_add(s->carry[0], ty_num(1)));
}
static ty_tensor *goes_on(void *context, ty_tensor *const *carry) {
    (void)context;
    ty_tensor *go = misbehave(ty_lt(ty_sum(carry[0], TY_ALL), ty_num(50)));
    return go ? ty_cast(go, TY_BOOL) : NULL;
}
static void next(void *context, ty_tensor *const *carry, ty_tensor **to) {
    (void)context;
    to[0] = ty_add(carry[0], ty_num(1));
}
static void branch(void *context, ty_tensor *const *x, ty_tensor **results) {
    (void)context;
    results[0] = misbehave(ty_add(x[0], ty_num(1)));
}

static ty_tensor *doubled(void *context, ty_tensor *x) {
    (void)context;
    return misbehave(ty_add(x, x));
}
static bool call_map(int which, ty_tensor *x, ty_tensor **y) {
    ty_linear map = {doubled, NULL};
    if (which == 5) *y = ty_cg(map, x, (ty_iteration){0}).x;
    if (which == 6) *y = ty_bicgstab(map, x, (ty_iteration){.preconditioner = map}).x;
    if (which == 7) *y = ty_gmres(map, x, (ty_iteration){0}).x;
    if (which == 8) *y = ty_lanczos(map, x, 1, (ty_lanczos_options){0}).values;
    return ty_ok(*y);
}

static bool call_control(int which, ty_tensor *x, ty_tensor **y) {
    if (which > 4) return call_map(which, x, y);
    ty_scan_spec loop = {.ncarry = 1, .carry = &x, .length = 3};
    ty_tensor *yes = ty_scalar(TY_BOOL, 1);
    if (which == 0) return ty_scan(one_step, NULL, loop, y, NULL, NULL);
    if (which == 1) return ty_while(goes_on, next, NULL, 1, &x, 9, y, NULL);
    if (which == 4) return ty_vmap(branch, NULL, 1, &x, NULL, 1, y, NULL);
    return ty_cond(which == 2 ? yes : ty_lazy(yes), branch, branch, NULL, 1, &x, 1, y);
}

/* Check steps, conditions, branches and linear maps; NULL results have messages of their own. */
static void check_control(int which) {
    ty_tensor *y = NULL;
    bool done = call_control(which, ty_ones(TY_F32, TY_SHAPE(6)), &y),
         well = way == WELL || way == LEAVES_OPEN;
    CHECK(y && ty_ok(y) == done, "function %d, way %d: a result of NULL", which, way);
    CHECK(done == well || test_starving(), "function %d, way %d: %s", which, way, ty_error(y));
    if (way == CLOSES) CHECK(strstr(ty_error(y), "closed a scope") || test_starving(), "%s", ty_error(y));
    if (done) CHECK(ty_ok(ty_eval(ty_sum(y, TY_ALL))) || test_starving(), "no value");
}

static void control(void) {
    for (way = 0; way < WAYS; way++)
        for (int which = 0; which < 9; which++) {
            around = ty_open();
            int depth = scope_depth();
            check_control(which);
            CHECK(scope_depth() == depth, "function %d, way %d: %d scopes", which, way, scope_depth());
            ty_close(around);
        }
}

static ty_tensor *lambda(ty_tensor *x, void *context) {
    (void)context;
    return misbehave(ty_mul(x, ty_num(2)));
}
static ty_tensor *activation(ty_tensor *x) { return misbehave(ty_relu(x)); }
static ty_tensor *draw(const ty_place *place, double a, double b) {
    (void)a, (void)b;
    return misbehave(ty_full(place->dtype, place->rank, place->shape, 0.5));
}
static ty_tensor *loss(ty_tensor *y, ty_tensor *target) { return misbehave(ty_mse(y, target)); }
static ty_tensor *learn(const ty_optimiser *o, ty_tensor *x, ty_tensor *g, ty_tensor **states,
                        ty_tensor *step, ty_tensor *rate) {
    (void)o, (void)step;
    ty_tensor *y = misbehave(ty_sub(x, ty_mul(g, rate)));
    states[0] = way == NOTHING ? NULL : ty_add(states[0], g);
    return y;
}
static const ty_rule rule = {.name = "learn", .nstates = 1, .states = {"sum"}, .rate = 0.1, .update = learn};
static bool watch(void *context, const ty_moment *now) {
    (void)context, (void)now;
    misbehave(ty_num(1));
    return true;
}

static void free_model(void *m) { ty_model_free(m); }
static void free_trainer(void *t) { ty_trainer_free(t); }

/* Behaviours of the callbacks of a model, one after the other. */
static enum way in_turn[5];
static ty_tensor *lambda_in_turn(ty_tensor *x, void *context) {
    enum way around_it = way;
    way = in_turn[1];
    ty_tensor *y = lambda(x, context);
    way = around_it;
    return y;
}
static ty_tensor *activation_in_turn(ty_tensor *x) {
    enum way around_it = way;
    way = in_turn[2];
    ty_tensor *y = activation(x);
    way = around_it;
    return y;
}
static ty_tensor *draw_in_turn(const ty_place *place, double a, double b) {
    enum way around_it = way;
    way = in_turn[0];
    ty_tensor *y = draw(place, a, b);
    way = around_it;
    return y;
}

/* Train a model in which callback `who` misbehaves; returns the error. */
static const char *train(bool lazy, int who, enum way how) {
    memset(in_turn, 0, sizeof in_turn);
    in_turn[who] = how;
    way = WELL;
    const ty_layer_value steps[] = {TY_LAYER(linear, .units = 2, .weight = {draw_in_turn, 0, 0}),
                                    TY_LAYER(lambda, .function = lambda_in_turn),
                                    TY_LAYER(activation, .function = activation_in_turn)};
    ty_model *m = test_own(ty_model_sequence(3, steps, (ty_model_options){.lazy = lazy}), free_model);
    ty_trainer *t =
        test_own(ty_trainer_new(m, (ty_trainer_options){.inputs = ty_ones(TY_F32, TY_SHAPE(8, 3)),
                                                        .batch = 4,
                                                        .targets = ty_zeros(TY_F32, TY_SHAPE(8, 2)),
                                                        .loss = loss,
                                                        .optimiser = {.rule = &rule}}),
                 free_trainer);
    way = who == 3 || who == 4 ? how : WELL;
    ty_trainer_run(t, 3, watch, NULL);
    return ty_trainer_error(t);
}

static void networks(void) {
    for (int lazy = 0; lazy < 2; lazy++)
        for (int who = 0; who < 4; who++)
            for (enum way how = 0; how < WAYS; how++) {
                struct test_round round = test_round();
                around = ty_open();
                int depth = scope_depth();
                const char *error = train(lazy, who, how);
                bool well = how == WELL || how == LEAVES_OPEN;
                CHECK(well == !*error || test_starving(), "%d of %s, way %d: \"%s\"", who,
                      lazy ? "a lazy one" : "an eager one", how, error);
                CHECK(scope_depth() == depth, "%d, way %d: %d scopes", who, how, scope_depth());
                ty_close(around);
                test_round_end(round);
            }
}

/* Check one update rule alone: its result and its new states. */
static void rules(void) {
    for (way = 0; way < WAYS; way++) {
        around = ty_open();
        ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(4)), *before = ty_zeros(TY_F32, TY_SHAPE(4)),
                  *states[1] = {before};
        ty_optimiser o = {.rule = &rule};
        ty_tensor *y = ty_optimise(&o, x, x, states, ty_num(1), NULL);
        CHECK(way == NOTHING ? !ty_ok(y) : misbehave_expected(y), "way %d: %s", way, ty_error(y));
        CHECK(ty_ok(y) ? states[0] && states[0] != before : states[0] == before,
              "way %d: a failed step changes the state, or another does not", way);
        if (way == LEAVES_OPEN && ty_ok(states[0]))
            CHECK(ty_item(ty_amax(states[0], TY_ALL)) == 1, "the state is gone");
        ty_close(around);
    }
}

/* ---- functions that return none ---- */

struct bytes {
    const char *all;
    size_t n, at;
};

static int64_t read_some(void *context, void *out, size_t n) {
    struct bytes *b = context;
    misbehave(ty_num(1));
    if (n > 7) n = 7;
    if (n > b->n - b->at) n = b->n - b->at;
    memcpy(out, b->all + b->at, n);
    b->at += n;
    return (int64_t)n;
}
static int64_t read_at(void *context, uint64_t at, void *out, size_t n) {
    struct bytes *b = context;
    b->at = at;
    return read_some(context, out, n);
}
static bool write_all(void *context, const void *bytes, size_t n) {
    (void)bytes;
    misbehave(ty_num(1));
    *(size_t *)context += n;
    return true;
}
static void set(const int64_t *index, void *element, void *context) {
    (void)context;
    misbehave(ty_num(1));
    *(float *)element = (float)index[0];
}

static void free_archive(void *a) { ty_archive_free(a); }

static void check_source(const struct bytes *bytes, bool places) {
    struct bytes b = *bytes;
    ty_source source = {&b, b.n, places ? read_at : NULL, places ? NULL : read_some};
    ty_archive *a = test_own(ty_archive_read("source", source, (ty_file_options){0}), free_archive);
    ty_tensor *x = ty_archive_at(a, 0);
    CHECK(ty_ok(x) || test_starving(), "way %d: %s", way, ty_error(x));
    if (ty_ok(x)) CHECK(ty_item(ty_sum(x, TY_ALL)) == 45 || test_starving(), "way %d", way);
}

static void sources_and_sinks(void) {
    struct bytes b = {0};
    const char *name = "";
    ty_tensor *x = ty_arange(TY_F64, 0, 10, 1);
    void *memory = ty_archive_bytes(1, &name, &x, (ty_file_options){.format = "npy"}, &b.n, NULL);
    if (!(b.all = test_own(memory, ty_free))) return;
    for (way = 0; way < WAYS; way++) {
        struct test_round round = test_round();
        around = ty_open();
        int depth = scope_depth();
        check_source(&b, false);
        check_source(&b, true);
        size_t n = 0;
        bool sent =
            ty_archive_send((ty_sink){&n, write_all}, 1, &name, &x, (ty_file_options){.format = "npy"}, NULL);
        CHECK((sent && n == b.n) || test_starving(), "way %d: %zu bytes of %zu", way, n, b.n);
        ty_tensor *y = ty_from_function(TY_F32, TY_SHAPE(10), set, NULL);
        if (ty_ok(y)) CHECK(ty_item(ty_sum(y, TY_ALL)) == 45 || test_starving(), "way %d", way);
        CHECK(scope_depth() == depth, "way %d: %d scopes", way, scope_depth());
        ty_close(around);
        test_round_end(round);
    }
    CHECK_POISON(ty_from_function(TY_F32, TY_SHAPE(2), NULL, NULL), "the function is NULL");
}

/* ---- threads that end ---- */

static void *leave_open(void *context) {
    (void)context;
    ty_open();
    for (int i = 0; i < 20; i++) ty_add(ty_ones(TY_F32, TY_SHAPE(5)), ty_num(1));
    ty_open();
    lend(9, use_library, NULL);
    return NULL;
}

static void *close_others(void *scope) {
    ty_scope *own = ty_open();
    ty_ones(TY_F32, TY_SHAPE(5));
    ty_close(scope);
    bool stays = scope_depth() == 1;
    ty_close(own);
    return stays ? own : NULL;
}

/* A thread that ends closes its open scopes, and none can close another thread's; the harness counts leaks. */
static void threads_that_end(void) {
    pthread_t thread;
    ended = 0;
    for (int i = 0; i < 10; i++) {
        CHECK(!pthread_create(&thread, NULL, leave_open, NULL), "no thread");
        pthread_join(thread, NULL);
    }
    CHECK(ended == 10, "%d of 10 ended", ended);
    void *stays;
    ty_scope *scope = ty_open();
    CHECK(!pthread_create(&thread, NULL, close_others, scope), "no thread");
    pthread_join(thread, &stays);
    CHECK(stays && scope_depth() == 2, "a thread closed another's scope");
    ty_close(scope);
}

TESTS_MAIN(TEST(done_as_a_scope_closes), TEST(done_that_disturbs_scopes), TEST(done_from_the_cache),
           TEST(done_from_an_update), TEST(done_from_an_einsum_plan), TEST(deleters), TEST(bodies),
           TEST(control), TEST(networks), TEST(rules), TEST(sources_and_sinks), TEST(threads_that_end))
