/*
 * Hashes of results: each entry has a name, a dtype and the hash of all results of a computation.
 *
 * The parts of the program call bits_entry for each entry, in a fixed order; table.c prints the entries or compares
 * them with a file.  The inputs of an entry come from integers (test_random) with a seed of its own, so no entry
 * depends on those before it.
 */
#ifndef TESTS_BITS_BITS_H
#define TESTS_BITS_BITS_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <tyto/tyto.h>

enum { BITS_NAME = 512 };

/* ---- hashes ---- */

/* The hash of nothing. */
uint64_t bits_start(void);
/* Return `hash` continued by a word. */
uint64_t bits_word(uint64_t hash, uint64_t word);
/* Return `hash` continued by a tensor's dtype, shape and elements.  All NaNs count as one, since no compiler defines
   which operand's NaN it returns.  Poison sets the text of bits_error. */
uint64_t bits_add(uint64_t hash, ty_tensor *x);
/* Return the first error since the last entry, "" if there is none. */
const char *bits_error(void);
/* Note an error, unless there is one since the last entry. */
void bits_fail(const char *message);

/* ---- entries ---- */

/* Begin an entry: the random numbers of tests start anew. */
void bits_begin(void);
/* End an entry of a name, a dtype and a hash; bits_error makes it a fault. */
void bits_entry(const char *name, const char *dtype, uint64_t hash);
/* True if only the entries that an emulator has time for are wanted. */
bool bits_quick(void);

/* ---- the parts of the program ---- */

void bits_rows(void);
void bits_operators(void);
void bits_expressions(void);
void bits_goldens(void);
void bits_networks(void);
void bits_data(void);
void bits_layers(void);
void bits_solvers(void);
/* Check that each function of expressions and each distribution has an entry or a golden. */
void bits_coverage(void);

/* ---- the table (table.c) ---- */

/* Print the entries from now on. */
void bits_print(bool quick);
/* Compare the entries with a file from now on; false if it cannot be read.  `without_fma` chooses its second column.
   `run` names the settings in messages. */
bool bits_compare(const char *path, bool quick, bool without_fma, const char *run);
/* End the comparison; returns the number of faults. */
int bits_end(void);
/* Write a file of two lists of printed entries, which have the same names; false on failure. */
bool bits_write(const char *path, FILE *with_fma, FILE *without_fma);
#endif
