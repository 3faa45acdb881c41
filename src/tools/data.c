/* Generated digits: sample i depends on i alone, so the held-out ones are simply others. */
#include "tools/data.h"
#include "tools/command.h"
#include <tyto/io.h>
#include <tyto/shape.h>

enum { TRAIN = 20000, TEST = 2000, TEST_FIRST = 1 << 20, DIGITS_SEED = 1 };

static int64_t at_most(int64_t n, int64_t limit) { return limit && limit < n ? limit : n; }

static bool generate(struct data *d, int64_t limit) {
    return ty_digits(DIGITS_SEED, 0, at_most(TRAIN, limit), &d->images, &d->labels) &&
           ty_digits(DIGITS_SEED, TEST_FIRST, at_most(TEST, limit), &d->test_images, &d->test_labels);
}

static void cut(ty_tensor **x, int64_t limit) {
    if (ty_ok(*x)) *x = ty_slice(*x, 0, 0, at_most(ty_shape(*x)[0], limit), 1);
}

static bool read_files(struct data *d, const char *folder, int64_t limit) {
    bool well = ty_mnist(folder, true, &d->images, &d->labels);
    if (!well) return false;
    well = ty_mnist(folder, false, &d->test_images, &d->test_labels);
    cut(&d->images, limit);
    cut(&d->labels, limit);
    cut(&d->test_images, limit);
    cut(&d->test_labels, limit);
    return well;
}

bool data_open(struct data *d, const char *folder, int64_t limit) {
    *d = (struct data){0};
    bool well = folder ? read_files(d, folder, limit) : generate(d, limit);
    ty_tensor *all[] = {d->images, d->labels, d->test_images, d->test_labels};
    for (int i = 0; i < 4; i++) {
        if (!all[i] || ty_ok(all[i])) continue;
        complain("%s", ty_error(all[i]));
        return false;
    }
    return well;
}
