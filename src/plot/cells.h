/* Cells of a terminal, and their text. */
#ifndef PLOT_CELLS_H
#define PLOT_CELLS_H
#include "base/text.h"
#include "plot/scene.h"

enum { CELL_HIDDEN = 1 }; /* the letter of the right half of a wide one */

/* A cell: a letter, or two pixels, or dots, the first of these that it has. */
struct cell {
    uint32_t letter; /* 0: none */
    uint8_t dots;    /* bit 2 y + x for the dot in row y, 0..3, and column x, 0..1 */
    uint8_t solid;   /* those of them that areas set */
    uint8_t imaged;  /* 1: `upper` is set, 2: `lower` */
    struct colour ink, upper, lower;
};

/* Append rows of cells as lines, without blanks at their ends.  out->failed says if memory ran out. */
void cells_print(const struct cell *cells, int columns, int rows, struct colour background,
                 const struct terminal *terminal, struct text *out);
#endif
