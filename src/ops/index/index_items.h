/* Index items resolved against the shape that they index: a list of entries in order, one for each axis of x (kept,
   picked or indexed) and for each new axis. */
#ifndef OPS_INDEX_INDEX_ITEMS_H
#define OPS_INDEX_INDEX_ITEMS_H
#include "ops/index/index.h"

enum { INDEX_MAX_ITEMS = 2 * TY_MAX_RANK, INDEX_MAX_ENTRIES = 3 * TY_MAX_RANK };

/* Index items, with their origin for error messages. */
struct item_list {
    const char *name; /* of the public function */
    int n;
    const ty_index *items;
    const char *text;   /* NULL: items were given as structs */
    const int *columns; /* column of each item in the text, from 1 */
};

enum entry_kind { ENTRY_RANGE, ENTRY_AT, ENTRY_NEW, ENTRY_INDEX };
struct entry {
    enum entry_kind kind;
    int axis, span;            /* of x; span: number of axes of x, 0 for a new axis */
    int64_t start, step, size; /* step may be negative; size: of the axis in the view, before index
                                  tensors are applied */
    ty_tensor *tensor;         /* INDEX: indices on the axis, or on its `span` axes flattened */
};

struct selection {
    const struct item_list *list;
    ty_tensor *x;
    int n;
    struct entry entries[INDEX_MAX_ENTRIES];
    int axes;       /* axes of x used so far */
    int indices;    /* number of entries of kind INDEX */
    int dots;       /* entries before "..."; -1: there is none */
    ty_tensor *bad; /* poison, owned by the scope */
    /* the mask, if it is the only item that is not a whole axis; else NULL */
    ty_tensor *mask;
    int mask_axis;
};

/* Resolve the items for x into *s. Masks become indices; but if `keep_mask` and a mask is the only item that
   is not a whole axis, s->mask is set and the entries are whole axes. False, with s->bad set, on failure. */
bool selection_make(struct selection *s, const struct item_list *list, ty_tensor *x, bool keep_mask);

/* Return x indexed by the items, as NumPy does. Poison if an item is invalid. */
ty_tensor *items_get(const struct item_list *list, ty_tensor *x);
/* Return x with the indexed elements combined with v by `mode`. v is broadcast and cast to x's dtype. Poison
   on failure. */
ty_tensor *items_set(const struct item_list *list, ty_tensor *x, ty_scatter_mode mode, ty_tensor *v);
/* Return x indexed by `text`, which may name tensors[n] as @0, @1, ..; or if v is not NULL, x with these
   elements combined with v by `mode`. Poison, in the name of function `name`, if the text is invalid. */
ty_tensor *items_by_text(const char *name, ty_tensor *x, const char *text, int n, ty_tensor *const *tensors,
                         ty_scatter_mode mode, ty_tensor *v);
#endif
