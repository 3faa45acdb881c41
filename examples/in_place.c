/* A pipeline in given memory: Owl's mutable sin_ and ?out, a row of a matrix of samples, an array given away, and a
   matrix in column order. */
#include <math.h>
#include <stdio.h>
#include <tyto/tyto.h>

enum { SAMPLES = 1000 };

/* Say why a step failed; return its success. */
static bool well(bool done, const ty_tensor *error) {
    if (!done) fprintf(stderr, "%s\n", ty_error(error));
    return done;
}

int main(void) {
    static float signal[SAMPLES]; /* the program's own memory */
    ty_scope *scope = ty_open();
    ty_tensor *error = NULL;
    ty_tensor *x = ty_borrow(TY_F32, TY_SHAPE(SAMPLES), signal, NULL, NULL);
    ty_tensor *rows = ty_memory(TY_F32, TY_SHAPE(2, SAMPLES));

    /* x = linspace, then sin_ x: the result replaces the operand, and nothing is allocated for it. */
    bool done = well(ty_into(x, ty_linspace(TY_F32, 0, 6.2831853, SAMPLES), &error), error) &&
                well(ty_into(x, ty_sin(ty_lazy(x)), &error), error);

    /* sin ~out: a row of another array receives the result; x stays. */
    done = done && well(ty_into(ty_at(rows, "0"), ty_abs(ty_lazy(x)), &error), error);

    /* Each sample becomes the mean with its predecessor; the operands overlap the destination. */
    ty_tensor *before = ty_lazy(ty_at(x, ":-1")), *behind = ty_lazy(ty_at(x, "1:"));
    done = done && well(ty_into(ty_at(x, "1:"), ty_mul(ty_add(before, behind), ty_num(0.5)), &error), error);

    /* Backwards into the other row. */
    done = done && well(ty_into(ty_at(rows, "1, ::-1"), x, &error), error);

    /* A value: its memory goes from result to result, since nobody else holds it. */
    ty_tensor *total = ty_sum(rows, ty_axis(0));
    total = ty_mul(ty_give(total), ty_num(0.5));
    total = ty_set_at(ty_give(total), "0", ty_num(7));

    /* A matrix of Fortran's, column after column, without a copy; the result has the same order. */
    double columns[] = {1, 2, 3, 4, 5, 6};
    ty_tensor *matrix = ty_permute(ty_borrow(TY_F64, TY_SHAPE(3, 2), columns, NULL, NULL), NULL);
    ty_tensor *twice = ty_mul(ty_columns(matrix), ty_num(2));
    const double *elements = ty_data(twice);
    done = done && elements && ty_is_columns(twice) && elements[1] == 4;

    printf("x[250] = %.4f\n", signal[250]);
    ty_print(stdout, twice);
    ty_print(stdout, ty_at(rows, ":, ::200"));
    ty_print(stdout, ty_at(total, "::200"));
    if (!ty_ok(total)) fprintf(stderr, "%s\n", ty_error(total));
    done = done && ty_ok(total) && fabsf(signal[250] - 1) < 1e-4f; /* a quarter of the wave */
    ty_close(scope);
    return done ? 0 : 1;
}
