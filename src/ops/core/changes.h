/* The boxes of a lazy variable that assignments of parts have changed, for incremental runs. */
#ifndef OPS_CORE_CHANGES_H
#define OPS_CORE_CHANGES_H
#include "array/box.h"
#include "array/tensor.h"

/* Record that box b of the variable changed when its version was counted up to the present one. All earlier records are
   void if something else changed it before. Without memory the record is lost, and the variable counts as changed as a
   whole. The caller guards the variable (variable.c). */
void changes_add(ty_tensor *variable, const struct box *b);
/* Add the boxes that changed after version `seen` to *to, which is empty. False if other elements may have changed, too.
   The caller guards the variable. */
bool changes_since(const ty_tensor *variable, int64_t seen, struct boxes *to);
#endif
