/*
 * Sections: independent small kernels side by side.  Their structure; bits, failures, stops and memory are those of the
 * kernels one after the other, for any number of threads.
 */
#include <pthread.h>
#include <string.h>
#include "array/progress.h"
#include "base/machine/levels.h"
#include "base/number.h"
#include "base/context/stop.h"
#include "compile/passes/sections.h"
#include "compile/program.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"

enum { SIZE = 6, CHAINS = 8, STEPS = 12 };
static const int widths[] = {1, 2, 3, 8};
enum { WIDTHS = sizeof widths / sizeof *widths };

static ty_tensor *square(uint64_t key, int64_t n) {
    return ty_var(ty_mul(ty_sub(ty_uniform(TY_F32, TY_SHAPE(n, n), ty_key(key)), ty_num(0.5)), ty_num(0.5)),
                  "x");
}

/* Compile for `threads` threads, with sections as `how` says. */
static ty_program *compiled(int threads, enum sections_forced how, int n, ty_tensor *const *outputs,
                            ty_compile_options options) {
    ty_set_threads(threads);
    sections_force(how);
    ty_program *p = test_program(ty_compile(n, outputs, options));
    sections_force(SECTIONS_BY_COST);
    return p;
}

static bool is_well(ty_program *p, const char *what) {
    ty_tensor *why = NULL;
    if (*ty_program_error(p)) {
        CHECK(test_starving(), "%s: %s", what, ty_program_error(p));
        return false;
    }
    CHECK(ty_program_check(p, &why) || test_starving(), "%s: %s\n%s", what, ty_error(why),
          test_text(ty_program_text(p)));
    return true;
}

/* ---- structure ---- */

static ty_tensor *chain(ty_tensor *x, int steps) {
    ty_tensor *y = x;
    for (int i = 0; i < steps; i++) y = ty_matmul(y, x);
    return y;
}

/* Check that each strand of p is one of its chains: kernels that read what the one before wrote. */
static void check_strands(const ty_program *p, const struct section *s, int length) {
    const struct sections *all = &p->flow.sections;
    for (int i = s->strands; i < s->strands + s->nstrands; i++) {
        const struct strand *strand = &all->strands[i];
        CHECK(strand->count == length, "strand %d has %d kernels, not %d", i, strand->count, length);
        for (int j = 1; j < strand->count; j++) {
            const struct kernel *before = &p->flow.kernels[all->kernels[strand->first + j - 1]];
            const struct kernel *k = &p->flow.kernels[all->kernels[strand->first + j]];
            CHECK(k->inputs[0].slot == before->outputs[0].slot, "strand %d: kernel %d reads another block", i,
                  j);
        }
    }
}

static void eight_chains(void) {
    ty_tensor *outputs[CHAINS];
    for (int i = 0; i < CHAINS; i++) outputs[i] = chain(square((uint64_t)i, 56), STEPS);
    ty_program *alone = compiled(1, SECTIONS_BY_COST, CHAINS, outputs, (ty_compile_options){0});
    ty_program *p = compiled(2, SECTIONS_BY_COST, CHAINS, outputs, (ty_compile_options){0});
    if (!is_well(alone, "one thread") || !is_well(p, "two threads")) return;
    CHECK(alone->flow.sections.n == 0, "sections for one thread");
    CHECK(p->flow.sections.n == 1, "%d sections:\n%s", p->flow.sections.n, test_text(ty_program_text(p)));
    const struct section *s = p->flow.sections.all;
    CHECK(s->nstrands == CHAINS && s->end - s->first == CHAINS * STEPS, "%d strands, kernels %d .. %d",
          s->nstrands, s->first, s->end);
    check_strands(p, s, STEPS);
    const char *text = test_text(ty_program_text(p));
    CHECK(!text || strstr(text, "side by side, in 8 strands"), "the text does not tell:\n%s", text);
    for (int run = 0; run < 3; run++) {
        if (!ty_run(alone) || !ty_run(p)) return;
        for (int i = 0; i < CHAINS; i++) compare_bits(ty_output(p, i), ty_output(alone, i), "chain %d", i);
    }
    CHECK(test_report(p).launched == CHAINS * STEPS, "%lld launched", (long long)test_report(p).launched);
}

/* A stem, four branches of it, and what joins them: the section has the branches alone. */
static void forks_and_joins(void) {
    ty_tensor *x = square(1, 64), *stem = chain(x, 3), *parts[4], *sum = NULL;
    for (int i = 0; i < 4; i++) {
        parts[i] = ty_matmul(ty_matmul(ty_matmul(stem, square(2 + (uint64_t)i, 64)), stem), stem);
        sum = sum ? ty_add(sum, parts[i]) : parts[i];
    }
    ty_tensor *y = chain(ty_matmul(sum, stem), 3);
    ty_program *p = compiled(2, SECTIONS_BY_COST, 1, &y, (ty_compile_options){0});
    ty_program *q = compiled(1, SECTIONS_NEVER, 1, &y, (ty_compile_options){0});
    if (!is_well(p, "fork") || !is_well(q, "one thread")) return;
    CHECK(p->flow.sections.n == 1, "%d sections:\n%s", p->flow.sections.n, test_text(ty_program_text(p)));
    const struct section *s = p->flow.sections.all;
    CHECK(s->first == 3 && s->end <= 3 + 12 && s->nstrands >= 3, "kernels %d .. %d in %d strands:\n%s",
          s->first, s->end, s->nstrands, test_text(ty_program_text(p)));
    if (ty_run(p) && ty_run(q)) compare_bits(ty_output(p, 0), ty_output(q, 0), "fork and join");
}

/* Large products are no members; those that depend on nothing in the section run before it. */
static void large_kernels(void) {
    ty_tensor *outputs[4], *w = square(9, 320);
    for (int i = 0; i < 4; i++)
        outputs[i] =
            i % 2 ? ty_matmul(square((uint64_t)i, 320), w) : chain(square((uint64_t)i, 56), 2 * STEPS);
    ty_program *p = compiled(2, SECTIONS_BY_COST, 4, outputs, (ty_compile_options){0});
    ty_program *q = compiled(2, SECTIONS_NEVER, 4, outputs, (ty_compile_options){0});
    if (!is_well(p, "large") || !is_well(q, "in order")) return;
    CHECK(p->flow.sections.n == 1 && p->flow.sections.all[0].nstrands == 2, "not two strands:\n%s",
          test_text(ty_program_text(p)));
    const struct section *s = p->flow.sections.all;
    for (int k = s->first; k < s->end; k++)
        CHECK(p->flow.kernels[k].outputs[0].layout.shape[0] == 56, "a large product in a section");
    if (!ty_run(p) || !ty_run(q)) return;
    for (int i = 0; i < 4; i++) compare_bits(ty_output(p, i), ty_output(q, i), "output %d", i);
}

/* ---- random graphs ---- */

enum { VARIABLES = 6, NODES = 40, OUTPUTS = 3 };

struct random_graph {
    ty_tensor *variables[VARIABLES], *outputs[OUTPUTS];
    ty_update updates[VARIABLES];
    int nupdates;
};

static void halves(void *context, ty_tensor *const *x, ty_tensor **results) {
    (void)context;
    results[0] = ty_mul(x[0], ty_num(0.5));
}
static void multiplies(void *context, ty_tensor *const *x, ty_tensor **results) {
    (void)context;
    results[0] = ty_add(ty_matmul(x[0], ty_mul(x[1], ty_num(0.25))), ty_matmul(x[1], ty_flip(x[1], 0)));
}

static void step_of_two(void *context, ty_step *s) {
    (void)context;
    for (int i = 0; i < 2; i++)
        s->next[i] = ty_tanh(ty_matmul(ty_matmul(s->carry[i], s->carry[i]), s->carry[i]));
}

/* Return the sum of the last carries of a loop whose steps have two independent parts. */
static ty_tensor *looped(ty_tensor *a, ty_tensor *b) {
    ty_tensor *last[2];
    ty_scan(step_of_two, NULL, (ty_scan_spec){.ncarry = 2, .carry = (ty_tensor *[]){a, b}, .length = 3}, last,
            NULL, NULL);
    return ty_add(last[0], last[1]);
}

static ty_tensor *branched(ty_tensor *a, ty_tensor *b) {
    ty_tensor *x[] = {a, b}, *result;
    ty_cond(ty_gt(ty_sum(a, TY_ALL), ty_num(0)), halves, multiplies, NULL, 2, x, 1, &result);
    return result;
}

static ty_tensor *random_node(ty_tensor *a, ty_tensor *b) {
    ty_tensor *parts[] = {a, b};
    ty_tensor *places = ty_from(TY_I64, TY_SHAPE(SIZE), (int64_t[]){5, 0, 3, 3, 1, 2});
    switch (test_between(0, 10)) {
    case 0:
    case 1:
        return ty_matmul(a, ty_mul(b, ty_num(0.3)));
    case 2:
        return ty_mul(ty_sum(a, ty_axis(0)), ty_tanh(b));
    case 3:
        return ty_flip(a, 1);
    case 4:
        return ty_cumsum(ty_mul(a, ty_num(0.5)), 0, (ty_running){0});
    case 5:
        return ty_set_at(a, "2:4", ty_slice(b, 0, 0, 2, 1));
    case 6:
        return ty_take(a, places, 0);
    case 7:
        return ty_slice(ty_concat(2, parts, 0), 0, 3, 3 + SIZE, 1);
    case 8:
        return ty_scatter_add(a, places, 0, SIZE);
    case 9:
        return test_between(0, 3)   ? ty_tanh(ty_sub(a, b))
               : test_between(0, 1) ? looped(a, b)
                                    : branched(a, b);
    default:
        return ty_softmax(ty_add(a, ty_mul(b, ty_num(0.25))), 1);
    }
}

static void record_random(struct random_graph *g, uint64_t seed) {
    ty_tensor *nodes[VARIABLES + NODES];
    test_random_from(seed);
    for (int i = 0; i < VARIABLES; i++) nodes[i] = g->variables[i] = square((uint64_t)i, SIZE);
    for (int i = VARIABLES; i < VARIABLES + NODES; i++)
        nodes[i] = random_node(nodes[test_between(0, i - 1)], nodes[test_between(0, i - 1)]);
    g->nupdates = 0;
    for (int i = 0; i < VARIABLES; i++)
        if (test_between(0, 2))
            g->updates[g->nupdates++] =
                (ty_update){g->variables[i], nodes[test_between(0, VARIABLES + NODES - 1)]};
    for (int i = 0; i < OUTPUTS; i++) g->outputs[i] = nodes[test_between(VARIABLES, VARIABLES + NODES - 1)];
}

static int strands_seen;

/* Compare runs on `threads` threads, with sections wherever kernels are independent, with those in order. */
static void check_random(uint64_t seed, int threads, int mode) {
    struct random_graph g[2];
    ty_program *p[2];
    char what[96];
    snprintf(what, sizeof what, "seed %llu, %d threads, mode %d", (unsigned long long)seed, threads, mode);
    for (int i = 0; i < 2; i++) {
        record_random(&g[i], seed);
        p[i] = compiled(i ? threads : 1, i ? SECTIONS_ALWAYS : SECTIONS_NEVER, OUTPUTS, g[i].outputs,
                        (ty_compile_options){.updates = g[i].updates,
                                             .nupdates = g[i].nupdates,
                                             .no_fuse = mode & 1,
                                             .stoppable = mode == 2,
                                             .no_reuse = mode == 4,
                                             .incremental = mode == 5,
                                             .engine = mode == 6 ? "ref" : "cpu"});
        if (!is_well(p[i], what)) return;
    }
    for (int i = 0; i < p[1]->flow.sections.n; i++) strands_seen += p[1]->flow.sections.all[i].nstrands;
    for (int run = 0; run < 3; run++)
        for (int i = 0; i < 2; i++)
            if (!ty_run(p[i])) return;
    if (mode == 6) return; /* the reference rounds otherwise */
    for (int i = 0; i < OUTPUTS; i++)
        compare_bits(ty_output(p[1], i), ty_output(p[0], i), "%s: output %d\n%s", what, i,
                     test_text(ty_program_text(p[1])));
    for (int v = 0; v < VARIABLES; v++)
        compare_bits(ty_eval(g[1].variables[v]), ty_eval(g[0].variables[v]), "%s: variable %d", what, v);
}

static void random_graphs(void) {
    int n = test_some(200, 40, 2);
    strands_seen = 0;
    for (int seed = 1; seed <= n; seed++) {
        struct test_round round = test_round();
        check_random((uint64_t)seed, widths[seed % WIDTHS], seed % 7);
        test_round_end(round);
    }
    CHECK(strands_seen > n || test_starving(), "%d strands in %d graphs", strands_seen, n);
}

/* ---- failures ---- */

/* Four chains of which each may refuse: at step `at[i]` an index is taken from its variable. */
struct refusing {
    ty_tensor *index[4], *sum[4], *state[4];
    ty_update updates[4];
};

static void record_refusing(struct refusing *r) {
    for (int i = 0; i < 4; i++) {
        ty_tensor *x = square((uint64_t)i, SIZE), *y = chain(x, 2 + i);
        r->index[i] = ty_var(ty_arange(TY_I64, 0, SIZE, 1), "index");
        r->state[i] = square((uint64_t)i, SIZE);
        y = ty_matmul(ty_take(y, r->index[i], 0), x);
        r->updates[i] = (ty_update){r->state[i], ty_add(r->state[i], y)};
        r->sum[i] = ty_matmul(y, x);
    }
}

/* Let chain i refuse: its message names an index that tells i. */
static bool refuse(const struct refusing *r, int i, bool on) {
    int64_t places[SIZE] = {0, 1, 2, 3, 4, on ? 100 + i : 5};
    return ty_assign(r->index[i], ty_from(TY_I64, TY_SHAPE(SIZE), places), NULL);
}

/* Run both programs where the chains of the bits of `who` refuse; `order` runs one kernel after the other. */
static void check_refusals(const struct refusing *r, ty_program *p, ty_program *order, int who) {
    ty_tensor *before[4];
    for (int i = 0; i < 4; i++)
        if (!refuse(r, i, who >> i & 1)) return;
    for (int i = 0; i < 4; i++) before[i] = ty_add(ty_eval(r->state[i]), ty_num(0));
    bool one = !who || ty_run(order), done = ty_run(p);
    if (test_starving()) return;
    CHECK(done == !who && one == !who, "%x refuse: %d", who, done);
    for (int i = 0; i < 4 && who; i++) compare_bits(ty_eval(r->state[i]), before[i], "state %d", i);
    if (who)
        CHECK(!strcmp(ty_program_error(p), ty_program_error(order)), "\"%s\", in order: \"%s\"",
              ty_program_error(p), ty_program_error(order));
}

static void failures(void) {
    struct refusing r;
    record_refusing(&r);
    ty_compile_options options = {.updates = r.updates, .nupdates = 4};
    ty_program *order = compiled(1, SECTIONS_NEVER, 4, r.sum, options);
    if (!is_well(order, "order")) return;
    for (int w = 1; w < WIDTHS; w++) {
        ty_program *p = compiled(widths[w], SECTIONS_ALWAYS, 4, r.sum, options);
        if (!is_well(p, "failures")) return;
        CHECK(p->flow.sections.n > 0, "no section:\n%s", test_text(ty_program_text(p)));
        for (int who = 0; who < 16; who++) {
            struct test_round round = test_round();
            check_refusals(&r, p, order, who);
            test_round_end(round);
        }
    }
}

/* ---- stops ---- */

static void stops(void) {
    if (test_starving()) return;
    ty_tensor *outputs[CHAINS];
    for (int i = 0; i < CHAINS; i++) outputs[i] = chain(square((uint64_t)i, SIZE), 3);
    ty_program *p = compiled(2, SECTIONS_ALWAYS, CHAINS, outputs, (ty_compile_options){0});
    ty_program *q = compiled(1, SECTIONS_NEVER, CHAINS, outputs, (ty_compile_options){0});
    if (!is_well(p, "stops") || !is_well(q, "order") || !ty_run(q)) return;
    bool asked = true;
    for (int64_t n = 1; asked; n++) {
        stop_at(n);
        bool done = ty_run(p);
        asked = stop_checks() >= n;
        stop_at(0);
        ty_resume(NULL);
        CHECK(done == !asked, "stop %lld: %d", (long long)n, done);
        CHECK(done || strstr(ty_program_error(p), "interrupted: ") == ty_program_error(p), "%s",
              ty_program_error(p));
        CHECK(n < 1000, "the run is never over");
    }
    CHECK(ty_run(p), "%s", ty_program_error(p));
    for (int i = 0; i < CHAINS; i++) compare_bits(ty_output(p, i), ty_output(q, i), "chain %d", i);
}

static pthread_t home;
static int reports, allowed;
static bool heard(void *data, const ty_progress_state *now) {
    (void)data;
    CHECK(pthread_equal(home, pthread_self()), "progress is reported on another thread");
    return now->ended || ++reports <= allowed;
}

/* The function that hears of progress runs on the thread of the call and stops all strands, also inside loops. */
static void progress(void) {
    if (test_starving()) return;
    ty_tensor *outputs[4];
    home = pthread_self();
    for (int i = 0; i < 4; i++)
        outputs[i] = looped(square((uint64_t)i, SIZE), square(10 + (uint64_t)i, SIZE));
    ty_program *p = compiled(2, SECTIONS_ALWAYS, 4, outputs, (ty_compile_options){0});
    if (!is_well(p, "progress")) return;
    CHECK(p->flow.sections.n > 0, "no section:\n%s", test_text(ty_program_text(p)));
    progress_force(1);
    ty_context_set_progress(NULL, heard, NULL);
    for (allowed = 0; allowed < 40; allowed++) {
        reports = 0;
        bool done = ty_run(p);
        CHECK(done == (reports <= allowed), "%d reports of %d, %d", reports, allowed, done);
        if (done) break;
        CHECK(strstr(ty_program_error(p), "the progress function stopped the call"), "%s",
              ty_program_error(p));
    }
    ty_context_set_progress(NULL, NULL, NULL);
    progress_force(0);
}

/* ---- what runs in order ---- */

static int called;
static void calls(void *context, ty_called *call) {
    (void)context;
    CHECK(pthread_equal(home, pthread_self()), "a call on another thread");
    called++;
    memcpy(call->data[0], ty_data(call->x[0]), sizeof(float) * SIZE * SIZE);
}

static void calls_of_the_user(void) {
    ty_tensor *outputs[4];
    home = pthread_self();
    for (int i = 0; i < 4; i++) {
        ty_tensor *y = chain(square((uint64_t)i, SIZE), 4), *z;
        ty_form form = {TY_F32, 2, (int64_t[]){SIZE, SIZE}};
        ty_call((ty_callee){.f = calls, .ordered = i % 2}, 1, &y, 1, &form, &z);
        outputs[i] = chain(z, 4);
    }
    ty_program *p = compiled(2, SECTIONS_ALWAYS, 4, outputs, (ty_compile_options){0});
    if (!is_well(p, "calls")) return;
    for (int k = 0; k < p->flow.nkernels; k++)
        CHECK(p->flow.kernels[k].kind != KERNEL_CALL || strand_of(&p->flow, k) < 0, "a call in a section");
    called = 0;
    if (ty_run(p)) CHECK(called == 4, "%d calls", called);
}

/* A pool that runs parts backwards, the first one twice, on the caller's thread. */
static int pool_threads(void *pool) { return *(int *)pool; }
static bool pool_backwards(void *pool, int parts, void (*part)(void *data, int i), void *data) {
    (void)pool;
    for (int i = parts - 1; i >= 0; i--) part(data, i);
    part(data, 0);
    return true;
}

static void limits_and_pools(void) {
    ty_tensor *outputs[CHAINS];
    int threads = 3;
    for (int i = 0; i < CHAINS; i++) outputs[i] = chain(square((uint64_t)i, SIZE), 3);
    ty_program *q = compiled(1, SECTIONS_NEVER, CHAINS, outputs, (ty_compile_options){0});
    ty_set_threads(0);
    ty_context_set_pool(NULL, &(ty_thread_pool){&threads, pool_threads, pool_backwards}, NULL);
    ty_program *p = compiled(3, SECTIONS_ALWAYS, CHAINS, outputs, (ty_compile_options){0});
    bool done = is_well(p, "pool") && is_well(q, "order") && ty_run(p) && ty_run(q);
    ty_context_set_pool(NULL, NULL, NULL);
    for (int i = 0; done && i < CHAINS; i++) compare_bits(ty_output(p, i), ty_output(q, i), "chain %d", i);
    if (!done || test_starving()) return;
    ty_set_threads(3);
    for (double limit = 400; limit < 12000; limit += 300) { /* the same kernel exceeds the limit */
        char words[2][200];
        for (int i = 0; i < 2; i++) {
            ty_limits(NULL, limit, 0);
            ty_run(i ? q : p);
            snprintf(words[i], sizeof words[i], "%s", ty_program_error(i ? q : p));
            ty_limits(NULL, 0, 0);
        }
        CHECK(!strcmp(words[0], words[1]), "\"%s\", in order \"%s\"", words[0], words[1]);
    }
}

/* ---- memory ---- */

/* The checker finds two strands that share bytes. */
static void checked_plans(void) {
    ty_tensor *outputs[4];
    for (int i = 0; i < 4; i++) outputs[i] = chain(square((uint64_t)i, 16), 4);
    ty_program *p = compiled(2, SECTIONS_ALWAYS, 4, outputs, (ty_compile_options){0});
    if (!is_well(p, "plan")) return;
    int found = 0;
    for (int i = 0; i < p->plan.nregions; i++) {
        int64_t offset = p->plan.regions[i].offset;
        for (int j = 0; j < i; j++) {
            ty_tensor *why = NULL;
            if (p->plan.pack_of[i] < 0 || p->plan.pack_of[i] == p->plan.pack_of[j]) continue;
            p->plan.regions[i].offset = p->plan.regions[j].offset;
            bool well = ty_program_check(p, &why);
            p->plan.regions[i].offset = offset;
            CHECK(!well || test_starving(), "regions %d and %d of two strands share bytes unseen", i, j);
            found++;
        }
    }
    CHECK(found > 0, "no regions of two strands");
}

/* Sections that would need too much memory are given up, and a budget comes first. */
static void bounded_memory(void) {
    enum { PARTS = 16, LARGE = 1 << 18 };
    ty_tensor *sum = NULL;
    for (int i = 0; i < PARTS; i++) {
        ty_tensor *x = ty_var(ty_full(TY_F32, TY_SHAPE(LARGE), i), "x");
        ty_tensor *y = ty_cumsum(ty_flip(ty_cumsum(ty_sin(x), 0, (ty_running){0}), 0), 0, (ty_running){0});
        sum = sum ? ty_add(sum, ty_sum(y, TY_ALL)) : ty_sum(y, TY_ALL);
    }
    ty_program *order = compiled(2, SECTIONS_NEVER, 1, &sum, (ty_compile_options){0});
    ty_program *p = compiled(2, SECTIONS_ALWAYS, 1, &sum, (ty_compile_options){0});
    if (!is_well(order, "order") || !is_well(p, "sections")) return;
    int64_t least = order->plan.arena_bytes;
    CHECK(p->plan.live_bound <=
              order->plan.live_bound + greater(order->plan.live_bound / 4, 2 * level_bytes(LEVEL_SECOND)),
          "%lld bytes, in order %lld", (long long)p->plan.live_bound, (long long)order->plan.live_bound);
    ty_program *q = compiled(2, SECTIONS_ALWAYS, 1, &sum, (ty_compile_options){.max_bytes = least});
    if (!is_well(q, "budget")) return;
    CHECK(q->plan.arena_bytes <= least, "%lld bytes of %lld", (long long)q->plan.arena_bytes,
          (long long)least);
    if (ty_run(p) && ty_run(order)) compare_bits(ty_output(p, 0), ty_output(order, 0), "sum");
}

/* A destination that a kernel of another strand reads is written at the end. */
static void destinations(void) {
    float memory[2][SIZE * SIZE];
    ty_tensor *x[2], *y[2], *into[2] = {0};
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < SIZE * SIZE; j++) memory[i][j] = (float)(j % 7 - 3) / 4;
        ty_tensor *value = ty_borrow(TY_F32, TY_SHAPE(SIZE, SIZE), memory[i], NULL, NULL);
        x[i] = ty_var(value, "x");
        into[i] = ty_borrow(TY_F32, TY_SHAPE(SIZE, SIZE), memory[i], NULL, NULL);
    }
    for (int i = 0; i < 2; i++) y[i] = ty_matmul(ty_matmul(x[i], x[!i]), x[i]);
    ty_program *p = compiled(2, SECTIONS_ALWAYS, 2, y, (ty_compile_options){0});
    ty_program *q = compiled(1, SECTIONS_NEVER, 2, y, (ty_compile_options){0});
    if (!is_well(p, "destinations") || !is_well(q, "order") || !ty_run(q)) return;
    CHECK(p->flow.sections.n > 0, "no section:\n%s", test_text(ty_program_text(p)));
    if (!ty_run_into(p, 2, into)) return;
    for (int i = 0; i < 2; i++)
        compare_bits(ty_from(TY_F32, TY_SHAPE(SIZE, SIZE), memory[i]), ty_output(q, i), "destination %d", i);
}

TESTS_MAIN(TEST(eight_chains), TEST(forks_and_joins), TEST(large_kernels), TEST(random_graphs),
           TEST(failures), TEST(stops), TEST(progress), TEST(calls_of_the_user), TEST(limits_and_pools),
           TEST(checked_plans), TEST(bounded_memory), TEST(destinations))
