/*
 * Sections: independent small kernels side by side.  Their structure and memory; random graphs give the bits of kernels
 * one after the other, for any number of threads.
 */
#include <string.h>
#include "base/machine/levels.h"
#include "base/number.h"
#include "tests/support/compare.h"
#include "tests/support/sections.h"

enum { STEPS = 12 };

/* ---- structure ---- */

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

/* A destination that a kernel of another strand reads is written at the end, although that kernel comes first in the
   order. */
static void late_destination(void) {
    float memory[SIZE * SIZE];
    for (int j = 0; j < SIZE * SIZE; j++) memory[j] = (float)(j % 7 - 3) / 4;
    ty_tensor *x = ty_var(ty_borrow(TY_F32, TY_SHAPE(SIZE, SIZE), memory, NULL, NULL), "x"),
              *w = square(1, SIZE);
    ty_tensor *into[] = {NULL, ty_borrow(TY_F32, TY_SHAPE(SIZE, SIZE), memory, NULL, NULL)};
    ty_tensor *y[] = {ty_matmul(ty_matmul(w, x), w), ty_matmul(ty_matmul(w, w), ty_tanh(w))};
    for (int i = 0; i < 2; i++) {
        ty_program *p = compiled(2, i ? SECTIONS_ALWAYS : SECTIONS_NEVER, 2, y, (ty_compile_options){0});
        if (!is_well(p, "late") || !ty_run_into(p, 2, into)) return;
        CHECK((p->results[p->flow.outputs[1].slot] != NULL) == i,
              "%s the destination was written directly:\n%s", i ? "side by side" : "in order, not",
              test_text(ty_program_text(p)));
    }
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

TESTS_MAIN(TEST_AT_HOME(eight_chains), TEST_AT_HOME(forks_and_joins), TEST_AT_HOME(large_kernels),
           TEST_AT_HOME(random_graphs), TEST_AT_HOME(checked_plans), TEST_AT_HOME(bounded_memory),
           TEST_AT_HOME(late_destination), TEST_AT_HOME(destinations))
