/* Turns of large angles, for functions of long doubles that the C library computes wrongly (base/windows/circular.c). */
#include "base/math/far_turns.h"
#include "engine/cpu/math/math_constants_f64.h"

const uint64_t far_turns[] = {OVER_TAU};
