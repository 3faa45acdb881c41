/* Turns of angles of any size. */
#ifndef BASE_MATH_FAR_TURNS_H
#define BASE_MATH_FAR_TURNS_H
#include <stdint.h>

/* 64 zero bits, then 1 / (2 pi), in words of 64 bits */
extern const uint64_t far_turns[];
#endif
