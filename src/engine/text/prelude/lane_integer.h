/* Text, template: a lane of integers. Arithmetic that may wrap is that of unsigned numbers of at least 32 bits. */
ALWAYS int L(negative)(SCALAR x) {
    return x != 0 && !(x > 0);
} /* compilers warn of x < 0 for unsigned types */
#if LANE_BITS == 64
ALWAYS uint64_t L(wrapping)(SCALAR x) { return (uint64_t)x; }
#else
ALWAYS uint32_t L(wrapping)(SCALAR x) { return (uint32_t)x; }
#endif
