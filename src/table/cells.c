/* Columns while they are read: appending cells, and widening of types. */
#include "table/cells.h"
#include <math.h>
#include <string.h>
#include "array/number_read.h"
#include "base/alloc.h"
#include "base/list.h"
#include "base/utf8.h"

enum { BLOCK_ROWS = 1 << 15, FIRST_ROWS = 32 };

/* ---- blocks ---- */

static size_t size_of(enum cell_type type) {
    return type == CELLS_COMPLEX ? 16 : type == CELLS_WORDS ? 4 : 8;
}

/* Return the address of element i, which exists. */
static inline void *at(const struct blocks *b, int64_t i, size_t size) {
    if (i < b->first) return b->blocks[0] + (size_t)i * size;
    i -= b->first;
    return b->blocks[1 + i / BLOCK_ROWS] + (size_t)(i % BLOCK_ROWS) * size;
}

/* Double block 0, which is smaller than others; new elements are zero.  False: no memory. */
static bool grow_first(struct blocks *b, size_t size) {
    int64_t capacity = b->capacity ? 2 * b->capacity : FIRST_ROWS;
    if (!list_reserve(b->blocks, 1, b->room)) return false;
    char *block = mem_grow(b->count ? b->blocks[0] : NULL, (size_t)capacity, size);
    if (!block) return false;
    memset(block + (size_t)b->capacity * size, 0, (size_t)(capacity - b->capacity) * size);
    b->blocks[0] = block;
    b->count = 1;
    b->first = b->capacity = capacity;
    return true;
}

/* Add capacity; new elements are zero.  False: no memory. */
static bool grow(struct blocks *b, size_t size) {
    if (b->capacity < BLOCK_ROWS) return grow_first(b, size);
    char *block = mem_array(BLOCK_ROWS, size);
    if (block && list_append(b->blocks, b->count, b->room, block)) {
        b->capacity += BLOCK_ROWS;
        return true;
    }
    mem_free(block);
    return false;
}

/* Make block 0 of the expected number of elements.  Without memory nothing changes, and it grows as others do. */
static void begin_blocks(struct blocks *b, int64_t expected, enum cell_type type) {
    if (expected <= BLOCK_ROWS || !list_reserve(b->blocks, 1, b->room)) return;
    ty_dtype dtype = type == CELLS_WORDS ? TY_I32 : type == CELLS_COMPLEX ? TY_C128 : TY_F64;
    b->tensor = tensor_new_value(dtype, 1, &expected); /* its elements have size_of(type) bytes */
    if (!b->tensor) return;
    b->blocks[0] = tensor_data(b->tensor);
    b->count = 1;
    b->first = b->capacity = expected;
}

/* Ensure room for element i, which there is none for.  False: no memory. */
static __attribute__((noinline)) bool grow_to(struct blocks *b, int64_t i, size_t size) {
    while (i >= b->capacity)
        if (!grow(b, size)) return false;
    return true;
}
/* Ensure room for element i.  False: no memory. */
static inline bool reserve(struct blocks *b, int64_t i, size_t size) {
    return i < b->capacity || grow_to(b, i, size);
}

static void drop_blocks(struct blocks *b) {
    for (int64_t i = b->tensor != NULL; i < b->count; i++) mem_free(b->blocks[i]);
    ty_release(b->tensor);
    mem_free(b->blocks);
    *b = (struct blocks){0};
}

/* Move n elements to `out` and free the blocks, one after the other. */
static void move_blocks(struct blocks *b, int64_t n, size_t size, char *out) {
    int64_t begin = 0;
    for (int64_t i = 0; i < b->count; i++) {
        int64_t rows = i ? BLOCK_ROWS : b->first;
        if (rows > n - begin) rows = n - begin;
        if (rows > 0) memcpy(out + (size_t)begin * size, b->blocks[i], (size_t)rows * size);
        begin += rows;
        if (i || !b->tensor) mem_free(b->blocks[i]);
        if (i == 0) ty_release(b->tensor);
    }
    mem_free(b->blocks);
    *b = (struct blocks){0};
}

/* Return a tensor of the first n elements of block 0, whose memory it shares, if that wastes little; else NULL. */
static ty_tensor *share_first(struct blocks *b, int64_t n, ty_dtype dtype) {
    /* half of the memory may stay unused: the number of rows is an estimate, and untouched pages take no memory */
    enum { WASTE = 2 };
    if (!b->tensor || b->count > 1 || b->first - n > b->first / WASTE) return NULL;
    struct layout_room room;
    struct layout *l = layout_room_init(&room, 1);
    l->shape[0] = n;
    l->strides[0] = 1;
    l->offset = 0;
    ty_tensor *x = tensor_new_view(b->tensor, l);
    if (x) x->dtype = dtype;
    return x;
}

void cells_drop(struct cells *c) {
    drop_blocks(&c->values);
    drop_blocks(&c->missing);
    words_release(c->words);
    *c = (struct cells){0};
}

void cells_restart(struct cells *c) {
    int64_t expected = c->expected;
    cells_drop(c);
    c->type = CELLS_WORDS;
    begin_blocks(&c->values, expected, CELLS_WORDS);
}

/* ---- storing ---- */

/* Append a word with its words_hash, or (text NULL) a missing one. */
static enum cell_added add_word(struct cells *c, const char *text, size_t n, uint32_t hash) {
    int64_t code = -1;
    if (!c->words && !(c->words = words_new())) return CELL_NO_MEMORY;
    if (!reserve(&c->values, c->rows, sizeof(int32_t))) return CELL_NO_MEMORY;
    if (text && c->words->count && words_is(c->words, c->last, text, n)) {
        code = c->last;
    } else if (text) {
        int64_t count = c->words->count;
        code = words_add_hashed(c->words, hash, text, n);
        if (code < 0) return CELL_NO_MEMORY;
        if (code == count && !utf8_is(text, n)) return CELL_ENCODING;
        c->last = code;
    }
    *(int32_t *)at(&c->values, c->rows++, sizeof(int32_t)) = (int32_t)code;
    return CELL_ADDED;
}

/* Mark cell i as missing in a column of integers or bool. */
static bool mark(struct cells *c, int64_t i) {
    c->holes = true;
    if (!reserve(&c->missing, i, 1)) return false;
    *(bool *)at(&c->missing, i, 1) = true;
    return true;
}

/* Append a missing element. */
static enum cell_added add_missing(struct cells *c) {
    if (c->type == CELLS_WORDS) return add_word(c, NULL, 0, 0);
    if (c->type == CELLS_NONE) {
        c->rows++;
        return CELL_ADDED;
    }
    size_t size = size_of(c->type);
    if (!reserve(&c->values, c->rows, size)) return CELL_NO_MEMORY;
    if (c->type >= CELLS_REAL) {
        double *x = at(&c->values, c->rows, size);
        x[0] = NAN;
        if (c->type == CELLS_COMPLEX) x[1] = 0;
    } else {
        if (!mark(c, c->rows)) return CELL_NO_MEMORY;
        *(int64_t *)at(&c->values, c->rows, size) = 0;
    }
    c->rows++;
    return CELL_ADDED;
}

/* ---- widening ---- */

/* Give a column without a type one; its cells so far are missing.  False: no memory; the column is unchanged. */
static bool begin_type(struct cells *c, enum cell_type type) {
    int64_t rows = c->rows;
    c->type = type;
    c->rows = 0;
    begin_blocks(&c->values, c->expected, type);
    while (c->rows < rows && add_missing(c) == CELL_ADDED) continue;
    if (c->rows == rows) return true;
    drop_blocks(&c->values);
    drop_blocks(&c->missing);
    words_release(c->words);
    c->words = NULL;
    c->holes = false;
    c->type = CELLS_NONE;
    c->rows = rows;
    return false;
}

static bool is_marked(const struct cells *c, int64_t i) {
    return c->holes && i < c->missing.capacity && *(const bool *)at(&c->missing, i, 1);
}

/* Convert integers or bool to f64 in place.  CELL_ROUNDS, with c->lost set, if one would lose digits and may not. */
static enum cell_added make_real(struct cells *c, bool rounded) {
    for (int64_t i = 0; i < c->rows && !rounded; i++) {
        int64_t x = *(int64_t *)at(&c->values, i, 8);
        if (value_exact(c->large || x >= 0 ? (uint64_t)x : -(uint64_t)x)) continue;
        c->lost = i;
        return CELL_ROUNDS;
    }
    for (int64_t i = 0; i < c->rows; i++) {
        void *cell = at(&c->values, i, 8);
        int64_t x = *(int64_t *)cell;
        *(double *)cell = is_marked(c, i) ? NAN : c->large ? (double)(uint64_t)x : (double)x;
    }
    drop_blocks(&c->missing);
    c->holes = false;
    c->type = CELLS_REAL;
    return CELL_ADDED;
}

/* Convert reals to complex numbers. */
static enum cell_added make_complex(struct cells *c) {
    struct blocks wide = {0};
    for (int64_t i = 0; i < c->rows; i++) {
        if (!reserve(&wide, i, 16)) {
            drop_blocks(&wide);
            return CELL_NO_MEMORY;
        }
        ((double *)at(&wide, i, 16))[0] = *(double *)at(&c->values, i, 8);
    }
    drop_blocks(&c->values);
    c->values = wide;
    c->type = CELLS_COMPLEX;
    return CELL_ADDED;
}

/* Widen the column to hold a value. */
static enum cell_added widen(struct cells *c, const struct value *p, bool rounded) {
    enum cell_type type = p->type > c->type ? p->type : c->type;
    bool negative = c->negative || p->negative, large = c->large || p->large;
    if (type == CELLS_WHOLE && negative && large) type = CELLS_REAL;
    if (type >= CELLS_REAL && p->lossy && !rounded) {
        c->lost = -1;
        return CELL_ROUNDS;
    }
    if (c->type == CELLS_NONE && !begin_type(c, type)) return CELL_NO_MEMORY;
    enum cell_added made = CELL_ADDED;
    if (type >= CELLS_REAL && c->type < CELLS_REAL) made = make_real(c, rounded);
    if (made == CELL_ADDED && type == CELLS_COMPLEX && c->type < CELLS_COMPLEX) made = make_complex(c);
    if (made != CELL_ADDED) return made;
    c->type = type;
    c->negative = negative;
    c->large = large;
    return CELL_ADDED;
}

/* ---- appending ---- */

/* Append a text that is no number. */
static enum cell_added add_text(struct cells *c, const struct number_style *style, const char *text,
                                size_t n) {
    if (style->numbers) return CELL_TEXT;
    if (c->type == CELLS_NONE && !c->weak) {
        if (!begin_type(c, CELLS_WORDS)) return CELL_NO_MEMORY;
        return add_word(c, text, n, words_hash(text, n));
    }
    int64_t expected = c->expected;
    cells_drop(c);
    c->expected = expected;
    c->again = true;
    return CELL_AGAIN;
}

/* Append a value, whose type fits the column. */
static enum cell_added store(struct cells *c, const struct value *p) {
    size_t size = size_of(c->type);
    if (!reserve(&c->values, c->rows, size)) return CELL_NO_MEMORY;
    void *cell = at(&c->values, c->rows++, size);
    if (c->type >= CELLS_REAL) {
        ((double *)cell)[0] = p->real;
        if (c->type == CELLS_COMPLEX) ((double *)cell)[1] = p->imaginary;
    } else {
        *(int64_t *)cell = p->whole;
    }
    return CELL_ADDED;
}

/* Append a text to a column of numbers, or to one without a type. */
static enum cell_added add_value(struct cells *c, const struct number_style *style, const char *text,
                                 size_t n) {
    struct value p;
    int missing = missing_is(style->missing, text, n);
    if (missing) {
        c->weak |= missing == 1;
        return add_missing(c);
    }
    const char *bare = text;
    size_t length = n;
    value_trim(&bare, &length);
    if (!value_read(style, bare, length, &p)) return add_text(c, style, text, n);
    if (!style->array && c->type != CELLS_NONE && (p.type == CELLS_BOOL) != (c->type == CELLS_BOOL))
        return add_text(c, style, text, n);
    enum cell_added widened = widen(c, &p, style->rounded);
    if (widened == CELL_ROUNDS && !style->numbers && c->type <= CELLS_WHOLE && p.type == CELLS_REAL &&
        c->lost < 0)
        return add_text(c, style, text, n); /* digits of a number that no integer holds stay as words */
    return widened == CELL_ADDED ? store(c, &p) : widened;
}

/* Append words and missing elements; *done counts them. */
static enum cell_added add_words(struct cells *c, const struct number_style *style, const struct cell *cells,
                                 int64_t step, int64_t n, int64_t *done) {
    enum { AHEAD = 64 }; /* words of which the processor loads the places at once */
    uint32_t hashes[AHEAD];
    while (*done < n) {
        int64_t some = n - *done < AHEAD ? n - *done : AHEAD;
        for (int64_t k = 0; k < some; k++) {
            const struct cell *cell = &cells[(*done + k) * step];
            hashes[k] = words_hash(cell->text, cell->n);
            if (c->words) words_expect(c->words, hashes[k]);
        }
        for (int64_t k = 0; k < some; k++, ++*done) {
            const struct cell *cell = &cells[*done * step];
            bool gone = missing_is(style->missing, cell->text, cell->n) == 2;
            enum cell_added added = add_word(c, gone ? NULL : cell->text, cell->n, hashes[k]);
            if (added != CELL_ADDED) return added;
        }
    }
    return CELL_ADDED;
}

/* Append numbers of the column's type, as most cells of large files are, up to another text; *done counts them. */
static enum cell_added add_numbers(struct cells *c, const struct cell *cells, int64_t step, int64_t n,
                                   int64_t *done) {
    for (struct number x; *done < n; ++*done) {
        const struct cell *cell = &cells[*done * step];
        if (!cell->n || number_read(cell->text, cell->n, &x) != cell->n) break;
        if (!reserve(&c->values, c->rows, 8)) return CELL_NO_MEMORY;
        if (c->type == CELLS_REAL) {
            if (isnan(x.value) || fabs(x.value) >= 0x1p53) break;
            *(double *)at(&c->values, c->rows, 8) = x.value;
        } else {
            if (!x.whole || x.size > INT64_MAX || c->large) break;
            c->negative |= x.negative && x.size;
            *(int64_t *)at(&c->values, c->rows, 8) = (int64_t)(x.negative ? -x.size : x.size);
        }
        c->rows++;
    }
    return CELL_ADDED;
}

enum cell_added cells_add(struct cells *c, const struct number_style *style, const struct cell *cells,
                          int64_t step, int64_t n, int64_t *done) {
    bool plain = style->decimal == '.' && style->missing->count <= 0;
    enum cell_added added = CELL_ADDED;
    *done = 0;
    while (*done < n) {
        if (style->words && c->type == CELLS_NONE && !begin_type(c, CELLS_WORDS)) return CELL_NO_MEMORY;
        if (c->type == CELLS_WORDS) return add_words(c, style, cells, step, n, done);
        if (plain && (c->type == CELLS_REAL || c->type == CELLS_WHOLE))
            added = add_numbers(c, cells, step, n, done);
        if (added != CELL_ADDED || *done == n) return added;
        const struct cell *other = &cells[*done * step];
        added = add_value(c, style, other->text, other->n);
        if (added != CELL_ADDED) return added;
        ++*done;
    }
    return CELL_ADDED;
}

/* ---- results ---- */

/* Replace the codes, in order of appearance, by those of sorted words.  False: no memory. */
static bool sort_words(struct cells *c, int32_t *codes) {
    int32_t *ranks = mem_array((size_t)c->words->count + 1, sizeof *ranks);
    bool ok = ranks && words_sort(c->words, ranks);
    for (int64_t i = 0; i < c->rows && ok; i++)
        if (codes[i] >= 0) codes[i] = ranks[codes[i]];
    mem_free(ranks);
    if (ok) words_trim(c->words);
    return ok;
}

/* Set *x to a new tensor of c's elements, which are moved; false: no memory. */
static bool move_values(struct cells *c, ty_dtype dtype, ty_tensor **x) {
    size_t size = size_of(c->type);
    *x = c->type == CELLS_BOOL ? NULL : share_first(&c->values, c->rows, dtype);
    if (*x) {
        drop_blocks(&c->values);
        return true;
    }
    *x = tensor_new_value(dtype, 1, &c->rows);
    if (!*x) return false;
    if (c->type != CELLS_BOOL) {
        move_blocks(&c->values, c->rows, size, tensor_data(*x));
        return true;
    }
    for (int64_t i = 0; i < c->rows; i++) ((bool *)tensor_data(*x))[i] = *(int64_t *)at(&c->values, i, size);
    drop_blocks(&c->values);
    return true;
}

bool cells_end(struct cells *c, struct table_column *column) {
    static const ty_column_kind kinds[] = {TY_COLUMN_EMPTY,  TY_COLUMN_BOOL,   TY_COLUMN_WHOLE,
                                           TY_COLUMN_NUMBER, TY_COLUMN_NUMBER, TY_COLUMN_WORDS};
    static const ty_dtype dtypes[] = {TY_F64, TY_BOOL, TY_I64, TY_F64, TY_C128, TY_I32};
    *column = (struct table_column){.kind = kinds[c->type]};
    if (c->type == CELLS_NONE) c->expected = 0;
    if (c->type == CELLS_NONE && !begin_type(c, CELLS_REAL)) return false;
    if (c->type == CELLS_WORDS && !c->words && !(c->words = words_new())) return false;
    ty_dtype dtype = c->type == CELLS_WHOLE && c->large ? TY_U64 : dtypes[c->type];
    bool ok = move_values(c, dtype, &column->values);
    if (ok && c->holes) {
        ok = c->rows == 0 || reserve(&c->missing, c->rows - 1, 1);
        column->missing = ok ? tensor_new_value(TY_BOOL, 1, &c->rows) : NULL;
        ok = column->missing;
        if (ok) move_blocks(&c->missing, c->rows, 1, tensor_data(column->missing));
    }
    if (ok && c->type == CELLS_WORDS) {
        ok = sort_words(c, tensor_data(column->values));
        column->words = c->words;
        c->words = NULL;
    }
    if (!ok) column_drop(column);
    cells_drop(c);
    return ok;
}
