/* Shapes of a scene as renderers see them: all numbers are finite and small. */
#ifndef PLOT_SHAPES_H
#define PLOT_SHAPES_H
#include <math.h>
#include "plot/scene.h"

enum shape_kind { SHAPE_LINE, SHAPE_AREA, SHAPE_BOX, SHAPE_MARKS, SHAPE_TEXT, SHAPE_IMAGE };

/* Coordinates are -SCENE_FAR..SCENE_FAR, so that single precision, which browsers use, holds 1/16 of a point. */
#define SCENE_FAR 1e6

/* A shape in the scene's arena; `kind` says which fields are set. */
struct shape {
    struct shape *next;
    enum shape_kind kind;
    bool clipped;
    struct place clip;            /* valid if clipped */
    struct colour colour;         /* area, box: the fill; marks; text */
    struct stroke stroke;         /* line, box */
    int64_t n;                    /* line, area, marks: points; NaN in x breaks a line */
    const double *x, *y;          /* text: one point */
    const struct colour *colours; /* marks: NULL or n */
    struct place place;           /* box, image; w and h are 0 or more */
    double size;                  /* marks, text */
    double angle;                 /* text: degrees, 0 or more, less than 360 */
    enum mark mark;
    enum anchor anchor;
    enum baseline baseline;
    bool bold;
    const char *text, *whole; /* whole: the text that was cut; NULL: it is whole */
    int columns, rows;
    const uint8_t *pixels;
};

/* True if the line is drawn with flat ends on whole pixels: two points, horizontal or vertical. */
static inline bool shape_straight(const struct shape *p) {
    return p->kind == SHAPE_LINE && p->n == 2 && (p->x[0] == p->x[1] || p->y[0] == p->y[1]);
}
/* Return the next character of a text that is drawn, and advance *at; 0 at the end.  Left out are control characters
   and marks of direction, which would reorder the text around them; invalid bytes are U+FFFD. */
uint32_t shape_letter(const char **at);
/* Return the number of cells that a character takes on terminals: 0 (combining), 1, or 2 (East Asian, pictures). */
int letter_cells(uint32_t point);
/* Return the distance in em from the baseline of letters up to the given one. */
double baseline_shift(enum baseline baseline);
#endif
