/* Targets of preparations: classes or numbers. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "base/alloc.h"
#include "prepare/prepare.h"
#include "table/table.h"

enum {
    FEW_CLASSES =
        20, /* whole numbers with more distinct values are a regression: digits have 10, grades 20 */
    MOST_CLASSES = 65536 /* limit of classes: a row of scores takes 256 KiB */
};

/* Return true if numbers are those of classes, and say why. */
static bool are_classes(ty_preparation *p, const struct numbers *s) {
    bool classes = s->whole && s->distinct <= FEW_CLASSES && 2 * s->distinct <= s->present;
    if (classes)
        text_print(p->why, sizeof p->why, "%" PRId64 " whole numbers", s->distinct);
    else
        text_print(p->why, sizeof p->why, "%s, %" PRId64 " of them distinct",
                   s->whole ? "whole numbers" : "numbers", s->distinct);
    return classes;
}

/* Choose the task by the values of the target; false sets the fault. */
static bool choose(ty_preparation *p, const struct series *c, const struct numbers *s, ty_task wanted) {
    bool words = !c->numbers;
    p->task = wanted;
    if (wanted == TY_TASK_REGRESSION && words)
        return fault_set(&p->fault, E_DTYPE,
                         "preparation_fit: the target \"%.100s\" has words; a regression needs numbers",
                         p->target);
    if (wanted) return true;
    if (words || c->kind == TY_COLUMN_BOOL)
        text_print(p->why, sizeof p->why, "%s", words ? "words" : "truth values");
    p->task = words || c->kind == TY_COLUMN_BOOL || are_classes(p, s) ? TY_TASK_CLASSES : TY_TASK_REGRESSION;
    return true;
}

/* Set the classes of a preparation; false sets its fault. */
static bool fit_classes(ty_preparation *p, const struct series *c) {
    struct tally tally;
    bool ok = tally_count(&tally, c, MOST_CLASSES, &p->fault);
    if (ok && tally.many)
        ok = fault_set(&p->fault, E_ARGUMENT,
                       "preparation_fit: the target \"%.100s\" has more than %d classes", p->target,
                       MOST_CLASSES);
    if (ok && tally.values->count < 2)
        ok = fault_set(&p->fault, E_ARGUMENT,
                       "preparation_fit: the target \"%.100s\" has %s; expected at least two classes",
                       p->target, tally.values->count ? "one value" : "no values");
    if (ok) p->classes = words_retain(tally.values);
    tally_drop(&tally);
    return ok;
}

/* Fit the target from its series; false sets the fault. */
static bool fit(ty_preparation *p, const struct series *c, ty_task wanted) {
    struct numbers s = {0};
    if (c->numbers && !numbers_of(&s, c->n, c->numbers, &p->fault)) return false;
    if (c->numbers && !s.present)
        return fault_set(&p->fault, E_ARGUMENT, "preparation_fit: the target \"%.100s\" has no values",
                         p->target);
    if (!choose(p, c, &s, wanted)) return false;
    if (p->task == TY_TASK_CLASSES) return fit_classes(p, c);
    p->mean = s.distinct > 1 ? s.mean : s.least;
    p->deviation = s.distinct > 1 && s.deviation > 0 ? s.deviation : 1;
    return (isfinite(p->mean) && isfinite(p->deviation)) ||
           fault_set(&p->fault, E_DOMAIN,
                     "preparation_fit: the numbers of the target \"%.100s\" are too large", p->target);
}

bool preparation_fit_target(ty_preparation *p, const ty_table *table, const ty_preparation_options *o) {
    int64_t i = ty_table_find(table, o->target);
    struct series series = {0};
    if (i < 0) return table_refuse(table, "preparation_fit: the table", o->target, ", the target", &p->fault);
    p->target = mem_copy_text(o->target);
    if (!p->target) return fault_memory(&p->fault, strlen(o->target));
    bool ok = series_read(&series, table, i, &p->fault) && fit(p, &series, o->task);
    series_drop(&series);
    return ok;
}
