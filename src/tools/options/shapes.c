/* Sizes of letters from the command line, and the operands' shapes. */
#include "tools/options/shapes.h"
#include "tools/options/message.h"
#include <stdlib.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>

bool refuse_because(const char *text, const char *reason) {
    complain("%s: %s", text, reason);
    return false;
}

static bool is_used(const struct equation *q, int label) {
    for (int k = 0; k < q->noperands; k++)
        if (memchr(q->operands[k].labels, label, (size_t)q->operands[k].count)) return true;
    return false;
}

/* Print on stderr that a label of the equation has two sizes, the known one and `size`; always return
   false. */
static bool refuse_sizes(const struct shapes *s, int label, int64_t size) {
    char name[NAME_ROOM];
    complain("%s: has two sizes, %lld and %lld", equation_label(&s->equation, label, name),
             (long long)s->sizes[label], (long long)size);
    return false;
}

/* Set s->sizes of the letters given as texts such as i=3; false after a message on stderr, also for a
   letter that the equation lacks or two different sizes. */
static bool take_sizes(struct shapes *s, const struct option_list *given) {
    for (int i = 0; i < given->n; i++) {
        const char *text = given->items[i];
        size_t length = strcspn(text, "=");
        int label = equation_find(&s->equation, text, (int)length);
        if (label < 0 || !is_used(&s->equation, label))
            return refuse_because(text, "the equation has no such letter");
        int64_t size = strtoll(text + length + 1, NULL, 10);
        if (s->sizes[label] && s->sizes[label] != size) return refuse_sizes(s, label, size);
        s->sizes[label] = size;
    }
    return true;
}

/* Print on stderr that a size is missing; `label` is from equation_label: "letter i", "name row". Always
   return false. */
static bool refuse_size(const char *label) {
    const char *blank = strchr(label, ' ');
    complain("%s: has no size; add %s=SIZE", label, blank ? blank + 1 : label);
    return false;
}

/* Set s->shapes of all operands from the sizes of their letters; false after a message on stderr if one has
   none. */
static bool shape_operands(struct shapes *s) {
    char name[NAME_ROOM];
    for (int k = 0; k < s->equation.noperands; k++) {
        const struct term *term = &s->equation.operands[k];
        if (term->ellipsis >= 0)
            return refuse_because("'...'", "has no sizes here; name the axes by letters");
        for (int i = 0; i < term->count; i++) {
            s->shapes[k][i] = s->sizes[term->labels[i]];
            if (s->shapes[k][i]) continue;
            return refuse_size(equation_label(&s->equation, term->labels[i], name));
        }
    }
    return true;
}

bool shapes_read(struct shapes *s, const char *equation, const struct option_list *sizes,
                 struct arena *arena) {
    struct fault fault = {0};
    s->text = equation;
    if (!equation_read(&s->equation, equation, arena, &fault))
        return complain_fault_about(&fault, "%s", equation) == EXIT_SUCCESS;
    if (s->equation.noperands > MOST_OPERANDS) return refuse_because(equation, "more than 64 operands");
    return take_sizes(s, sizes) && shape_operands(s);
}

ty_tensor *shapes_fill(ty_dtype dtype, int rank, const int64_t *shape, int k) {
    ty_tensor *key = ty_key((uint64_t)k + 1);
    ty_tensor *x = ty_uniform(dtype == TY_F64 ? TY_F64 : TY_F32, rank, shape, key);
    if (dtype == TY_BOOL) return ty_lt(x, ty_num(0.5));
    return ty_cast(dtype >= TY_F16 ? ty_sub(x, ty_num(0.5)) : ty_mul(x, ty_num(4)), dtype);
}
