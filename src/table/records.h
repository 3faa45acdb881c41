/*
 * Records of delimited text, cut from a window that moves over the input.  Quotes are those of RFC 4180: a cell that
 * begins with a quote ends with one, and a doubled quote inside stands for one.  A record ends with LF, CR LF or CR.
 */
#ifndef TABLE_RECORDS_H
#define TABLE_RECORDS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/text.h"

/* An input of bytes, of the caller. */
struct table_input {
    const char *name; /* for messages */
    void *context;
    /* Read up to n bytes from offset `at`; *got is their number, fewer than n only at the end.  False sets the
       fault. */
    bool (*read)(void *context, uint64_t at, void *out, size_t n, size_t *got, struct fault *fault);
    uint64_t size;  /* bytes, for progress; 0: unknown */
    uint64_t about; /* as far as known, by which room for columns is made; 0: unknown */
    uint64_t most;  /* greatest number of bytes of elements; 0: no limit */
    bool (*refuse)(void *context, uint64_t bytes,
                   struct fault *fault); /* set the fault of more; always false */
};

/* A cell of a record; its text lies in the window. */
struct cell {
    char *text;
    size_t n;
    bool quoted;
    bool doubled; /* has doubled quotes, which records_next halves */
};

/* How records are written. */
struct dialect {
    char delimiter; /* ' ': any number of blanks and tabs */
    char
        comment; /* text behind it is skipped; 0: lines that begin with # and a blank, and others if `hashes` */
    bool hashes;  /* lines that begin with # are comments */
    bool skips;   /* blanks behind a delimiter are skipped */
    bool remarks; /* without `comment`: text from a # between blanks on is skipped, and blanks at the
                     end of cells */
};

/* State of cutting records. */
struct records {
    struct table_input in;
    struct dialect dialect;
    struct fault *fault;
    char *window; /* `length` bytes of the input and one more; the first `next` are consumed */
    size_t length, next, capacity;
    uint64_t at; /* offset of the next read */
    bool ended;
    char said;     /* the delimiter that a first line such as sep=; says, which spreadsheets write; 0: none */
    size_t sample; /* bytes of the window that guesses look at */
    bool whole; /* the window is a sample: it is not filled up, and a record cut off at its end is left out */
    int64_t line;  /* of the last record, from 1 */
    int64_t after; /* of the next record */
    struct cell *cells;
    int64_t count, room;
    /* NULL, or called before the window moves, and with it the texts of cells; false sets the fault */
    bool (*moves)(void *context);
    void *context;
};

/* Begin with an empty window.  False sets the fault. */
bool records_begin(struct records *r, const struct table_input *in, struct fault *fault);
/* Free the window and the cells. */
void records_end(struct records *r);
/* Fill the window, refuse UTF-16, skip a byte order mark and `lines` lines.  False sets the fault. */
bool records_start(struct records *r, int64_t lines);
/* Return to the begin of the input, and skip as many lines again.  False sets the fault. */
bool records_rewind(struct records *r, int64_t lines);
/* Move the unread bytes to the front of the window, and read more behind them; a full window becomes larger.  False
   sets the fault. */
bool records_more(struct records *r);
/* Cut the next record that is neither blank nor a comment into r->cells.  False at the end, or with the fault set. */
bool records_next(struct records *r);
/* Set the fault with the place of cell i, from 0, of the last record: "NAME:LINE: column 3: ".  Always false. */
bool records_refuse(const struct records *r, int64_t i, ty_code code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
#endif
