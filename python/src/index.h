/* Keys of indexing. */
#ifndef TYTO_PYTHON_INDEX_H
#define TYTO_PYTHON_INDEX_H
#include "tyto_python.h"

enum { MOST_ITEMS = 2 * TY_MAX_RANK }; /* an item for each axis, and as many new axes */

/* A key of Python as the library's items. */
struct key {
    int n, tensors;
    ty_index items[MOST_ITEMS];
    ty_tensor *owned[MOST_ITEMS]; /* `tensors` of them: tensors of items, a reference each */
};

/* Set *k to the items of a key.  The caller drops the key in any case. */
bool read_key(PyObject *object, struct key *k);
void drop_key(struct key *k);
/* Return x[key], which the caller owns; NULL with an exception. */
ty_tensor *get_items(ty_tensor *x, const struct key *k);
/* Return the real part (BY_REAL) or imaginary part of x, which the caller owns; of complex values as a view. */
ty_tensor *part_of(ty_tensor *x, char how);
/* Return what a view BY_PLACE or BY_CALL shows of its base, which the caller owns; poison if that fails (place.c). */
ty_tensor *tensor_at_place(const struct array *view);
/* Return the base of such a view with the view's tensor x in it, which the caller owns; poison if that fails. */
ty_tensor *put_placed(const struct array *view, ty_tensor *base, ty_tensor *x);
/* Return the new value of a root in the layout that its views rely on.  The reference of the caller's is taken, and the
   result is the caller's; poison if that fails. */
ty_tensor *in_layout(struct array *root, ty_tensor *value);
/* Return the order of axes of a view BY_ORDER. */
const int *order_of(const struct array *view);
/* Set x[object] = value; NULL deletes, which is refused.  0, or -1 with an exception. */
int assign_items(PyObject *self, PyObject *object, PyObject *value);

#endif
