/* Functions whose gradients are operators of their own; entries of gradient.def differentiate those
   through `adjoint`. */
#ifndef TESTS_GRAD_ADJOINTS_H
#define TESTS_GRAD_ADJOINTS_H
#include <tyto/tyto.h>

/* Return the gradient of f at x for the incoming gradient g, as a function of both. */
static inline ty_tensor *adjoint(ty_tensor *(*f)(ty_tensor *x), ty_tensor *x, ty_tensor *g) {
    ty_tensor *gradient;
    ty_vjp(f(x), g, 1, &x, &gradient);
    return gradient;
}

static inline ty_tensor *pooled(ty_tensor *x) {
    return ty_max_pool1d(x, (ty_pool){.size = {2}, .nchw = true});
}

/* Return the gradient of max pooling: g [1,1,2] at the maxima of an image [1,1,4]. */
static inline ty_tensor *unpooled(ty_tensor *g) {
    ty_tensor *image = ty_from(TY_F64, TY_SHAPE(1, 1, 4), (double[]){1, 3, 4, 2});
    return adjoint(pooled, ty_is_promise(g) ? ty_var(image, "image") : ty_track(image, "image"), g);
}

/* Upsample [1,2,2,1] to [1,4,4,1]. */
static inline ty_tensor *enlarged(ty_tensor *x) { return ty_upsample(x, 2, TY_LINEAR, true); }

/* Sample an image of 4 by 4 at the points of a grid [1,2,2,2]; the result is [1,1,2,2]. */
static inline ty_tensor *sampled(ty_tensor *grid) {
    ty_tensor *image = ty_square(ty_iota(TY_F64, TY_SHAPE(1, 1, 4, 4), 3));
    return ty_grid_sample(image, grid, (ty_grid_options){.sampling = TY_LINEAR});
}
#endif
