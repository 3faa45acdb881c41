/* Calls the functions of interface_small.h through declarations made from their description alone. */
#include <string.h>
#include "made.h"

static void watch(void *context, const ty_thing_report *report, size_t size) {
    *(int *)context = size == sizeof *report && report->range[1].high == 4;
}

int main(void) {
    const double numbers[] = {1, 2, 4};
    int watched = 0;
    ty_thing *thing = ty_thing_new(3, numbers, (ty_thing_options){.watch = watch, .watch_context = &watched});
    ty_thing_report report = ty_thing_report_of(thing);
    ty_thing_free(thing);
    if (report.sum != 7 || report.steps != 10 || report.range[0].low != 1 || !watched) return 1;
    if (ty_small_thrice(5, (ty_thing_options){.steps = 1}) != 16 || ty_small_twice_sized(5, NULL, 0) != 10)
        return 2;
    if (ty_product_of(3, numbers, NULL) != 8 || ty_add_up(2, 3, 4) != 7) return 3;
    return !ty_uncommented((int64_t[]){1, 2}, TY_F32) || ty_uncommented((int64_t[]){1, 2}, TY_DTYPES);
}
