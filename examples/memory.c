/* Memory of the caller and of results: the program of docs/memory.md, whose lines of code are taken from it. */
#include <math.h>
#include <tyto/io.h>
#include <tyto/tyto.h>

static bool all_well = true;

static void expect(const char *what, bool well) {
    if (well) return;
    printf("%s is not so\n", what);
    all_well = false;
}
#define EXPECT(well) expect(#well, well)

static void borrowed(void) {
    float samples[1000];
    for (int i = 0; i < 1000; i++) samples[i] = (float)i;
    ty_tensor *x = ty_borrow(TY_F32, TY_SHAPE(1000), samples, NULL, NULL);
    ty_into(x, ty_sin(ty_lazy(x)), NULL); /* samples[i] = sin(samples[i]) */
    EXPECT(fabs(samples[999] - sin(999)) < 1e-6);
    ty_into(ty_at(x, "1:"), ty_add(ty_lazy(ty_at(x, ":-1")), ty_num(1)), NULL); /* x[1:] = x[:-1] + 1 */
    EXPECT(samples[1] == 1 && fabs(samples[999] - sin(998) - 1) < 1e-6);
}

static void given_away(void) {
    ty_tensor *t = ty_ones(TY_F32, TY_SHAPE(1000, 1000));
    const void *before = ty_data(t);
    t = ty_add(ty_give(t), ty_num(1));            /* no second array */
    t = ty_set_at(ty_give(t), "3, 4", ty_num(9)); /* writes one element */
    EXPECT(ty_data(t) == before && ty_item(ty_at(t, "3, 4")) == 9 && ty_item(ty_at(t, "4, 3")) == 2);
}

static void halved(void *context, ty_tensor *const *x, ty_tensor **y) {
    (void)context;
    y[0] = ty_mul(x[0], ty_num(0.5));
}

static void stepped(void) {
    ty_function *step = ty_function_new(halved, NULL, 1, 1, (ty_compile_options){0});
    ty_tensor *weights = ty_full(TY_F64, TY_SHAPE(1000), 8);
    for (int i = 0; i < 1000; i++) {
        ty_give(weights);
        ty_function_call(step, 1, &weights, 1, &weights); /* one array for all steps */
    }
    EXPECT(ty_item(ty_at(weights, "0")) == ldexp(1, 3 - 1000));
    ty_function_free(step);
}

static void in_columns(void) {
    ty_save("a.npy", ty_columns(ty_uniform(TY_F32, TY_SHAPE(1024, 1024), ty_key(2))), NULL);
    ty_tensor *a = ty_columns(ty_load("a.npy")); /* no copy if the file is in Fortran order */
    ty_tensor *b = ty_columns(ty_uniform(TY_F32, TY_SHAPE(1024, 1024), ty_key(1)));
    ty_tensor *y =
        ty_add(ty_mul(a, b), ty_exp(a)); /* in column order: one pass over memory for each function */
    ty_save("y.npy", y, NULL);           /* 'fortran_order': True, without a copy */
    EXPECT(ty_item(ty_all(ty_eq(ty_load("y.npy"), y), TY_ALL)) == 1);
    EXPECT(ty_strides(y)[0] == 1 && ty_strides(ty_load("y.npy"))[0] == 1);
    remove("a.npy");
    remove("y.npy");
}

static void in_columns_of_the_caller(void) {
    float matrix[3 * 4] = {0}; /* 4 rows and 3 columns, column after column */
    matrix[1 * 4 + 2] = 7;
    ty_tensor *x =
        ty_columns(ty_permute(ty_borrow(TY_F32, TY_SHAPE(3, 4), matrix, NULL, NULL), NULL)); /* [4, 3] */
    EXPECT(ty_item(ty_at(x, "2, 1")) == 7 && ty_data(x) == matrix);
}

int main(void) {
    ty_scope *scope = ty_open();
    borrowed();
    given_away();
    stepped();
    in_columns();
    in_columns_of_the_caller();
    ty_close(scope);
    puts(all_well ? "well" : "not well");
    return !all_well;
}
