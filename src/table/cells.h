/*
 * A column while it is read.  Its type widens as cells arrive: bool, integers, reals, complex numbers; or words.  A
 * column of numbers that meets a word becomes `again`: its texts are gone, and the reader reads it once more.
 */
#ifndef TABLE_CELLS_H
#define TABLE_CELLS_H
#include "table/missing.h"
#include "table/table.h"

enum cell_type { CELLS_NONE, CELLS_BOOL, CELLS_WHOLE, CELLS_REAL, CELLS_COMPLEX, CELLS_WORDS };

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

/* How numbers are written. */
struct number_style {
    char decimal, thousands; /* thousands 0: none */
    bool rounded;            /* integers may lose digits */
    bool words;              /* all columns are words */
    bool array;              /* truth values beside numbers are 0 and 1 */
    bool numbers;            /* words are an error */
    const struct missing *missing;
};

enum cell_added {
    CELL_ADDED,
    CELL_AGAIN /* the column became `again` */,
    CELL_NO_MEMORY,
    CELL_ROUNDS,
    CELL_ENCODING,
    CELL_TEXT /* a word, which is not allowed */
};
/* Append the n characters as a cell.  On an error nothing is appended. */
enum cell_added cells_add(struct cells *c, const struct number_style *style, const char *text, size_t n);
/* Begin again with words alone. */
void cells_restart(struct cells *c);
/* Free everything that c owns. */
void cells_drop(struct cells *c);
/* Move the elements to a column, whose references the caller owns; c is then empty.  False: no memory. */
bool cells_end(struct cells *c, struct table_column *column);

/* Kinds of texts. */
enum cell_kind { CELL_MISSING, CELL_WEAK /* missing among numbers */, CELL_TRUTH, CELL_NUMBER, CELL_WORD };
/* Classify the n characters; *value (may be NULL) is set for a number, *whole to true if it is an integer. */
enum cell_kind cell_kind_of(const struct number_style *style, const char *text, size_t n, double *value,
                            bool *whole);
/* Read a number, of which blanks around it are no part, in the style.  False if the text is no number. */
struct number;
bool cell_number(const struct number_style *style, const char *text, size_t n, struct number *out);
#endif
