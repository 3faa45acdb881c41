/* Binary search of each x in sorted lines. */
#include <tyto/sort.h>
#include "ops/shape/batch.h"
#include "ops/core/attributes.h"
#include "ops/core/structure.h"

/* Set the indices of a search in *in: i64 in the shape of x. False, with the fault set, if dtypes or leading
   axes differ. */
static bool infer(struct infer *in) {
    const ty_tensor *sorted = in->inputs[0], *x = in->inputs[1];
    int lead = sorted->layout.rank - 1;
    if (sorted->dtype != x->dtype)
        return infer_fault(in, E_DTYPE, "both must have the same dtype; use ty_cast");
    if (lead < 0)
        return infer_fault(in, E_SHAPE, "the sorted operand is 0-d; expected an axis to search along");
    if (x->layout.rank < lead || !shape_equal(lead, sorted->layout.shape, lead, x->layout.shape))
        return infer_fault(
            in, E_SHAPE, "the axes of the sorted operand but its last must be the leading axes of the other");
    infer_like(in, x);
    in->dtype = TY_I64;
    return true;
}

ATTRIBUTES(attributes, sizeof(struct search_attr), FIELD(struct search_attr, right, FLAG));

const struct op op_search = {.name = "search",
                             .kind = KERNEL_SEARCH,
                             .arity = 2,
                             .infer = infer,
                             .no_gradient = {"piecewise constant", "piecewise constant"},
                             .attributes = &attributes,
                             .batch = batch_shifted,
                             .row = -1,
                             .onnx = "",
                             .doc = "i64 place in its sorted line before (or behind) which a value belongs"};

ty_tensor *ty_searchsorted(ty_tensor *sorted, ty_tensor *x, bool right) {
    ty_tensor *bad = first_poison(2, (ty_tensor *[]){sorted, x});
    if (bad) return bad;
    struct search_attr attr = {.right = right};
    ty_scope *scope = ty_open();
    ty_tensor *common[2];
    cast_to_common("searchsorted", 2, (ty_tensor *[]){sorted, x}, MATCHED, common);
    return leave(scope, record(&op_search, &attr, sizeof attr, 2, common));
}
