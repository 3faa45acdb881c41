/* Stack use of calls stays within the number documented in <tyto/tyto.h>. Every operator is called on a
   thread whose stack was filled with a pattern, to show how much was used. */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include "tests/support/harness.h"
#include "tests/support/samples/operator_samples.h"

#if defined(__SANITIZE_ADDRESS__)
enum { PROMISED = 512 << 10, STACK = 1 << 20 }; /* red zones of AddressSanitizer */
#elif !defined(NDEBUG)
enum { PROMISED = 192 << 10, STACK = 512 << 10 }; /* unoptimised code keeps every temporary on the stack */
#else
enum { PROMISED = 128 << 10, STACK = 512 << 10 };
#endif
enum { PAINT = 0xa5 };

struct call {
    ty_tensor *(*run)(ty_tensor *x);
    ty_dtype dtype;
    int64_t size;
};

static void *call(void *context) {
    const struct call *c = context;
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_ones(c->dtype, TY_SHAPE(1, c->size, c->size, 1));
    ty_eval(c->run(x));
    ty_close(scope);
    return NULL;
}

/* Return the number of bytes of the stack that a call writes to. */
static size_t used(struct call *c, unsigned char *stack) {
    pthread_t thread;
    pthread_attr_t attributes;
    memset(stack, PAINT, STACK);
    pthread_attr_init(&attributes);
    CHECK(!pthread_attr_setstack(&attributes, stack, STACK), "no such stack");
    CHECK(!pthread_create(&thread, &attributes, call, c), "no thread");
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    size_t untouched = 0;
    while (untouched < STACK && stack[untouched] == PAINT) untouched++;
    return STACK - untouched;
}

static void unmap(void *stack) { munmap(stack, STACK); }

/* Return a matrix product that is cut, packed and reordered. */
static ty_tensor *product(ty_tensor *x) {
    if (!ty_ok(x)) return x;
    ty_tensor *a = ty_reshape(x, TY_SHAPE(ty_shape(x)[1], ty_shape(x)[2]));
    return ty_matmul(a, a);
}
static ty_tensor *small_product(ty_tensor *x) {
    int64_t before = ty_workspace();
    ty_set_workspace(1 << 16);
    ty_tensor *y = product(x);
    ty_set_workspace(before);
    return y;
}
static ty_tensor *path(ty_tensor *x) {
    if (!ty_ok(x)) return x;
    ty_tensor *a = ty_reshape(x, TY_SHAPE(ty_shape(x)[1], ty_shape(x)[2]));
    return ty_einsum_of("ab,bc,cd,de,ef->af", 5, (ty_tensor *[]){a, a, a, a, a}, (ty_einsum_options){0});
}

static void calls_keep_to_what_is_promised(void) {
    unsigned char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(stack != MAP_FAILED, "no memory for a stack");
    test_own(stack, unmap);
    for (int i = -3; i < operator_sample_count; i++) {
        const char *name = i == -3   ? "product"
                           : i == -2 ? "small product"
                           : i == -1 ? "einsum"
                                     : operator_samples[i].name;
        struct call c = {i == -3   ? product
                         : i == -2 ? small_product
                         : i == -1 ? path
                                   : operator_samples[i].run,
                         TY_F32, i < 0 ? 400 : 4};
        size_t bytes = used(&c, stack);
        if (test_verbose()) printf("%-20s %zu\n", name, bytes);
        CHECK(bytes <= PROMISED, "%s uses %zu bytes of the stack", name, bytes);
    }
}

TESTS_MAIN(TEST(calls_keep_to_what_is_promised))
