/* C code inside a graph: a calibration table of a sensor, with its slope, in a compiled program that finds the
   temperatures at which the sensor shows given voltages, by Newton's method. */
#include <stdio.h>
#include <tyto/tyto.h>

enum { ENTRIES = 11, SENSORS = 3, STEPS = 8 };

/* Voltages at 0, 10, ..., 100 degrees. */
static const double table[ENTRIES] = {0,     0.391, 0.790, 1.196, 1.612, 2.036,
                                      2.468, 2.909, 3.358, 3.814, 4.279};

/* Return the index of the entry below a temperature. */
static int below(double temperature) {
    int i = (int)(temperature / 10);
    return i < 0 ? 0 : i > ENTRIES - 2 ? ENTRIES - 2 : i;
}

/* The voltage between two entries. */
static void voltage(void *context, ty_called *call) {
    const double *x = ty_data(call->x[0]);
    double *y = call->data[0];
    (void)context;
    for (int64_t k = 0; k < ty_size(call->x[0]); k++) {
        int i = below(x[k]);
        y[k] = table[i] + (table[i + 1] - table[i]) * (x[k] / 10 - i);
    }
}

/* Its slope, in volts per degree. */
static void slope(void *context, ty_called *call) {
    const double *x = ty_data(call->x[0]);
    double *y = call->data[0];
    (void)context;
    for (int64_t k = 0; k < ty_size(call->x[0]); k++)
        y[k] = (table[below(x[k]) + 1] - table[below(x[k])]) / 10;
}

/* The gradient of the voltage calls C code, too. */
static void voltage_vjp(void *context, int n, ty_tensor *const *x, int m, ty_tensor *const *y,
                        ty_tensor *const *g, ty_tensor **gradients) {
    ty_form form = {TY_F64, ty_rank(x[0]), ty_shape(x[0])};
    ty_tensor *slopes;
    (void)context, (void)n, (void)m, (void)y;
    if (ty_call((ty_callee){.f = slope}, 1, x, 1, &form, &slopes)) gradients[0] = ty_mul(g[0], slopes);
}

int main(void) {
    ty_scope *scope = ty_open();
    ty_tensor *wanted = ty_from(TY_F64, TY_SHAPE(SENSORS), (double[]){1, 2, 3});
    ty_tensor *x = ty_var(ty_full(TY_F64, TY_SHAPE(SENSORS), 50), "temperature"), *y, *dy;
    ty_form form = {TY_F64, 1, (int64_t[]){SENSORS}};

    /* One step of Newton's method for all sensors, in place. */
    ty_call((ty_callee){.f = voltage, .vjp = voltage_vjp}, 1, &x, 1, &form, &y);
    ty_grad(ty_sum(y, TY_ALL), 1, &x, &dy);
    ty_update update = {x, ty_sub(x, ty_div(ty_sub(y, wanted), dy))};
    ty_program *step = ty_compile(1, &y, (ty_compile_options){.nupdates = 1, .updates = &update});

    bool done = true;
    for (int i = 0; i < STEPS && done; i++) done = ty_run(step);
    if (!done) fprintf(stderr, "%s\n", ty_program_error(step));
    ty_tensor *last = ty_output(step, 0);
    done = done && ty_item(ty_amax(ty_abs(ty_sub(last, wanted)), TY_ALL)) < 1e-12;
    printf("volts    ");
    ty_print(stdout, last);
    printf("degrees  ");
    ty_print(stdout, ty_eval(x));
    ty_program_free(step);
    ty_close(scope);
    return done ? 0 : 1;
}
