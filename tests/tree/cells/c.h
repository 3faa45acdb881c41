/* Shows what an expression of C returns; shows nothing for handles and structs, which the cell only makes. */
#include <math.h>
#include <tyto/formula.h>
#include <tyto/io.h>
#include <tyto/nn.h>
#include <tyto/prepare.h>
#include <tyto/table.h>
#include <tyto/table_groups.h>
#include "tests/tree/cells/show.h"

static void show_nothing(const void *x) {
    if (!x) exit(1);
}
#define SHOW(x)                                                                                              \
    _Generic((x), ty_tensor *: show_tensor, double: show_number, float: show_number, int: show_number,       \
             bool: show_number, int64_t: show_number, size_t: show_number, const char *: show_text,          \
             char *: show_text, default: show_nothing)(x)
