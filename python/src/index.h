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
/* Return the order of axes of a view BY_ORDER. */
const int *order_of(const struct array *view);
/* Set x[object] = value; NULL deletes, which is refused.  0, or -1 with an exception. */
int assign_items(PyObject *self, PyObject *object, PyObject *value);

#endif
