/*
 * Random programs of 5 to 40 operators give the same bits eagerly and as a graph. They do so with single passes
 * disabled, and with 1, 2, 3 and 8 threads; so do their gradients.
 */
#include "base/machine/levels.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/programs.h"
#include "tests/support/random_graphs.h"

static void check_seed(uint64_t seed, bool gradients) {
    static const struct {
        const char *name;
        ty_compile_options options;
    } ways[] = {
        {"compiled", {.no_fuse = false}},
        {"without fusion", {.no_fuse = true}},
        {"without rewriting", {.no_rewrite = true}},
        {"without reuse", {.no_reuse = true}},
        {"without any pass", {.no_fuse = true, .no_rewrite = true, .no_reuse = true}},
        {"incremental", {.incremental = true}},
    };
    static const int widths[] = {1, 2, 3, 8};
    ty_tensor *values[RANDOM_INPUTS], *tracked[RANDOM_INPUTS], *variables[RANDOM_INPUTS],
        *want[RANDOM_RESULTS], *promises[RANDOM_RESULTS], *got[RANDOM_RESULTS];
    static const int64_t caches[] = {0, 1 << 10, 8 << 10}; /* small caches: kernels run together row by row */
    level_force(LEVEL_SECOND, caches[seed % 3]);
    random_inputs(values);
    for (int i = 0; i < RANDOM_INPUTS; i++) {
        tracked[i] = CHECK_OK(ty_track(values[i], "x"));
        variables[i] = CHECK_OK(ty_var(values[i], "x"));
    }
    ty_allow_unused(true); /* programs need not use all inputs */
    int n = random_results(seed, tracked, gradients, want);
    random_results(seed, variables, gradients, promises);
    for (int i = 0; i < n; i++) CHECK_OK(promises[i]);
    for (int w = 0; w < 4; w++) {
        ty_set_threads(widths[w]);
        int again = random_results(seed, tracked, gradients, got);
        for (int i = 0; i < again; i++)
            compare_bits(got[i], want[i], "program %llu, eager, %d threads, result %d",
                         (unsigned long long)seed, widths[w], i);
        program_gives(seed, ways[0].name, ways[0].options, n, promises, want);
    }
    ty_set_threads(0);
    for (size_t k = 1; k < sizeof ways / sizeof *ways; k++)
        program_gives(seed, ways[k].name, ways[k].options, n, promises, want);
    ty_eval_all(n, promises, got);
    for (int i = 0; i < n; i++)
        compare_bits(got[i], want[i], "program %llu, ty_eval_all, result %d", (unsigned long long)seed, i);
}

static void check_seeds(uint64_t first, uint64_t last, bool gradients) {
    for (uint64_t seed = first; seed < last; seed++) {
        struct test_round round = test_round();
        check_seed(seed, gradients);
        test_round_end(round);
    }
}

static void programs(void) { check_seeds(0, test_starving() ? 3 : 150, false); }

static void gradients_of_programs(void) { check_seeds(1000, test_starving() ? 1002 : 1060, true); }

/* A program that runs again after its variables changed gives the eager results of the new values. */
static void assigned(void) {
    for (uint64_t seed = 2000; seed < 2010; seed++) {
        struct test_round round = test_round();
        ty_tensor *values[RANDOM_INPUTS], *variables[RANDOM_INPUTS], *promises[RANDOM_RESULTS],
            *want[RANDOM_RESULTS], *error;
        random_inputs(values);
        ty_allow_unused(true);
        for (int i = 0; i < RANDOM_INPUTS; i++) variables[i] = CHECK_OK(ty_var(values[i], "x"));
        int n = random_results(seed, variables, false, promises);
        ty_program *program = test_program(ty_compile(n, promises, (ty_compile_options){.no_fuse = false}));
        for (int round_of = 0; round_of < 3; round_of++) {
            random_inputs(values);
            for (int i = 0; i < RANDOM_INPUTS; i++)
                CHECK(ty_assign(variables[i], values[i], &error), "assignment");
            random_results(seed, values, false, want);
            CHECK(ty_run(program), "program %llu: %s", (unsigned long long)seed, ty_program_error(program));
            for (int i = 0; i < n; i++)
                compare_bits(ty_output(program, i), want[i], "program %llu, new values %d, result %d",
                             (unsigned long long)seed, round_of, i);
        }
        test_round_end(round);
    }
}

/* Incremental programs give equal bits if some variables are assigned before each run, with all variables
   declared as changing or only one. */
static void incremental(void) {
    for (uint64_t seed = 4000; seed < (test_starving() ? 4002 : 4060); seed++) {
        struct test_round round = test_round();
        ty_tensor *values[RANDOM_INPUTS], *tracked[RANDOM_INPUTS], *variables[RANDOM_INPUTS],
            *promises[RANDOM_RESULTS], *want[RANDOM_RESULTS];
        ty_tensor *why = NULL;
        random_inputs(values);
        ty_allow_unused(true);
        for (int i = 0; i < RANDOM_INPUTS; i++) variables[i] = CHECK_OK(ty_var(values[i], "x"));
        int n = random_results(seed, variables, seed % 2, promises);
        ty_program *program =
            test_program(ty_compile(n, promises,
                                    (ty_compile_options){.incremental = true,
                                                         .no_fuse = seed % 5 == 0,
                                                         .changing = &variables[seed % RANDOM_INPUTS],
                                                         .nchanging = seed / 2 % 2}));
        CHECK(ty_program_check(program, &why) || test_starving(), "program %llu: %s",
              (unsigned long long)seed, ty_error(why));
        for (int run = 0; run < 6; run++) {
            ty_tensor *fresh[RANDOM_INPUTS];
            int64_t which = run ? test_between(0, (1 << RANDOM_INPUTS) - 1) : 0;
            random_inputs(fresh);
            for (int i = 0; i < RANDOM_INPUTS; i++) {
                if (!(which >> i & 1)) continue;
                values[i] = fresh[i];
                if (!ty_assign(variables[i], values[i], NULL)) CHECK_OK(ty_poison("out of memory"));
            }
            for (int i = 0; i < RANDOM_INPUTS; i++) tracked[i] = CHECK_OK(ty_track(values[i], "x"));
            random_results(seed, tracked, seed % 2, want);
            if (!ty_run(program)) CHECK_OK(ty_program_failure(program));
            for (int i = 0; i < n; i++)
                compare_bits(ty_output(program, i), want[i], "program %llu, run %d, result %d",
                             (unsigned long long)seed, run, i);
        }
        test_round_end(round);
    }
}

/* The reference agrees with the cpu engine on whole programs. */
static void engines(void) {
    for (uint64_t seed = 3000; seed < 3015; seed++) {
        struct test_round round = test_round();
        ty_tensor *values[RANDOM_INPUTS], *variables[RANDOM_INPUTS], *promises[RANDOM_RESULTS],
            *want[RANDOM_RESULTS];
        random_inputs(values);
        for (int i = 0; i < RANDOM_INPUTS; i++) variables[i] = CHECK_OK(ty_var(values[i], "x"));
        int n = random_results(seed, variables, false, promises);
        ty_program *program = test_program(ty_compile(n, promises, (ty_compile_options){.engine = "ref"}));
        if (*ty_program_error(program)) CHECK_OK(ty_program_failure(program));
        CHECK(ty_run(program), "program %llu on the reference", (unsigned long long)seed);
        ty_use_engine("ref");
        random_results(seed, values, false, want);
        for (int i = 0; i < n; i++)
            compare_bits(ty_output(program, i), want[i], "program %llu on the reference, result %d",
                         (unsigned long long)seed, i);
        ty_use_engine("cpu");
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(programs), TEST(gradients_of_programs), TEST(assigned), TEST(incremental), TEST(engines))
