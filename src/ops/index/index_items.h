/*
 * Items of an index against the shape they index: a list of entries, one for each axis of x that is kept,
 * picked or indexed, or that is new, in the order in which they stand.
 */
#ifndef OPS_INDEX_INDEX_ITEMS_H
#define OPS_INDEX_INDEX_ITEMS_H
#include "ops/index/index.h"

enum { INDEX_MAX_ITEMS = 2 * TY_MAX_RANK, INDEX_MAX_ENTRIES = 3 * TY_MAX_RANK };

/* Items with where they came from, for errors. */
struct item_list {
    const char *name; /* of the public function */
    int n;
    const ty_index *items;
    const char *text;   /* NULL: items were given as structs */
    const int *columns; /* of each item in the text, from 1 */
};

enum entry_kind { ENTRY_RANGE, ENTRY_AT, ENTRY_NEW, ENTRY_INDEX };
struct entry {
    enum entry_kind kind;
    int axis, span;            /* of x; span: how many, 0 for one that is not x's */
    int64_t start, step, size; /* step may be negative; size: of the axis in the view, before it is indexed */
    ty_tensor *tensor;         /* INDEX: places on the axis, or on its `span` axes as if they were one */
};

struct selection {
    const struct item_list *list;
    ty_tensor *x;
    int n;
    struct entry entries[INDEX_MAX_ENTRIES];
    int axes;       /* of x that entries have taken */
    int indices;    /* entries of kind INDEX */
    int dots;       /* entries before ...; -1: it is not there */
    ty_tensor *bad; /* poison, owned by the scope */
    /* For a mask among otherwise whole axes; NULL: it is not as simple. */
    ty_tensor *mask;
    int mask_axis;
};

/* Fills s; false with s->bad.  Masks are turned into places unless `keep_mask` and a mask is the only item
   that is not whole: then s->mask says which, and entries are not filled. */
bool selection_make(struct selection *s, const struct item_list *list, ty_tensor *x, bool keep_mask);
/* "get of f32[3,4]: item 1: ..." or "at of f32[3,4]: column 5 of "1, 7": ..."; returns false. */
bool selection_fault(struct selection *s, int item, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

ty_tensor *items_get(const struct item_list *list, ty_tensor *x);
ty_tensor *items_set(const struct item_list *list, ty_tensor *x, ty_scatter_mode mode, ty_tensor *v);
#endif
