#include "compile/shadow.h"
#include <math.h>
#include <string.h>
#include "array/remote.h"
#include "base/alloc.h"
#include "ops/core/op.h"

static bool same_number(long double a, long double b) {
    return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

/* True if the elements at a and b have equal bits, or both parts are NaN or equal numbers. */
static bool same_element(ty_dtype dtype, const char *a, const char *b) {
    if (!memcmp(a, b, dtype_table[dtype].size)) return true;
    if (!dtype_is(dtype, CLASS_FLOAT | CLASS_COMPLEX)) return false;
    struct element x = element_load(dtype, a), y = element_load(dtype, b);
    return same_number(__real__ x.z, __real__ y.z) && same_number(__imag__ x.z, __imag__ y.z);
}

/* Return the index, in row-major order, of the first element that differs between x and y, dense values of
   one dtype and shape; -1 if there is none. */
static int64_t difference(const ty_tensor *x, const ty_tensor *y) {
    const char *a = tensor_data(x), *b = tensor_data(y);
    if (dtype_stored(x->dtype)) return memcmp(a, b, tensor_bytes(x)) ? 0 : -1;
    int64_t n = tensor_size(x), size = (int64_t)dtype_table[x->dtype].size;
    for (int64_t i = 0; i < n; i++)
        if (!same_element(x->dtype, a + i * size, b + i * size)) return i;
    return -1;
}

/* Compare x, before a rewrite, with y, after it, both dense. If they differ, set a fault that shows the first
   different elements, and return false. */
static bool agree(const struct shadow *s, ty_tensor *x, ty_tensor *y, struct fault *fault) {
    char words[160];
    int64_t i = difference(x, y);
    if (i < 0) return true;
    size_t size = dtype_table[x->dtype].size;
    struct element before = element_load(x->dtype, (const char *)tensor_data(x) + i * (int64_t)size),
                   after = element_load(x->dtype, (const char *)tensor_data(y) + i * (int64_t)size);
    return fault_set(fault, E_USER,
                     "compile: rewrite %s changes %s, which is %s: element %lld is %.9g, and was %.9g",
                     s->row, s->before->op->name, tensor_describe_into(words, sizeof words, s->before),
                     (long long)i, element_number(x->dtype, after), element_number(x->dtype, before));
}

/* Return a dense tensor with the elements of x: a copy, or x itself. Constants may be broadcast. Poison on
   failure. */
static ty_tensor *dense(ty_tensor *x) {
    return layout_is_contiguous(&x->layout) ? x : record(&op_copy, NULL, 0, 1, &x);
}

/* Compare x, before a rewrite, with y, after it, after making both dense. False, with the fault set, on
   failure, or if they differ. */
static bool agree_dense(const struct shadow *s, ty_tensor *x, ty_tensor *y, struct fault *fault) {
    ty_scope *scope = ty_open();
    x = at_home(dense(x)), y = at_home(dense(y));
    bool same = ty_ok(x) && ty_ok(y) ? agree(s, x, y, fault) : fault_tensor(fault, ty_ok(x) ? y : x);
    ty_close(scope);
    return same;
}

/* Run the shadow program p and compare its outputs pairwise. False, with the fault set, on failure, or if two
   differ. */
static bool compare(const struct shadows *s, struct ty_program *p, struct fault *fault) {
    if (p->broken.set) return fault_copy(fault, &p->broken);
    if (!program_enter(p, fault) || !program_run(p, NULL, NULL, fault)) return false;
    bool same = true;
    for (int i = 0; i < s->n && same; i++)
        same = agree_dense(&s->items[i], p->outputs[2 * i], p->outputs[2 * i + 1], fault);
    return same;
}

bool shadows_agree(const struct shadows *s, const struct engine *engine, struct fault *fault) {
    ty_tensor **roots = mem_array(2 * (size_t)s->n, sizeof *roots);
    if (!roots) return fault_memory(fault, 2 * (size_t)s->n * sizeof *roots);
    for (int i = 0; i < s->n; i++) {
        roots[2 * i] = s->items[i].before;
        roots[2 * i + 1] = s->items[i].after;
    }
    struct ty_program *p =
        program_new(2 * s->n, roots, (ty_compile_options){.engine = engine->name, .no_rewrite = true});
    bool same = p ? compare(s, p, fault) : fault_memory(fault, sizeof *p);
    if (p) program_release(p);
    mem_free(roots);
    return same;
}
