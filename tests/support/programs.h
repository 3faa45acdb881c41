/* Checks of programs in tests. */
#ifndef TESTS_SUPPORT_PROGRAMS_H
#define TESTS_SUPPORT_PROGRAMS_H
#include <tyto/tyto.h>

/* Return true if a program has no error, false if an allocation failed; any other error fails the test. */
bool program_is_well(ty_program *p);
/* Compile n promises, check the plan, run it twice, and compare the bits with `want`. Messages name the
   case by seed and how. */
void program_gives(uint64_t seed, const char *how, ty_compile_options options, int n,
                   ty_tensor *const *promises, ty_tensor *const *want);
#endif
