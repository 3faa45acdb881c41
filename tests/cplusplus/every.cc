// Calls every function of a few tensors and numbers, without a scope and inside one: with values, promises, tracked
// values and poison.  Operands are freed, so nothing that was made of them is lost.  every.def is made by every.awk.
#include <tyto/tyto.hpp>

#include <cstdio>
#include <cstring>

using ty::tensor;

static int failed, freed;
static double elements[3][4] = {{0.3, 0.5, 0.2, 0.6}, {0.6, 0.4, 0.7, 0.2}, {0.1, 0.9, 0.3, 0.8}};
enum way { VALUE, PROMISE, TRACKED, POISON, WAYS };

// Return operand i, whose end is counted.
static tensor operand(int i, int way) {
    tensor x = ty::borrow(elements[i], {2, 2}, [](double *) { freed++; });
    return way == PROMISE ? ty::lazy(x) : way == TRACKED ? ty::track(x, "x") : x;
}
static void call(int way, void (*f)(tensor *x)) {
    tensor x[3] = {operand(0, way), operand(1, way), operand(2, way)};
    if (way == POISON) x[0] = {};
    try {
        f(x);
    } catch (const std::exception &) {
    }
}
static void check(const char *name, int way, void (*f)(tensor *x)) {
    for (int scoped = 0; scoped < 2; scoped++) {
        freed = 0;
        ty_scope *scope = scoped ? ty_open() : nullptr;
        call(way, f);
        ty_close(scope); // which owns values of tracked tensors
        ty_trim();
        if (freed == 3) continue;
        failed++;
        std::printf("%s, operands %d, %s: %d of 3 were freed\n", name, way,
                    scoped ? "in a scope" : "without a scope", freed);
    }
}

struct function {
    const char *name;
    void (*call)(tensor *x);
};
static const function functions[] = {
#define CALL(name, ...) {#name, [](tensor *x) { (void)x, (void)ty::name(__VA_ARGS__); }},
#include "every.def"
};

int main(int argc, char **argv) {
    for (const function &f : functions)
        for (int way = 0; way < WAYS; way++)
            if (argc < 2 || !std::strcmp(argv[1], f.name)) check(f.name, way, f.call);
    std::printf("%d functions\n", static_cast<int>(sizeof functions / sizeof *functions));
    return failed != 0;
}
