/* Glyphs of handwritten digits: strokes as points of a smooth curve. */
#ifndef DATA_GLYPHS_H
#define DATA_GLYPHS_H
#include <stdint.h>

enum { GLYPH_VARIANTS = 4, GLYPH_POINTS = 20 };

/* x, y in hundredths of the digit's box, y downwards. A repeated point is a corner; GLYPH_LIFT ends a
   stroke, GLYPH_END the digit. */
enum { GLYPH_LIFT = -1, GLYPH_END = -2 };
extern const int8_t glyphs[10][GLYPH_VARIANTS][2 * GLYPH_POINTS + 8];
#endif
