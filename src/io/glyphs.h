/* How people write digits: strokes as points that a smooth curve runs through. */
#ifndef IO_GLYPHS_H
#define IO_GLYPHS_H
#include <stdint.h>

enum { GLYPH_VARIANTS = 4, GLYPH_POINTS = 20 };

/* x, y in hundredths of the digit's box, y downwards.  A point that occurs twice in a row is a corner;
   GLYPH_LIFT ends a stroke, GLYPH_END the digit. */
enum { GLYPH_LIFT = -1, GLYPH_END = -2 };
extern const int8_t glyphs[10][GLYPH_VARIANTS][2 * GLYPH_POINTS + 8];
#endif
