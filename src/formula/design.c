/* Public functions of designs: formulas over tables. */
#include <string.h>
#include "base/machine/floating.h"
#include "base/options.h"
#include "ops/core/op.h"
#include "ops/core/structure.h"
#include "regression/design.h"
#include "regression/model.h"

static ty_design no_memory = {.fault = {true, E_MEMORY, "out of memory: a design could not be made"}};
static ty_design null_design = {.fault = {true, E_ARGUMENT, "design: the design is NULL"}};
static const ty_design *design_of(const ty_design *d) { return d ? d : &null_design; }

/* ---- columns of a table ---- */

static const char *name_of(const void *table, int64_t i) { return ty_table_name(table, i); }
static int64_t words_of(const void *table, int64_t i) {
    ty_column_kind kind = ty_table_kind(table, i);
    return kind == TY_COLUMN_WORDS ? ty_table_words(table, i) : kind == TY_COLUMN_BOOL ? -2 : -1;
}
static const char *word_of(const void *table, int64_t i, int64_t code) {
    return ty_table_word(table, i, code);
}
static ty_tensor *values_of(const void *table, int64_t i) { return ty_table_at(table, i); }

static struct columns columns_of(const ty_table *table) {
    return (struct columns){
        table, ty_table_rows(table), ty_table_columns(table), name_of, words_of, word_of, values_of};
}

/* ---- designs ---- */

ty_design *ty_design_new(const char *formula, const ty_table *table) {
    FLOATING_DEFAULT;
    struct columns columns = columns_of(table);
    if (!*ty_table_error(table)) {
        ty_design *d = design_new(formula, &columns);
        return d ? d : &no_memory;
    }
    ty_design *failed = mem_alloc(sizeof *failed);
    if (!failed) return &no_memory;
    ty_scope *scope = ty_open();
    fault_tensor_from(&failed->fault, "design_new", ty_table_failure(table));
    ty_close(scope);
    return failed;
}

void ty_design_free(ty_design *d) {
    if (d != &no_memory && d != &null_design) design_free(d);
}
const char *ty_design_error(const ty_design *d) { return design_of(d)->fault.text; }
ty_tensor *ty_design_failure(const ty_design *d) { return tensor_failure(&design_of(d)->fault); }
int64_t ty_design_columns(const ty_design *d) { return design_of(d)->fault.set ? 0 : design_of(d)->columns; }
const char *ty_design_name(const ty_design *d, int64_t i) {
    return i < 0 || i >= ty_design_columns(d) ? NULL : d->names[i];
}

ty_tensor *ty_design_matrix(const ty_design *d) {
    d = design_of(d);
    return d->fault.set ? tensor_fault(&d->fault) : tensor_share(d->matrix);
}

ty_tensor *ty_design_response(const ty_design *d) {
    d = design_of(d);
    if (d->fault.set) return tensor_fault(&d->fault);
    if (d->response) return tensor_share(d->response);
    return refuse("design_response", 0, NULL, E_ARGUMENT, "the formula has no response before '~'");
}

ty_tensor *ty_design_apply(const ty_design *d, const ty_table *table) {
    FLOATING_DEFAULT;
    struct columns columns = columns_of(table);
    d = design_of(d);
    if (d->fault.set) return tensor_fault(&d->fault);
    ty_tensor *bad = ty_table_failure(table);
    return bad ? bad : design_apply(d, &columns);
}

ty_regression *ty_regress_design_sized(const ty_design *d, const ty_regression_options *given, size_t size) {
    FLOATING_DEFAULT;
    ty_regression_options o;
    struct fault fault = {0};
    d = design_of(d);
    ty_scope *scope = ty_open();
    bool well = OPTIONS_READ(o, given, size, &fault);
    o.names = (const char *const *)d->names;
    o.response = !d->fault.set && d->f.answered ? d->f.atoms[0].name : NULL;
    ty_tensor *y = well ? ty_design_response(d) : tensor_fault(&fault);
    ty_regression *r = ty_regress(ty_design_matrix(d), y, o);
    ty_close(scope);
    return r;
}
