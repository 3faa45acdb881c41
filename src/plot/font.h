/* Our font of strokes (glyphs.def), which pixels and measures of text use. */
#ifndef PLOT_FONT_H
#define PLOT_FONT_H
#include "plot/raster.h"

/* Return the advance of a character in em. */
double font_advance(uint32_t point, bool bold);

/* Return the glyph under the accent of a composed letter, else the character itself. */
uint32_t font_base(uint32_t point);

/* Return true if a character is not drawn as a box with its number. */
bool font_known(uint32_t point);

/* A text to draw, in pixels: the origin of its first letter on the baseline, its em. */
struct lettering {
    double x, y, em, angle; /* degrees, counterclockwise, 0 or more, less than 360 */
    bool bold;
    struct colour colour;
    const char *text;
};
/* Draw a text.  If it is horizontal or vertical, its baseline and the tops of letters lie on whole pixels. */
void canvas_text(struct canvas *c, const struct lettering *l);
/* Test hook: return the number of glyphs and composed letters if both tables ascend and all paths are valid, else 0. */
int font_check(void);
#endif
