#include "ops/core/kernel/verify.h"
#include <math.h>
#include <string.h>
#include "array/device.h"
#include "base/alloc.h"
#include "base/machine/debug.h"
#include "ops/core/guard.h"
#include "ops/core/kernel/away.h"
#include "ops/core/kernel/operand.h"
#include "ops/core/op.h"

/* Most operations of a kernel that is verified: `ref` takes some 10 ns for each. */
enum { MOST_WORK = 1 << 20 };

/* Operands in memory of the host. */
struct operands {
    char **data;
    size_t *bytes;
    void **slots;
};

/* Write n elements: floating numbers in 0.5 .. 1.5, integers 0 and 1, which are valid as indices of most operands. */
static void fill(ty_dtype dtype, char *to, int64_t n) {
    size_t size = dtype_table[dtype].size;
    uint32_t state = 1;
    for (int64_t i = 0; i < n; i++) {
        state = state * UINT32_C(1664525) + UINT32_C(1013904223);
        double x = dtype_is(dtype, CLASS_FLOAT | CLASS_COMPLEX) ? 0.5 + state / 4294967296.0 : state >> 31;
        element_store(dtype, to + i * (int64_t)size, TY_F64, (struct element){.z = x});
    }
}

/* Allocate and fill the ranges of k's operands; outputs are zeros.  False if memory runs out. */
static bool make(struct operands *x, const struct kernel *k) {
    size_t n = (size_t)(k->ninputs + k->noutputs);
    *x = (struct operands){mem_array(n, sizeof *x->data), mem_array(n, sizeof *x->bytes),
                           mem_array(n + 1, sizeof *x->slots)};
    if (!x->data || !x->bytes || !x->slots) return false;
    for (int i = 0; i < (int)n; i++) {
        const struct operand *o = kernel_operand(k, i);
        struct layout_room room;
        int64_t low, high, size = (int64_t)dtype_table[o->dtype].size;
        layout_extent(operand_inside(o, &room), &low, &high);
        x->bytes[i] = (size_t)((high - low) * size);
        if (!(x->data[i] = mem_data_alloc(x->bytes[i] + 1))) return false;
        memset(x->data[i], 0, x->bytes[i] + 1);
        if (i < k->ninputs) fill(o->dtype, x->data[i], high - low);
        x->slots[i] = x->data[i] - low * size;
    }
    return true;
}

static void drop(struct operands *x, const struct kernel *k) {
    for (int i = 0; x->data && x->bytes && i < k->ninputs + k->noutputs; i++)
        mem_data_free(x->data[i], x->bytes[i] + 1);
    mem_free(x->data);
    mem_free(x->bytes);
    mem_free(x->slots);
}

/* Return the relative difference that rounding in other orders explains. */
static double tolerance(ty_dtype dtype) {
    switch (dtype) {
    case TY_F16:
        return 0x1p-6;
    case TY_BF16:
        return 0x1p-3;
    case TY_F32:
    case TY_C64:
        return 0x1p-12;
    default:
        return dtype_is(dtype, CLASS_FLOAT | CLASS_COMPLEX) ? 0x1p-36 : 0;
    }
}

/* True if the numbers differ by rounding at most. */
static bool near(double a, double b, double most) {
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= most * (1 + fabs(b));
}

/* Write a number for a message: of a complex dtype with its imaginary part. */
static void show(ty_dtype dtype, double real, double imaginary, char out[64]) {
    if (dtype_is(dtype, CLASS_COMPLEX))
        text_print(out, 64, "%.9g%+.9gi", real, imaginary);
    else
        text_print(out, 64, "%.9g", real);
}

/* Compare output i of k.  False, with the fault set, if it differs. */
static bool compare(const struct kernel *k, int i, const struct operands *got, const struct operands *want,
                    struct fault *fault) {
    ty_dtype dtype = kernel_operand(k, i)->dtype;
    size_t size = dtype_table[dtype].size;
    double most = tolerance(dtype);
    for (size_t at = 0; at < got->bytes[i]; at += size) {
        struct element a = element_load(dtype, got->data[i] + at),
                       b = element_load(dtype, want->data[i] + at);
        double x = element_number(dtype, a), y = element_number(dtype, b);
        bool agree = near(x, y, most);
        double turned = 0, wanted = 0; /* imaginary parts */
        if (dtype_is(dtype, CLASS_COMPLEX)) turned = (double)__imag__ a.z, wanted = (double)__imag__ b.z;
        if (agree && near(turned, wanted, most)) continue;
        char shown[2][64];
        show(dtype, x, turned, shown[0]);
        show(dtype, y, wanted, shown[1]);
        return fault_set(fault, E_DEVICE,
                         "%s: a kernel of %s gives %s where ref gives %s (element %zu of result %d)",
                         k->device->name, k->op->name, shown[0], shown[1], at / size, i - k->ninputs);
    }
    return true;
}

/* Execute p and `reference` on equal operands and compare; kernels that refuse these are not compared. */
static bool verify(struct prepared *p, struct prepared *reference, struct fault *fault) {
    const struct kernel *k = &p->kernel;
    struct operands got = {0}, want = {0};
    struct fault here, there;
    size_t bytes = reference->kernel.workspace;
    void *workspace = bytes ? mem_data_alloc(bytes) : NULL;
    fault_clear(&here);
    fault_clear(&there);
    bool done = (make(&got, k) && make(&want, k) && (workspace || !bytes)) || fault_memory(fault, bytes);
    bool runs = done && prepared_start(reference, want.slots, workspace, &there);
    if (runs) done = away_compute(k, p, got.slots, NULL, &here) || fault_copy(fault, &here);
    for (int i = k->ninputs; i < k->ninputs + k->noutputs && runs && done; i++)
        done = compare(k, i, &got, &want, fault);
    mem_data_free(workspace, bytes);
    drop(&got, k);
    drop(&want, k);
    return done;
}

static atomic_bool forced;
void kernels_verify(bool on) { atomic_store(&forced, on); }
bool kernels_verified(void) { return atomic_load(&forced) || debug_level() > 0; }

bool kernel_verify(struct prepared *p, struct fault *fault) {
    struct kernel plain = p->kernel;
    if (p->work > MOST_WORK) return true;
    plain.device = NULL;
    plain.prepared = NULL;
    struct prepared *reference = prepared_for(engine_find("ref"), &plain, fault);
    bool done = reference && verify(p, reference, fault);
    if (reference) prepared_release(reference);
    return done;
}
