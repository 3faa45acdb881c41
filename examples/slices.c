/* Functions of rows and elements: hourly temperatures of a year, whose days are classified, filtered, summed up and
   smoothed by C functions, at once and inside a compiled program. */
#include <math.h>
#include <stdio.h>
#include <tyto/tyto.h>

enum { DAYS = 365, HOURS = 24 };

/* One element, from its indices: day and hour. */
static bool temperature(void *context, ty_visit *v) {
    double day = (double)v->index[0], hour = (double)v->index[1], pi = acos(-1);
    (void)context;
    *(double *)v->y = 8 - 12 * cos(2 * pi * (day - 20) / DAYS) - 5 * cos(2 * pi * (hour - 3) / HOURS);
    return true;
}

/* The warmest hour of a day, and its temperature. */
static bool warmest(void *context, ty_visit *v) {
    const double *x = v->x[0];
    double *y = v->y;
    int hour = 0;
    (void)context;
    for (int h = 1; h < HOURS; h++)
        if (x[h] > x[hour]) hour = h;
    y[0] = hour;
    y[1] = x[hour];
    return true;
}

/* True for a day without frost. */
static bool is_mild(void *context, ty_visit *v) {
    const double *x = v->x[0];
    (void)context;
    for (int h = 0; h < HOURS; h++)
        if (x[h] < 0) return false;
    return true;
}

/* The length of the present run of days with frost, and of the longest one so far. */
static bool frosty(void *context, ty_visit *v) {
    int64_t *runs = v->y;
    runs[0] = is_mild(context, v) ? 0 : runs[0] + 1;
    if (runs[0] > runs[1]) runs[1] = runs[0];
    return true;
}

/* Exponential smoothing of each hour over the days. */
static bool smooth(void *context, ty_visit *v) {
    double rate = *(const double *)context;
    for (int h = 0; h < HOURS; h++)
        ((double *)v->y)[h] += rate * (((const double *)v->x[0])[h] - ((double *)v->y)[h]);
    return true;
}

int main(void) {
    ty_scope *scope = ty_open();
    ty_tensor *shape = ty_broadcast(ty_num(0), TY_SHAPE(DAYS, HOURS)); /* no memory */
    ty_tensor *year = ty_map_slices(1, &shape, (ty_form){TY_F64, 0, NULL}, (ty_slicing){.f = temperature});

    ty_form two = {TY_F64, 1, (int64_t[]){2}};
    ty_slicing rows = {.f = warmest, .axes = ty_axis(-1), .threads = true};
    ty_tensor *peaks = ty_map_slices(1, &year, two, rows);
    ty_tensor *peak = ty_amax(peaks, ty_axis(0));
    printf("warmest hour and temperature  ");
    ty_print(stdout, peak);

    ty_tensor *mild = ty_filter_slices(year, (ty_slicing){.f = is_mild, .axes = ty_axis(-1)});
    printf("days without frost            %d\n", (int)ty_shape(mild)[0]);

    ty_tensor *runs = ty_zeros(TY_I64, 1, (int64_t[]){2});
    runs = ty_fold_slices(runs, 1, &year, (ty_slicing){.f = frosty, .axes = ty_axis(-1)});
    printf("now and longest frost, days   ");
    ty_print(stdout, runs);

    /* Inside a program: the rate may change from run to run. */
    double rate = 0.1;
    ty_tensor *x = ty_var(year, "year"), *first = ty_at(year, "0");
    ty_tensor *states =
        ty_scan_slices(first, 1, &x, (ty_slicing){.f = smooth, .context = &rate, .axes = ty_axis(-1)});
    ty_tensor *most = ty_amax(states, TY_ALL);
    ty_program *program = ty_compile(1, &most, (ty_compile_options){0});
    for (; rate < 1; rate += 0.4)
        if (ty_run(program))
            printf("maximum, smoothed by %.1f      %.2f\n", rate, ty_item(ty_output(program, 0)));
    bool done = !ty_program_failure(program) && ty_ok(peak) && ty_ok(runs);
    ty_program_free(program);
    ty_close(scope);
    return done ? 0 : 1;
}
