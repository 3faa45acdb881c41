/*
 * Hashes of the results that this build computes: of each elementwise row, operator, reduction, product, transform,
 * factorisation, draw, training, ...
 *
 *   bits [SETTINGS]                print the entries
 *   bits --check FILE [SETTINGS]   compare them with a file, and name each that differs
 *   bits --runs FILE               compare them under all settings of runs.def, each in a process of its own
 *   bits --accept FILE             write the file, from this build with and without FMA instructions
 *
 * Settings: --quick (without the entries that take long), --isa N, --first KIB, --second KIB, --core N, --threads N,
 * --jit N, --parts N, --workspace KIB.  TY_BITS_ALL=1 shows all differences of a comparison.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/machine/core.h"
#include "base/machine/isa.h"
#include "base/machine/levels.h"
#include "base/threads/parallel.h"
#include "engine/cpu/jit/jit_allowed.h"
#include "engine/cpu/madd.h"
#include "ops/shape/pieces.h"
#include "tests/bits/bits.h"
#include "tests/support/harness.h"

enum { KIB = 1024, WAYS = 8, SMALL_PIECE = 300, SMALL_RANGE = 7 };

/* The settings, in the order of RUN's columns; -1: the machine's own. */
enum setting {
    SET_ISA,
    SET_FIRST,
    SET_SECOND,
    SET_CORE,
    SET_THREADS,
    SET_JIT,
    SET_PARTS,
    SET_WORKSPACE,
    SETTINGS
};
static const char *const setting_names[] = {"isa",     "first", "second", "core",
                                            "threads", "jit",   "parts",  "workspace"};
_Static_assert(sizeof setting_names / sizeof *setting_names == SETTINGS, "a name for each setting");
struct settings {
    int value[SETTINGS];
};
static const struct settings own = {{-1, -1, -1, -1, -1, -1, -1, -1}};
static const struct settings runs[] = {
#define RUN(...) {{__VA_ARGS__}},
#include "tests/bits/runs.def"
};

/* Use the settings in this process, which has computed nothing before. */
static void use(const struct settings *s) {
    const int *v = s->value;
    if (v[SET_ISA] >= 0) isa_force((enum isa)v[SET_ISA]);
    if (v[SET_FIRST] > 0) level_force(LEVEL_FIRST, (int64_t)v[SET_FIRST] * KIB);
    if (v[SET_SECOND] > 0) {
        level_force(LEVEL_SECOND, (int64_t)v[SET_SECOND] * KIB);
        level_force(LEVEL_SECOND_WAY, (int64_t)v[SET_SECOND] * KIB / WAYS); /* of most processors */
    }
    if (v[SET_CORE] >= 0) core_force(v[SET_CORE]);
    if (v[SET_THREADS] > 0) ty_set_threads(v[SET_THREADS]);
    if (v[SET_JIT] >= 0) jit_allow(v[SET_JIT]);
    if (v[SET_WORKSPACE] > 0) ty_set_workspace((int64_t)v[SET_WORKSPACE] * KIB);
    if (v[SET_PARTS] > 0) {
        piece_force(SMALL_PIECE);
        parallel_force_pieces(SMALL_RANGE);
    }
}

/* True if sums of products are rounded twice in this process. */
static bool is_without_fma(void) { return isa_current() == ISA_BASE && !HAS_FMA; }

/* Write the command that uses these settings. */
static void describe(const struct settings *s, char *out, size_t size) {
    size_t n = (size_t)snprintf(out, size, "bits");
    for (int i = 0; i < SETTINGS; i++)
        if (s->value[i] >= 0)
            n += (size_t)snprintf(out + n, size - n, " --%s %d", setting_names[i], s->value[i]);
}

static void compute(void) {
    struct test_round round = test_round();
    ty_use_engine("cpu");
    bits_rows();
    bits_operators();
    bits_expressions();
    bits_goldens();
    bits_solvers();
    bits_layers();
    bits_networks();
    bits_data();
    bits_coverage();
    test_round_end(round);
}

/* Return the status of the comparison: 0 if all hashes are those of the file. */
static int check(const char *path, const struct settings *s, bool quick) {
    char run[256];
    describe(s, run, sizeof run);
    use(s);
    if (!bits_compare(path, quick, is_without_fma(), run)) return 1;
    compute();
    return bits_end() != 0;
}

/* Run the settings of the table one after the other, without those of sets that this machine lacks. */
static int check_runs(const char *path, bool quick) {
    int failed = 0, done = 0, n = (int)(sizeof runs / sizeof *runs);
    for (int i = -1; i < n; i++) {
        const struct settings *s = i < 0 ? &own : &runs[i];
        if (s->value[SET_ISA] > (int)isa_best()) continue;
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) _exit(check(path, s, quick));
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) != child || status) failed++;
        if (WIFSIGNALED(status)) fprintf(stderr, "bits: run %d ended by signal %d\n", i, WTERMSIG(status));
        done++;
    }
    if (!failed) printf("bits: the same under %d settings\n", done);
    return failed != 0;
}

/* Return the entries that a child prints with one instruction set; NULL on failure. */
static FILE *printed_by(int isa) {
    FILE *file = tmpfile();
    pid_t child = file ? fork() : -1;
    int status = 1;
    if (child == 0) {
        struct settings s = own;
        s.value[SET_ISA] = isa;
        use(&s);
        dup2(fileno(file), STDOUT_FILENO);
        bits_print(false);
        compute();
        int faults = bits_end();
        fflush(NULL);
        _exit(faults != 0);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0 || status) return NULL;
    rewind(file);
    return file;
}

static int accept_file(const char *path) {
    if (HAS_FMA || isa_best() == ISA_BASE) {
        fprintf(stderr, "bits: this machine does not compute both with and without FMA instructions\n");
        return 1;
    }
    FILE *with_fma = printed_by((int)isa_best()), *without_fma = printed_by(ISA_BASE);
    return !(with_fma && without_fma && bits_write(path, with_fma, without_fma));
}

/* Read one setting, whose value follows; false if there is none of this name, or no such value. */
static bool read_setting(struct settings *s, const char *name, const char *value) {
    static const int ends[SETTINGS] = {[SET_ISA] = ISA_COUNT, [SET_CORE] = CORES};
    for (int i = 0; i < SETTINGS; i++) {
        if (strncmp(name, "--", 2) != 0 || strcmp(name + 2, setting_names[i]) != 0) continue;
        char *end;
        long n = strtol(value, &end, 10), most = ends[i] ? ends[i] - 1 : INT_MAX;
        s->value[i] = (int)n;
        return end != value && !*end && n >= 0 && n <= most;
    }
    return false;
}

/* True if `mode` is an option that takes a file. */
static bool is_mode(const char *mode) {
    return !strcmp(mode, "--check") || !strcmp(mode, "--runs") || !strcmp(mode, "--accept");
}

int main(int argc, char **argv) {
    const char *mode = "--print", *path = NULL;
    const char *asked = getenv("TY_TEST_QUICK");
    bool quick = asked && *asked == '1';
    struct settings s = own;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--quick")) {
            quick = true;
        } else if (i + 1 < argc && read_setting(&s, argv[i], argv[i + 1])) {
            i++;
        } else if (!path && i + 1 < argc && is_mode(argv[i])) {
            mode = argv[i];
            path = argv[++i];
        } else {
            fprintf(stderr,
                    "usage: bits [--check FILE | --runs FILE | --accept FILE] [--quick] [SETTINGS]\n");
            return 2;
        }
    }
    if (!strcmp(mode, "--accept")) return accept_file(path);
    if (!strcmp(mode, "--runs")) return check_runs(path, quick);
    if (!strcmp(mode, "--check")) return check(path, &s, quick);
    use(&s);
    bits_print(quick);
    compute();
    return bits_end() != 0;
}
