/* Compaction: from a mask, whose number of true elements is data, to their places. */
#include "ops/sort.h"

/* Without branches: a place is written always and stays where the mask is true. */
static int64_t write_places(int64_t n, const uint8_t *mask, int64_t stride, int64_t *out) {
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        out[count] = i;
        count += mask[i * stride];
    }
    return count;
}

ty_tensor *places_of(ty_tensor *mask) {
    ty_tensor *known = tensor_resolve(ty_eval(mask));
    if (!ty_ok(known)) return known;
    int64_t n = ty_size(known), room = n + 1;
    const uint8_t *data = n ? tensor_data(known) : NULL;
    ty_tensor *places = tensor_new_value(TY_I64, 1, &room);
    if (!places) return tensor_out_of_memory();
    int64_t count = write_places(n, data, n ? known->layout.strides[0] : 1, tensor_data(places));
    return ty_slice(tensor_return(places), 0, 0, count, 1);
}
