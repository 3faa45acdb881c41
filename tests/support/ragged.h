/* Gradient steps over batches of ever new sizes, the hard case for memory that is kept for reuse.  For tests and
   benchmarks. */
#ifndef TESTS_RAGGED_H
#define TESTS_RAGGED_H
#include <stdint.h>
#include <tyto/tyto.h>

enum { RAGGED_LEAST = 1000, RAGGED_MOST = 40960, RAGGED_WIDTH = 64 };

/* Return the weights after a step of descent on the mean square of x w, for n rows; the scope owns them. */
static inline ty_tensor *ragged_step(ty_tensor *w, int64_t n) {
    ty_tensor *x = ty_full(TY_F32, TY_SHAPE(n, RAGGED_WIDTH), 0.01), *tracked = ty_track(w, "w");
    ty_tensor *loss = ty_mean(ty_square(ty_matmul(x, tracked)), TY_ALL);
    ty_tensor *gradient;
    ty_grad(loss, 1, &tracked, &gradient);
    return ty_detach(ty_sub(w, ty_mul(gradient, ty_num(0.1))));
}

/* Run eager gradient steps of a layer of 64 units over batches of `least` to `most` rows of 64 f32 numbers.  Return 0,
   or the number of the step that failed. */
static inline int ragged_steps(int steps, int64_t least, int64_t most) {
    uint64_t state = 1;
    ty_scope *scope = ty_open();
    ty_tensor *w = ty_own(ty_full(TY_F32, TY_SHAPE(RAGGED_WIDTH, RAGGED_WIDTH), 0.1));
    int failed = 0;
    for (int i = 1; i <= steps && !failed; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        ty_scope *inner = ty_open();
        ty_tensor *next =
            ty_own(ragged_step(w, least + (int64_t)((state >> 33) % (uint64_t)(most - least + 1))));
        ty_release(w);
        w = next;
        if (!ty_ok(w)) failed = i;
        ty_close(inner);
    }
    ty_release(w);
    ty_close(scope);
    return failed;
}
#endif
