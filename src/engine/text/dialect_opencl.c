/* OpenCL C 1.2: a step is a kernel function, work items are its indices. */
#include "engine/text/dialect.h"
#include "engine/text/text.h"

const struct text_dialect text_opencl = {
    .name = "OpenCL C",
    .prelude = "engine/text/prelude/opencl.h",
    .options = "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt",
    .words = "engine/text/prelude/opencl_words.h",
    .lane = "engine/text/prelude/lane_vector.h",
};
