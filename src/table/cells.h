/*
 * A column while it is read.  Its type widens as cells arrive: bool, integers, reals, complex numbers; or words.  A
 * column of numbers that meets a word becomes `again`: its texts are gone, and the reader reads it once more.
 */
#ifndef TABLE_CELLS_H
#define TABLE_CELLS_H
#include "table/records.h"
#include "table/table.h"
#include "table/values.h"

/* Elements in blocks, so that a column that grows is not moved.  If the number of rows is expected, block 0 is the
   memory of a tensor, which becomes the column. */
struct blocks {
    char **blocks;
    int64_t count, room; /* of blocks */
    int64_t first;       /* elements of block 0; others have BLOCK_ROWS */
    int64_t capacity;    /* of all blocks */
    ty_tensor *tensor;   /* owns block 0; NULL: mem_free does */
};

/* A column that is being read.  Until an element that is not missing arrives, nothing is stored. */
struct cells {
    enum cell_type type;
    bool again;            /* is to be read once more, as words */
    bool negative, large;  /* integers: one is below 0, one above INT64_MAX */
    bool weak;             /* has a word that is missing among numbers alone */
    bool holes;            /* `missing` is in use */
    int64_t rows;          /* number of cells so far */
    int64_t expected;      /* about the number of all cells; 0: unknown */
    struct blocks values;  /* 8 bytes each, 16 if complex, 4 for codes of words */
    struct blocks missing; /* bool; of integers and bool */
    struct words *words;
    int64_t last; /* code of the last word: many columns repeat it */
    int64_t lost; /* after CELL_ROUNDS: row of the integer that would lose digits; -1: the new cell */
};

enum cell_added {
    CELL_ADDED,
    CELL_AGAIN /* the column became `again` */,
    CELL_NO_MEMORY,
    CELL_ROUNDS,
    CELL_ENCODING,
    CELL_TEXT /* a word, which is not allowed */
};
/* Append n cells of a column, which lie `step` apart; *done is set to the number of them that were appended, all
   unless the result is another than CELL_ADDED. */
enum cell_added cells_add(struct cells *c, const struct number_style *style, const struct cell *cells,
                          int64_t step, int64_t n, int64_t *done);
/* Begin again with words alone. */
void cells_restart(struct cells *c);
/* Free everything that c owns. */
void cells_drop(struct cells *c);
/* Move the elements to a column, whose references the caller owns; c is then empty.  False: no memory. */
bool cells_end(struct cells *c, struct table_column *column);
#endif
