/* The handle of a preparation: treatments, names of features, inspection. */
#include "prepare/prepare.h"
#include <string.h>
#include <tyto/table.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "base/list.h"

static ty_preparation no_memory = {
    .fault = {true, E_MEMORY, "out of memory: a preparation could not be made"}};
static ty_preparation null_preparation = {
    .fault = {true, E_ARGUMENT, "preparation: the preparation is NULL"}};

const ty_preparation *preparation_of(const ty_preparation *p) { return p ? p : &null_preparation; }
static bool is_static(const ty_preparation *p) { return p == &no_memory || p == &null_preparation; }

ty_preparation *preparation_begin(void) {
    ty_preparation *p = mem_alloc(sizeof *p);
    if (!p) return &no_memory;
    p->features = words_new();
    if (p->features) return p;
    mem_free(p);
    return &no_memory;
}

void treatment_drop(struct treatment *t) {
    mem_free(t->name);
    words_release(t->values);
}

/* Free all members but the fault. */
static void clear(ty_preparation *p) {
    for (int64_t i = 0; i < p->count; i++) treatment_drop(&p->columns[i]);
    mem_free(p->columns);
    mem_free(p->target);
    words_release(p->features);
    words_release(p->classes);
    p->columns = NULL;
    p->target = NULL;
    p->features = p->classes = NULL;
    p->rows = p->count = p->capacity = 0;
    p->task = TY_TASK_CHOSEN;
}

void ty_preparation_free(ty_preparation *p) {
    if (!p || is_static(p)) return;
    clear(p);
    mem_free(p);
}

bool preparation_add(ty_preparation *p, struct treatment treatment) {
    if (!p->fault.set && list_append(p->columns, p->count, p->capacity, treatment)) return true;
    treatment_drop(&treatment);
    return fault_memory(&p->fault, sizeof treatment);
}

/* ---- features ---- */

int64_t treatment_features(const struct treatment *t) {
    if (t->encoding == TY_ENCODE_DROP) return 0;
    return (t->encoding == TY_ENCODE_ONE_HOT ? t->values->count + t->other : 1) + t->flagged;
}

/* Append the name of a feature, NAME, or NAME SIGN WORD; a name that is taken gets a number.  False sets the fault. */
static bool add_feature(ty_preparation *p, const char *name, const char *sign, const char *word) {
    struct text t = {0};
    text_add(&t, "%s%s%s", name, sign, word);
    size_t length = t.length;
    for (int k = 2; !t.failed && words_find(p->features, t.data, t.length) >= 0; k++) {
        t.length = length;
        text_add(&t, " (%d)", k);
    }
    bool ok = !t.failed && words_add(p->features, t.data, t.length) >= 0;
    text_drop(&t);
    return ok || fault_memory(&p->fault, length);
}

/* Append the names of a treatment's features in their order; false sets the fault. */
static bool add_features(ty_preparation *p, const struct treatment *t) {
    bool ok = true, hot = t->encoding == TY_ENCODE_ONE_HOT;
    if (t->encoding == TY_ENCODE_DROP) return true;
    if (!hot) ok = add_feature(p, t->name, "", "");
    for (int64_t i = 0; hot && ok && i < t->values->count; i++)
        ok = add_feature(p, t->name, "=", words_at(t->values, i));
    if (hot && ok && t->other) ok = add_feature(p, t->name, "=", "other");
    return ok && (!t->flagged || add_feature(p, t->name, " ", "missing"));
}

/* Set the fault that no column is left, and why not; always return false. */
static bool refuse_all(ty_preparation *p) {
    enum { LISTED = 600, SHOWN = 60 }; /* bytes of all reasons, and of a name: a message has room for 1023 */
    struct text why = {0};
    int64_t i = 0;
    for (; i < p->count && why.length < LISTED; i++)
        text_add(&why, "%s%.*s (%s)", i ? ", " : ": ", SHOWN, p->columns[i].name, p->columns[i].why);
    fault_set(&p->fault, E_ARGUMENT, "preparation: no column is left as a feature%s%s; a plan keeps a column",
              why.data && !why.failed ? why.data : "", i < p->count ? ", ..." : "");
    text_drop(&why);
    return false;
}

ty_preparation *preparation_end(ty_preparation *p) {
    if (is_static(p)) return p;
    for (int64_t i = 0; i < p->count && !p->fault.set; i++) add_features(p, &p->columns[i]);
    if (!p->fault.set && !p->features->count) refuse_all(p);
    if (p->fault.set) clear(p);
    return p;
}

/* ---- inspection ---- */

const char *ty_preparation_error(const ty_preparation *p) { return preparation_of(p)->fault.text; }
ty_tensor *ty_preparation_failure(const ty_preparation *p) {
    return tensor_failure(&preparation_of(p)->fault);
}

static int64_t count_of(const struct words *w) { return w ? w->count : 0; }
static const char *word_of(const struct words *w, int64_t i) {
    return i >= 0 && i < count_of(w) ? words_at(w, i) : NULL;
}
int64_t ty_preparation_features(const ty_preparation *p) { return count_of(preparation_of(p)->features); }
const char *ty_preparation_feature(const ty_preparation *p, int64_t i) {
    return word_of(preparation_of(p)->features, i);
}
ty_task ty_preparation_task(const ty_preparation *p) { return preparation_of(p)->task; }
const char *ty_preparation_target(const ty_preparation *p) { return preparation_of(p)->target; }
int64_t ty_preparation_classes(const ty_preparation *p) { return count_of(preparation_of(p)->classes); }
const char *ty_preparation_class(const ty_preparation *p, int64_t i) {
    return word_of(preparation_of(p)->classes, i);
}

/* Return name i of a list that ends with NULL, NULL outside it. */
#define NAMES(function, ...)                                                                                 \
    const char *function(int i) {                                                                            \
        static const char *const names[] = {__VA_ARGS__, NULL};                                              \
        return i >= 0 && i < (int)(sizeof names / sizeof *names) ? names[i] : NULL;                          \
    }
NAMES(encoding_name, "chosen", "number", "one-hot", "ordinal", "drop")
NAMES(fill_name, "chosen", "mean", "median", "frequent")
NAMES(scaling_name, "chosen", "standard", "min-max", "robust", "none")
NAMES(task_name, "none", "classes", "regression")
