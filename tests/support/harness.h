/*
 * What every test program is made of.  A test is a `static void name(void)` in a table:
 *
 *     static void adds(void) { CHECK(ty_item(ty_add(ty_num(1), ty_num(2))) == 3, "1 + 2 is not 3"); }
 *     TESTS_MAIN(TEST(adds))
 *
 * Around each test the harness opens and closes a scope, restores engine, threads and instruction set, and
 * fails the test when memory is left or a scope is open that was not.  `--oom` runs each test again and again, each time with another
 * allocation failing; then only a crash, a leak, a wrong sentence, or a failure without a failed allocation
 * counts. Arguments: --oom, -v, and a part of the names of the tests to run.  TY_TEST_OOM=all fails every
 * allocation in turn, where --oom alone samples long tests; TY_TEST_OOM=n fails only the n-th.
 */
#ifndef TESTS_SUPPORT_HARNESS_H
#define TESTS_SUPPORT_HARNESS_H
#include <stdbool.h>
#include <stdint.h>
#include <tyto/tyto.h>

/* Ends the test with a sentence (printf format) when the condition does not hold. */
#define CHECK(condition, ...) ((condition) ? (void)0 : test_fail(__FILE__, __LINE__, #condition, __VA_ARGS__))
/* Ends the test when a tensor is poisoned; where an allocation failed, the sentence must say so. */
#define CHECK_OK(tensor) test_check_ok(__FILE__, __LINE__, #tensor, tensor)
/* Ends the test unless the tensor is poisoned with a sentence that contains `words`. */
#define CHECK_POISON(tensor, words) test_check_poison(__FILE__, __LINE__, #tensor, tensor, words)

_Noreturn void test_fail(const char *file, int line, const char *condition, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Both return the tensor. */
ty_tensor *test_check_ok(const char *file, int line, const char *text, ty_tensor *x);
ty_tensor *test_check_poison(const char *file, int line, const char *text, ty_tensor *x, const char *words);

/* Until test_round_end, or the end of the test: a failure also prints what `explain` writes of `context`. */
void test_explain(void (*explain)(const void *context, char *out, size_t size), const void *context);

/* Has `release` called on `pointer` when the test ends, however it ends; returns pointer.  NULL is allowed.
 */
void *test_own(void *pointer, void (*release)(void *));
/* test_own for compiled programs and for text of the library. */
ty_program *test_program(ty_program *program);
char *test_text(char *text);
/* Zeroed memory of the test's own, given back when it ends; never NULL, not counted as the library's. */
void *test_room(size_t bytes);

/* One round of a long loop: tensors made and things owned after test_round are given back by test_round_end.
 */
struct test_round {
    ty_scope *scope;
    int owned;
};
struct test_round test_round(void);
void test_round_end(struct test_round round);

/* A 64-bit random number; each test starts with the same. */
uint64_t test_random(void);
/* From here on the numbers are those of another start; returns what goes on where they were. */
uint64_t test_random_from(uint64_t start);
/* Uniform in [low, high). */
double test_uniform(double low, double high);
/* Uniform in low..high, both included. */
int64_t test_between(int64_t low, int64_t high);
/* Caches as if by lot: the machine's, or so small that boxes are many and arrays lie in memory.  Until the
   end of the test. */
void test_draw_caches(void);

/* Tiles, pieces and parts as if by lot: the usual, or so small that a few hundred elements are several of each.  Kernels
   that are prepared already must not run any more.  Until the end of the test. */
void test_draw_tiles(void);

/* Whether -v was given; whether allocations are made to fail. */
bool test_verbose(void);
bool test_starving(void);
/* How many, or how far apart: all of them, with TY_TEST_QUICK=1, and where allocations are made to fail. */
int test_some(int all, int quick, int starving);

struct test_case {
    const char *name;
    void (*run)(void);
    const char *reaches; /* operators that it must record, blanks between; NULL: any */
};
#define TEST(name)                                                                                           \
    { #name, name, NULL }
/* A row CASE(name, "operators") of a .def file: the test fails when it does not record each of them. */
#define TEST_REACHES(name, operators)                                                                        \
    { #name, name, operators }
#define TESTS_MAIN(...)                                                                                      \
    int main(int argc, char **argv) {                                                                        \
        static const struct test_case cases[] = {__VA_ARGS__};                                               \
        return test_main(argc, argv, (int)(sizeof cases / sizeof *cases), cases);                            \
    }
/* The same for a table of struct test_case, filled from a .def file that the completeness matrix reads too.
 */
#define TESTS_MAIN_TABLE(cases)                                                                              \
    int main(int argc, char **argv) {                                                                        \
        return test_main(argc, argv, (int)(sizeof(cases) / sizeof *(cases)), cases);                         \
    }
int test_main(int argc, char **argv, int n, const struct test_case *cases);
#endif
