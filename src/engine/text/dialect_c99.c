/* C99: a step is a function that loops over its work items. */
#include "engine/text/dialect.h"
#include "engine/text/text.h"

const struct text_dialect text_c99 = {
    .name = "C99",
    .prelude = "engine/text/prelude/c99.h",
    .options = "-std=c99 -O2 -ffp-contract=off -fno-math-errno -fno-trapping-math",
};
