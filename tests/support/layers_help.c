/* Operands for tests of layers. */
#include "tests/support/layers_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *layers_form(const char *text, struct layers_form *form) {
    size_t n = 0;
    char *end;
    *form = (struct layers_form){.rank = 0};
    if (*text == '%') {
        form->modulus = (int)strtol(text + 1, &end, 10);
        text = end;
    } else {
        while ((*text < '0' || *text > '9' || n) && *text && *text != ';' && *text != ' ') {
            if (n + 1 < sizeof form->name) form->name[n++] = *text;
            text++;
        }
    }
    while (*text && *text != ';') {
        form->shape[form->rank++] = strtoll(text, &end, 10);
        text = end;
    }
    return *text ? text + 1 : NULL;
}

static int64_t elements(int rank, const int64_t *shape) {
    int64_t n = 1;
    for (int i = 0; i < rank; i++) n *= shape[i];
    return n;
}

ty_tensor *layers_fill(int rank, const int64_t *shape, int salt, double factor, double shift) {
    int64_t n = elements(rank, shape);
    double *values = test_room((size_t)(n + 1) * sizeof *values);
    for (int64_t i = 0; i < n; i++)
        values[i] = factor * sin(1.3 * (double)i + 0.7 * (salt + 1) + 0.2 * (double)(i % 7)) + shift;
    return ty_from(TY_F64, rank, shape, values);
}

static ty_tensor *whole(int rank, const int64_t *shape, int modulus) {
    int64_t n = elements(rank, shape), *values = test_room((size_t)(n + 1) * sizeof *values);
    for (int64_t i = 0; i < n; i++) values[i] = (5 * i + 3) % modulus;
    return ty_from(TY_I64, rank, shape, values);
}

int layers_operands(const char *text, bool lazy, ty_tensor **x) {
    struct layers_form form;
    int n = 0;
    for (; text; n++) {
        text = layers_form(text, &form);
        x[n] = form.modulus ? whole(form.rank, form.shape, form.modulus)
                            : layers_fill(form.rank, form.shape, 50 + n, 1, 0);
        if (!form.modulus) x[n] = lazy ? ty_var(x[n], "x") : ty_track(x[n], "x");
    }
    return n;
}
