#include "tests/support/misbehave.h"
#include <string.h>
#include "tests/support/harness.h"

enum way way;
ty_scope *around;

ty_tensor *misbehave(ty_tensor *y) {
    if (way == CLOSES) ty_close(around);
    if (way == NOTHING) return NULL;
    if (way != LEAVES_OPEN) return y;
    ty_open();
    y = ty_add(y, ty_num(0));
    for (int i = 0; i < 30; i++) ty_open(), ty_ones(TY_F32, TY_SHAPE(9));
    return ty_add(y, ty_num(0));
}

bool misbehave_expected(ty_tensor *y) {
    if (test_starving()) return true;
    if (way == NOTHING) return !ty_ok(y) && strstr(ty_error(y), "returned NULL");
    if (way == CLOSES) return !ty_ok(y) && strstr(ty_error(y), "closed a scope");
    return ty_ok(y);
}
