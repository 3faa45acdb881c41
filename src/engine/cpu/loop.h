/* Loops over elements and the sizes of their tiles. Units of instruction sets include this, not cpu.h, so that they
   depend on no tensor and no operator. */
#ifndef ENGINE_CPU_LOOP_H
#define ENGINE_CPU_LOOP_H
#include <stdint.h>

/* Compute out[i] = f(a[i], b[i], c[i]) for i < n; contiguous, any alignment. Operands that the operator lacks are
   ignored. */
typedef void (*cpu_loop)(int64_t n, void *out, const void *a, const void *b, const void *c);

/* Most elements of a tile: the registers of a usual program stay in L1. */
enum { CPU_TILE = 1024 };
/* Elements of a tile: CPU_TILE, or fewer in tests. Scratch always holds CPU_TILE. */
extern int64_t cpu_tile;
/* Divisor of other part sizes; 1 except in tests. */
extern int64_t cpu_part;
/* Return n, a usual size of parts in elements, divided by the test divisor cpu_part; at least 1. */
static inline int64_t cpu_parted(int64_t n) { return n > cpu_part ? n / cpu_part : 1; }
#endif
