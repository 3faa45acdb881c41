/* What tests ask of programs. */
#ifndef TESTS_SUPPORT_PROGRAMS_H
#define TESTS_SUPPORT_PROGRAMS_H
#include <tyto/tyto.h>

/* Checks that a program has no error; false: an allocation failed, cleanly. */
bool program_is_well(ty_program *p);
/* Compiles n promises, proves the plan, runs it twice, and compares the bits with `want`; seed and how tell which. */
void program_gives(uint64_t seed, const char *how, ty_compile_options options, int n,
                   ty_tensor *const *promises, ty_tensor *const *want);
#endif
