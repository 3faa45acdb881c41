/* Built-in data set of synthetic handwritten digits. */
#ifndef DATA_DIGITS_H
#define DATA_DIGITS_H
#include <stdint.h>

enum { DIGITS_SIDE = 28, DIGITS_PIXELS = DIGITS_SIDE * DIGITS_SIDE };

/* Draw sample i of the set `seed`, a pure function of both: pixels[] row-major, 0 paper to 255 ink, and
   *label from 0 to 9. */
void digits_draw(uint64_t seed, uint64_t i, uint8_t pixels[DIGITS_PIXELS], uint8_t *label);
#endif
