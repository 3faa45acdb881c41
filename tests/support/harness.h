/*
 * The harness of all test programs.  A test is a `static void name(void)` in a table:
 *
 *     static void adds(void) { CHECK(ty_item(ty_add(ty_num(1), ty_num(2))) == 3, "1 + 2 is not 3"); }
 *     TESTS_MAIN(TEST(adds))
 *
 * Around each test the harness opens and closes a scope and restores engine, threads and instruction set.  It fails
 * the test if memory leaks or another scope is left open.
 *
 * Arguments: --oom, -v, and a part of the names of the tests to run.  --oom repeats each test with another allocation
 * failing each time.  Then only a crash, a leak, a wrong message, or a failure without a failed allocation counts.
 * TY_TEST_OOM=all fails every allocation one by one, where --oom alone samples long tests; TY_TEST_OOM=n fails only
 * the n-th.  TY_TEST_SECONDS=S gives each test S seconds of the processor in place of 1.
 */
#ifndef TESTS_SUPPORT_HARNESS_H
#define TESTS_SUPPORT_HARNESS_H
#include <stdbool.h>
#include <stdint.h>
#include <tyto/tyto.h>

/* Fail the test with a message (printf format) unless the condition holds. */
#define CHECK(condition, ...) ((condition) ? (void)0 : test_fail(__FILE__, __LINE__, #condition, __VA_ARGS__))
/* Fail the test if the tensor is poisoned. After a failed allocation, fail only if the message does not
   name it. */
#define CHECK_OK(tensor) test_check_ok(__FILE__, __LINE__, #tensor, tensor)
/* Fail the test unless the tensor is poisoned with a message that contains `words`. */
#define CHECK_POISON(tensor, words) test_check_poison(__FILE__, __LINE__, #tensor, tensor, words)

/* End the test as failed, with a message (printf format). */
_Noreturn void test_fail(const char *file, int line, const char *condition, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Implement CHECK_OK; returns the tensor. */
ty_tensor *test_check_ok(const char *file, int line, const char *text, ty_tensor *x);
/* Implement CHECK_POISON; returns the tensor. */
ty_tensor *test_check_poison(const char *file, int line, const char *text, ty_tensor *x, const char *words);

/* Also print the text that `explain` writes about `context` if a check fails, until test_round_end or the
   end of the test. */
void test_explain(void (*explain)(const void *context, char *out, size_t size), const void *context);

/* Call `release` on `pointer` when the test ends, also if it fails; returns pointer.  NULL is allowed. */
void *test_own(void *pointer, void (*release)(void *));
/* Free a compiled program when the test ends; returns it. */
ty_program *test_program(ty_program *program);
/* Return the report of a program, for use in an expression. */
ty_report test_report(const ty_program *program);
/* Return entry i of a profile, for use in an expression. */
ty_profile_row test_profile_row(const ty_profile *profile, int i);
/* Return the costs of a plan, for use in an expression. */
ty_einsum_report test_einsum_report(const ty_einsum_plan *plan);
/* Free a text of the library when the test ends; returns it. */
char *test_text(char *text);
/* Return zeroed memory, freed when the test ends; never NULL, not counted as the library's. */
void *test_room(size_t bytes);

/* State at the beginning of one round of a long loop. */
struct test_round {
    ty_scope *scope;
    int owned;
};
/* Begin a round: test_round_end frees all tensors made and objects owned since. */
struct test_round test_round(void);
/* End a round: free all tensors made and objects owned since it began. */
void test_round_end(struct test_round round);

/* ty_use_engine.  With TY_TEST_ENGINE=nests, far or opencl in the environment, tests that ask for `cpu`, or for none,
   check another engine: that of nests (nest_run.h), far:0 (far.h) or opencl:0.  With TY_TEST_SHARE=n they check a part
   of opencl:0 (part.h). */
bool test_use_engine(const char *name);
/* Return true if TY_TEST_ENGINE has this value. */
bool test_stand_in(const char *name);
#define ty_use_engine test_use_engine

/* Return a 64-bit random number; each test begins with the same seed. */
uint64_t test_random(void);
/* Continue with another seed; returns the previous state. */
uint64_t test_random_from(uint64_t start);
/* Return a random number, uniform in [low, high). */
double test_uniform(double low, double high);
/* Return a random integer, uniform in low..high, both included. */
int64_t test_between(int64_t low, int64_t high);
/* Choose cache sizes at random, until the end of the test: the machine's, or so small that arrays consist
   of many blocks and exceed the caches. */
void test_draw_caches(void);

/* Choose sizes of tiles, pieces and parts at random, until the end of the test: the usual ones, or so
   small that a few hundred elements make several of each. Kernels prepared before must not run any more. */
void test_draw_tiles(void);

/* Return true if -v was given. */
bool test_verbose(void);
/* Return true if allocations are made to fail. */
bool test_starving(void);
/* Return the count or step for this run: `all`, `quick` with TY_TEST_QUICK=1, `starving` with failing allocations. */
int test_some(int all, int quick, int starving);

struct test_case {
    const char *name;
    void (*run)(void);
    const char *reaches; /* operators that the test must record, separated by blanks; NULL: any */
    bool home;
};
#define TEST(name)                                                                                           \
    { #name, name, NULL, false }
/* The same, for a test of what only the host does: addresses of results, fused rows, sections for threads, packed
   constants, kernels that eager calls remember, memory of the caller, children of forks.  It is left out on devices (far, opencl). */
#define TEST_AT_HOME(name)                                                                                   \
    { #name, name, NULL, true }
/* Declare an entry CASE(name, "operators") of a .def file: the test fails unless it records each of the
   operators. */
#define TEST_REACHES(name, operators)                                                                        \
    { #name, name, operators, false }
#define TESTS_MAIN(...)                                                                                      \
    int main(int argc, char **argv) {                                                                        \
        static const struct test_case cases[] = {__VA_ARGS__};                                               \
        return test_main(argc, argv, (int)(sizeof cases / sizeof *cases), cases);                            \
    }
/* Define the main function for a table of struct test_case, filled from a .def file that the completeness
   matrix reads too. */
#define TESTS_MAIN_TABLE(cases)                                                                              \
    int main(int argc, char **argv) {                                                                        \
        return test_main(argc, argv, (int)(sizeof(cases) / sizeof *(cases)), cases);                         \
    }
/* Run the selected tests; returns the exit status. */
int test_main(int argc, char **argv, int n, const struct test_case *cases);
#endif
