/* C99: a step is a function that loops over its work items. */
#include "engine/text/dialect.h"
#include "engine/text/text.h"

const struct text_dialect text_c99 = {
    .name = "C99",
    .prelude = "engine/text/prelude/c99.h",
    .vectors = "engine/text/prelude/c99_vectors.h",
    .structs = "engine/text/prelude/c99_lanes.h",
    .words = "engine/text/prelude/gnu_words.h",
    .lane = "engine/text/prelude/gnu_lane.h",
    .where = "defined(__GNUC__) && defined(__AVX512F__) && defined(__FMA__)",
    /* GCC 12 joins the parts of a complex number to a vector, and then loses a rounding to c64 between two doubles:
       1 / (float)sqrt(x) of such parts is wrong with its default. */
    .options = "-std=c99 -O2 -fno-tree-slp-vectorize -ffp-contract=off -fno-math-errno -fno-trapping-math",
};
