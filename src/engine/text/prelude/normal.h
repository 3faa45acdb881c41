/* Text: the normal number of an element, one of a pair that two words make. */
#include "engine/cpu/random/random_normal_f32.h"
static inline float random_normal_f32(uint32_t p, uint32_t q, uint64_t element) {
    const uint32_t word[2] = {p, q};
    float pair[2];
    normal_f32(2, word, pair);
    return pair[element % 2];
}
#if HAS_F64
#include "engine/cpu/random/random_normal_f64.h"
static inline double random_normal_f64(uint64_t p, uint64_t q, uint64_t element) {
    const uint64_t word[2] = {p, q};
    double pair[2];
    normal_f64(2, word, pair);
    return pair[element % 2];
}
#endif
