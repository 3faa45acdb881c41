/*
 * Machine code of the batch-reduce kernels: threads that request equal shapes at once, children of a fork, and more
 * shapes than the cache holds.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
#include "base/machine/isa.h"
#include "engine/cpu/gemm/brgemm.h"
#include "engine/cpu/gemm/brgemm_table.h"
#include "engine/cpu/jit/jit_x86.h"
#include "tests/support/child.h"
#include "tests/support/harness.h"

static bool same_bits(uint64_t seed) {
    enum { ROWS = 9, COLUMNS = 37, DEPTH = 11 };
    float a[ROWS * DEPTH], b[DEPTH * COLUMNS], c[2][ROWS * COLUMNS];
    for (int i = 0; i < ROWS * DEPTH; i++) a[i] = (float)((seed * 31 + (uint64_t)i * 7) % 17) / 16 - 0.5f;
    for (int i = 0; i < DEPTH * COLUMNS; i++) b[i] = (float)((seed * 13 + (uint64_t)i * 5) % 19) / 16 - 0.5f;
    struct brgemm_shape shape = {.left = TY_F32, .right = TY_F32, .out = TY_F32, .group = 1, .chains = 1};
    shape.rows = 1 + (int)(seed % ROWS);
    shape.columns = 1 + (int)(seed / ROWS % COLUMNS);
    shape.depth = 1 + (int)(seed / 7 % DEPTH);
    shape.left_row = DEPTH * 4, shape.left_step = 4;
    shape.right_step = shape.out_row = COLUMNS * 4;
    bool well = true;
    for (int i = 0; i < shape.rows * COLUMNS; i++) c[0][i] = c[1][i] = -1;
    struct brgemm kernel;
    struct brgemm_call call = {.left = a, .right = b, .out = c[0], .batches = 1};
    well = brgemm_find(&kernel, &shape);
    kernel.run(&kernel, &call);
    for (int i = 0; i < shape.rows; i++)
        for (int j = 0; j < shape.columns; j++) {
            float *sum = &c[1][i * COLUMNS + j];
            *sum = 0;
            /* exact in f32 */
            for (int k = 0; k < shape.depth; k++) *sum += a[i * DEPTH + k] * b[k * COLUMNS + j];
        }
    return well && !memcmp(c[0], c[1], (size_t)(shape.rows * COLUMNS) * 4);
}

static void *many_shapes(void *failures) {
    for (uint64_t i = 0; i < 400; i++)
        if (!same_bits(i)) atomic_fetch_add((atomic_int *)failures, 1);
    return NULL;
}

/* Threads may request the same new kernels at once. */
static void threads_meet(void) {
    for (int round = 0; round < (test_starving() ? 1 : 8); round++) {
        brgemm_force_jit(true);
        atomic_int failures = 0;
        pthread_t ids[4];
        int n = 0;
        while (n < 4 && !pthread_create(&ids[n], NULL, many_shapes, &failures)) n++;
        for (int i = 0; i < n; i++) pthread_join(ids[i], NULL);
        CHECK(n == 4, "no thread");
        CHECK(!failures, "%d of 1600 products differ", failures);
    }
}

static void forks_live_on(void) {
    brgemm_force_jit(true);
    atomic_int failures = 0;
    CHECK(same_bits(1), "before the fork");
    pthread_t busy;
    CHECK(!pthread_create(&busy, NULL, many_shapes, &failures), "no thread");
    for (int i = 0; i < 10; i++) {
        pid_t child = fork();
        if (!child) _exit(same_bits(1) && same_bits(500 + (uint64_t)i) && same_bits(77) ? 0 : 1);
        CHECK(child_status(child) == 0, "fork %d: a product differs in the child", i);
    }
    pthread_join(busy, NULL);
    CHECK(!failures, "%d products differ", failures);
}

/* If the cache of code is full and none may be made, the table-driven kernels take over. */
static void code_runs_out(void) {
    brgemm_force_jit(true);
    struct brgemm kernel, first;
    int made = 0;
    for (int i = 0; i < 3000; i++) {
        struct brgemm_shape shape = {.left = TY_F32,
                                     .right = TY_F32,
                                     .out = TY_F32,
                                     .rows = 1,
                                     .columns = 1,
                                     .depth = 1,
                                     .group = 1,
                                     .left_row = 4 * i,
                                     .left_step = 4,
                                     .right_step = 4,
                                     .out_row = 4};
        CHECK(brgemm_find(&kernel, &shape), "no kernel for shape %d", i);
        if (!i) first = kernel;
        float a = 2, b = 3, c = 0;
        struct brgemm_call call = {.left = &a, .right = &b, .out = &c, .batches = 1};
        kernel.run(&kernel, &call);
        CHECK(c == 6, "shape %d: 2 * 3 is %g", i, (double)c);
        made += kernel.run != first.run;
    }
    if (isa_current() != ISA_BASE) CHECK(made > 100, "%d kernels were made", made);
    brgemm_force_jit(false);
    struct brgemm_shape shape = {.left = TY_F32,
                                 .right = TY_F32,
                                 .out = TY_F32,
                                 .rows = 5,
                                 .columns = 5,
                                 .depth = 5,
                                 .group = 1,
                                 .left_row = 20,
                                 .left_step = 4,
                                 .right_step = 20,
                                 .out_row = 20};
    CHECK(brgemm_find(&first, &shape), "no kernel without machine code");
    shape.rows = 6;
    CHECK(brgemm_find(&kernel, &shape) && kernel.run == first.run, "machine code though it is switched off");
    brgemm_force_jit(true);
}

/* Functions called by pointer begin with ENDBR64, which processors with indirect branch tracking require. */
static void code_says_that_it_is_called(void) {
    static const unsigned char marker[] = {0xf3, 0x0f, 0x1e, 0xfa};
    brgemm_force_jit(true);
    struct brgemm_shape shape = {.left = TY_F32,
                                 .right = TY_F32,
                                 .out = TY_F32,
                                 .rows = 3,
                                 .columns = 5,
                                 .depth = 7,
                                 .group = 1,
                                 .left_row = 28,
                                 .left_step = 4,
                                 .right_step = 20,
                                 .out_row = 20};
    struct brgemm table, code;
    CHECK(brgemm_table_find(&table, &shape) && brgemm_find(&code, &shape), "no kernel");
    if (isa_current() == ISA_BASE) return;
    CHECK(code.run != table.run, "no machine code was made");
    CHECK(!memcmp((const void *)(uintptr_t)code.run, marker, sizeof marker), "code without ENDBR64");
}

/* VEX W is 1 only if it selects the element size: valgrind rejects an ignored 1. */
static void no_ignored_bits(void) {
    static const struct {
        const char *name;
        struct jit_vector_op op;
        bool wide;
    } ops[] = {{"vmovupd", {1, 1, 1, 0x10}, false},    {"vmovsd", {1, 3, 1, 0x10}, false},
               {"vaddpd", {1, 1, 1, 0x58}, false},     {"vaddps", {1, 0, 0, 0x58}, false},
               {"vfmadd231pd", {2, 1, 1, 0xb8}, true}, {"vfmadd231ps", {2, 1, 0, 0xb8}, false}};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        for (int memory = 0; memory < 2; memory++) {
            uint8_t bytes[16] = {0};
            struct jit_code code = {.bytes = bytes, .room = sizeof bytes, .vector = 32};
            if (memory)
                jit_vector_at(&code, ops[i].op, 9, 3, (struct jit_at){RSI, 64},
                              (struct jit_access){.unit = 8});
            else
                jit_vector(&code, ops[i].op, 9, 3, 12);
            CHECK(bytes[0] == 0xc4 && bytes[3] == ops[i].op.opcode, "%s begins with %02x", ops[i].name,
                  bytes[0]);
            CHECK(bytes[2] >> 7 == ops[i].wide, "%s has W = %d", ops[i].name, bytes[2] >> 7);
        }
}

TESTS_MAIN(TEST(no_ignored_bits), TEST(threads_meet), TEST(forks_live_on), TEST(code_runs_out),
           TEST(code_says_that_it_is_called))
