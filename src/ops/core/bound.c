#include "ops/core/bound.h"
#include "array/tensor.h"

static _Thread_local uint16_t bounds;

uint16_t bound_open(void) {
    bounds++;
    return ++tensor_level;
}

void bound_close(void) {
    bounds--;
    --tensor_level;
}

bool bound_alone(void) { return tensor_level == bounds; }
