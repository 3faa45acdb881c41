#include "ops/core/kernel/work.h"
#include <math.h>
#include "base/math/scalar.h"
#include "ops/core/attributes.h"
#include "ops/core/kernel/operand.h"

/* Return the number of multiplications of a contraction: the product of the sizes of all its labels that are
   not empty. */
static double products(const struct kernel *k) {
    const struct contract_attr *a = k->attr;
    int64_t size[CONTRACT_WINDOW] = {0};
    double count = 1;
    for (int i = 0; i < a->ra + a->rb; i++) {
        const struct layout *layout = &k->inputs[i >= a->ra].layout;
        if (a->labels[i] < CONTRACT_WINDOW) size[a->labels[i]] = layout->shape[i < a->ra ? i : i - a->ra];
    }
    for (int w = 0; w < a->nwindows; w++) {
        size[a->windows[w].outer] = a->windows[w].outer_size;
        size[a->windows[w].inner] = a->windows[w].inner_size;
    }
    for (int i = 0; i < CONTRACT_WINDOW; i++)
        if (size[i]) count *= (double)size[i];
    return count;
}

/* Return the number of distinct elements of a layout: elements that broadcasting repeats count once. */
static double elements(const struct layout *l) {
    double n = 1;
    for (int i = 0; i < l->rank; i++)
        if (l->strides[i] != 0 || l->shape[i] == 0) n *= (double)l->shape[i];
    return n;
}

/* Return the number of elements of an operand, those that broadcasting repeats included. */
static double size_of(const struct operand *x) { return (double)shape_size(x->layout.rank, x->layout.shape); }

/* Return the size of the last axis of an operand, which has some axis. */
static double last_axis(const struct operand *x) { return (double)x->layout.shape[x->layout.rank - 1]; }

/* Return the number of elements of the kernel's largest input or output. */
static double most_elements(const struct kernel *k) {
    double most = 0;
    for (int i = 0; i < k->ninputs + k->noutputs; i++) {
        double size = size_of(kernel_operand(k, i));
        if (size > most) most = size;
    }
    return most;
}

struct work kernel_work(const struct kernel *k) {
    const struct kernel_row *kind = &kernel_table[k->kind];
    struct work work = {0};
    double most = most_elements(k);
    for (int i = 0; i < k->ninputs + k->noutputs; i++) {
        const struct operand *o = kernel_operand(k, i);
        double n = elements(&o->layout);
        if (i == 0 && kind->picks) n = fmin(n, size_of(&k->outputs[0]));
        work.bytes += n * (double)dtype_table[o->dtype].size;
    }
    if (kind->work) work.flops += kind->work(k);
    if (k->prologue) work.flops += most * k->prologue->ninstrs;
    if (k->program) work.flops += most * k->program->ninstrs;
    return work;
}

double work_operations(const struct kernel *k) { return fmax(kernel_work(k).flops, most_elements(k)); }

int work_width(double work, int width) {
    double threads = work / WORK_A_THREAD;
    return threads >= width ? width : threads < 1 ? 1 : (int)threads;
}

/* ---- cores ---- */

double element_work(const struct kernel *k) { return most_elements(k); }

double contract_work(const struct kernel *k) { return 2 * products(k); }

double scan_work(const struct kernel *k) {
    const struct scan_attr *a = k->attr;
    double elements_of_x = size_of(&k->inputs[0]), each = a->kind == SCAN_LINEAR ? 2 : 1;
    if (a->kind == SCAN_FILTER) each = 2 * (last_axis(&k->inputs[1]) + last_axis(&k->inputs[2]));
    return each * elements_of_x;
}

double fft_work(const struct kernel *k) {
    const struct fft_attr *a = k->attr;
    return (a->kind == FFT_COMPLEX ? 5 : 2.5) * most_elements(k) * math_log2((double)a->n);
}

double sort_work(const struct kernel *k) {
    const struct sort_attr *a = k->attr;
    double length = (double)k->inputs[0].layout.shape[a->axis];
    return length > 1 ? size_of(&k->inputs[0]) * math_log2(length) : 0;
}

double search_work(const struct kernel *k) {
    return size_of(&k->inputs[1]) * math_log2(1 + last_axis(&k->inputs[0]));
}

/* Return the number of taps of an index tensor [.., taps, elements]: the size of its last axis but one. */
static double taps(const struct operand *index) {
    return (double)index->layout.shape[index->layout.rank - 2];
}

double resample_work(const struct kernel *k) {
    const struct resample_attr *a = k->attr;
    double n = size_of(&k->inputs[0]), products = 0;
    if (a->kind != RESAMPLE_READ) return 2 * n * taps(&k->inputs[a->kind == RESAMPLE_ADD ? 1 : 2]);
    for (int i = 0; i <= a->further; i++) { /* each axis in turn takes its new length */
        const struct operand *index = &k->inputs[1 + 2 * i];
        double before = (double)k->inputs[0].layout.shape[a->axis + i];
        n = before > 0 ? n / before * last_axis(index) : 0;
        products += n * taps(index);
    }
    return 2 * products;
}

double few_bits_work(const struct kernel *k) {
    return 2 * size_of(&k->inputs[FEW_BITS_A]) * (double)k->inputs[FEW_BITS_CODES].layout.shape[0];
}

double sparse_work(const struct kernel *k) { return 2 * size_of(&k->inputs[2]) * last_axis(&k->inputs[1]); }

double rows_work(const struct kernel *k) {
    const struct rows_attr *a = k->attr;
    double flops = 0;
    for (int i = 0; i < a->nkernels; i++) flops += kernel_work(&a->kernels[i]).flops;
    return flops;
}
