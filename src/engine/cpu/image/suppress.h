/* The comparison of boxes of suppress.c, one for each instruction set. */
#ifndef ENGINE_CPU_IMAGE_SUPPRESS_H
#define ENGINE_CPU_IMAGE_SUPPRESS_H
#include <stdbool.h>
#include <stdint.h>

enum { SUPPRESS_BLOCK = 64 }; /* boxes compared between tests */

/* Return true if a box and one of SUPPRESS_BLOCK kept ones may share `share` of their union or more.  box[] and kept[] have
   the low corner, the high corner and the area; edge k of kept box i is kept[k*room + i]. */
typedef bool suppress_hides(const double *box, const double *kept, int64_t room, double share);
extern suppress_hides suppress_base, suppress_avx2, suppress_avx512;
#endif
