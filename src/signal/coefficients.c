/* Checks of the coefficients of filters. */
#include "signal/coefficients.h"
#include <tyto/shape.h>
#include "ops/core/attributes.h"
#include "ops/core/structure.h"

ty_tensor *refuse_vectors(const char *name, int n, ty_tensor **operands) {
    for (int i = 0; i < 2; i++)
        if (ty_rank(operands[i]) != 1 || ty_size(operands[i]) < 1 || ty_size(operands[i]) > FILTER_MOST)
            return refuse(name, n, operands, E_SHAPE, "coefficients must be vectors of 1..%d elements",
                          FILTER_MOST);
    return NULL;
}

ty_tensor *refuse_sections(const char *name, int n, ty_tensor **operands) {
    ty_tensor *sections = operands[0];
    if (ty_rank(sections) == 2 && ty_shape(sections)[1] == 6 && ty_shape(sections)[0] >= 1 &&
        ty_shape(sections)[0] <= FILTER_MOST)
        return NULL;
    return refuse(name, n, operands, E_SHAPE, "sections must be [1..%d, 6]: b0 b1 b2 a0 a1 a2 of each",
                  FILTER_MOST);
}
