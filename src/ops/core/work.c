#include "ops/core/work.h"
#include <math.h>
#include "ops/core/attributes.h"

/* Return the number of products in a contraction: the product of all its dimensions. */
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

/* Return the operations of a Fourier transform whose largest array has `most` elements. By convention a
   line of length n takes 5 n log2 n operations for complex numbers, half of it for real ones. */
static double transform(const struct kernel *k, double most) {
    const struct fft_attr *a = k->attr;
    return (a->kind == FFT_COMPLEX ? 5 : 2.5) * most * log2((double)a->n);
}

/* Return the number of elements of the kernel's largest input or output. */
static double most_elements(const struct kernel *k) {
    double most = 0;
    for (int i = 0; i < k->ninputs + k->noutputs; i++) {
        const struct layout *l = i < k->ninputs ? &k->inputs[i].layout : &k->outputs[i - k->ninputs].layout;
        double size = (double)shape_size(l->rank, l->shape);
        if (size > most) most = size;
    }
    return most;
}

struct work kernel_work(const struct kernel *k) {
    struct work work = {0};
    double most = most_elements(k);
    for (int i = 0; i < k->ninputs + k->noutputs; i++) {
        const struct operand *o = i < k->ninputs ? &k->inputs[i] : &k->outputs[i - k->ninputs];
        work.bytes += elements(&o->layout) * (double)dtype_table[o->dtype].size;
    }
    if (k->kind == KERNEL_CONTRACT) work.flops += 2 * products(k);
    if (k->kind == KERNEL_REDUCE || k->kind == KERNEL_POOL || k->kind == KERNEL_SCAN) work.flops += most;
    if (k->kind == KERNEL_FFT) work.flops += transform(k, most);
    if (k->prologue) work.flops += most * k->prologue->ninstrs;
    if (k->program) work.flops += most * k->program->ninstrs;
    return work;
}

/* Return the estimated operations per element: 2 n for the n^2 elements of a factorised matrix, 1 + log2 n
   for a sort, else 1. */
static double operations_an_element(const struct kernel *k) {
    const struct layout *l = k->ninputs ? &k->inputs[0].layout : NULL;
    double side = 1;
    for (int i = 0; l && i < 2 && i < l->rank; i++)
        if ((double)l->shape[l->rank - 1 - i] > side) side = (double)l->shape[l->rank - 1 - i];
    if (k->kind == KERNEL_MATRIX) return 2 * side;
    return k->kind == KERNEL_SORT ? 1 + log2(side) : 1;
}

double work_operations(const struct kernel *k) {
    return fmax(kernel_work(k).flops, most_elements(k) * operations_an_element(k));
}
