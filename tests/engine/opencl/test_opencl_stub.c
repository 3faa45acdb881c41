/* The OpenCL engine's devices, memory, streams and programs on a stub library whose every call fails in turn. */
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/alloc.h"
#include "base/files/disk_cache.h"
#include "array/device_memory.h"
#include "engine/opencl/opencl.h"
#include "engine/opencl/source.h"
#include "engine/text/rows.h"
#include "tests/engine/opencl/stub.h"
#include "tests/support/files.h"
#include "tests/support/harness.h"
#include "tests/support/starve.h"

enum { WORDS = 100, BYTES = 4 * WORDS };

static void forget(void *library) {
    opencl_use(NULL);
    dlclose(library);
    unsetenv("XDG_CACHE_HOME");
}

/* Let the stub be as when it was loaded: one usual device, no failures. */
static void reset(struct stub *s) {
    opencl_use(STUB);
    *s = (struct stub){.platforms = 1, .devices = 1, .memory = 1 << 20, .local = 1 << 15, .driver = "1"};
}

/* Use the stub until the end of the test, with an empty cache of compiled kernels in folder *cache, which may be NULL.
   Return its settings. */
static struct stub *use_stub(const char **cache) {
    bool others = starve_others(false); /* of the loader */
    const char *folder = scratch_folder();
    void *library = dlopen(STUB, RTLD_NOW | RTLD_LOCAL);
    CHECK(library, "%s", dlerror());
    test_own(library, forget);
    struct stub *s = dlsym(library, "stub");
    CHECK(s, "%s", dlerror());
    setenv("XDG_CACHE_HOME", folder, 1);
    if (cache) *cache = scratch_path(folder, "tyto");
    reset(s);
    starve_others(others);
    return s;
}

/* ---- facts ---- */

static void lists_devices(void) {
    struct stub *s = use_stub(NULL);
    struct fault fault = {0};
    struct device_facts facts;
    s->platforms = 2, s->devices = 2, s->no_doubles = true, s->memory = 1 << 16, s->local = 16;
    CHECK(opencl_count(&fault) == 4, "%d devices: %s", opencl_count(&fault), fault.text);
    CHECK(opencl_describe(3, &facts, &fault), "%s", fault.text);
    CHECK(!strcmp(facts.model, "stub?device, tests, driver 1"), "%s", facts.model);
    CHECK(facts.kind == DEVICE_GPU && facts.memory == 1 << 16 && facts.most == 1 << 14 && facts.local == 16,
          "%lld bytes", (long long)facts.memory);
    CHECK(facts.align == 128 && facts.units == 4 && facts.group == 64, "align %d", facts.align);
    CHECK(facts.lacks >> TY_F64 & 1, "lacks %x", facts.lacks);
    CHECK(!opencl_describe(4, &facts, &fault) &&
              strstr(fault.text, "opencl:4 does not exist; expected opencl:0..opencl:3"),
          "%s", fault.text);
}

static void says_why_there_is_none(void) {
    struct stub *s = use_stub(NULL);
    struct fault fault = {0};
    s->no_compiler = true;
    CHECK(!opencl_count(&fault) && strstr(fault.text, "1 device found, none of which can build kernels"),
          "%s", fault.text);
    fault_clear(&fault);
    s->devices = 0;
    CHECK(!opencl_count(&fault) &&
              strstr(fault.text, "1 driver is installed, without devices; PoCL has none if"),
          "%s", fault.text);
    fault_clear(&fault);
    s->platforms = 0;
    CHECK(!opencl_count(&fault) && strstr(fault.text, "no driver is installed"), "%s", fault.text);
    opencl_use("/nonexistent/libOpenCL.so.1");
    fault_clear(&fault);
    CHECK(!opencl_count(&fault) && strstr(fault.text, "/nonexistent/libOpenCL.so.1 cannot be opened"), "%s",
          fault.text);
    opencl_use(LACKING);
    fault_clear(&fault);
    CHECK(!opencl_count(&fault) && strstr(fault.text, "lacks cl"), "%s", fault.text);
}

/* ---- a whole use of a device ---- */

/* Copy WORDS words through two blocks of device memory, a kernel, a copy, and two streams; out are those that come
   back.  False, with the fault set, on failure; nothing is left then. */
static bool copy_words(struct device *d, struct opencl_source *source, const uint32_t *in, uint32_t *out,
                       struct fault *fault) {
    void *a = opencl_allocate(d, 2 * BYTES, fault), *b = a ? opencl_allocate(d, BYTES, fault) : NULL;
    void *first = b ? opencl_stream_open(d, fault) : NULL,
         *second = first ? opencl_stream_open(d, fault) : NULL;
    struct device_place places[] = {{a, BYTES}, {b, 0}};
    struct opencl_call call = {.kernel = "copy",
                               .nplaces = 2,
                               .places = places,
                               .nvalues = 1,
                               .values = &(uint64_t){WORDS},
                               .ndims = 1,
                               .global = {WORDS}};
    bool ok = second && opencl_zero(d, first, (struct device_place){a, 0}, 2 * BYTES, fault) &&
              opencl_upload(d, first, (struct device_place){a, 0}, in, BYTES, fault) &&
              opencl_copy(d, first, places[0], (struct device_place){a, 0}, BYTES, fault) &&
              source_call(d, first, source, &call, fault);
    void *event = ok ? opencl_record(d, first, fault) : NULL;
    ok = event && opencl_wait(d, event, fault) &&
         opencl_download(d, second, out, (struct device_place){b, 0}, BYTES, fault);
    void *end = ok ? opencl_record(d, second, fault) : NULL;
    ok = end && opencl_wait(d, end, fault);
    if (ok && opencl_state(d, end) == DEVICE_FAILED)
        ok = fault_set(fault, E_DEVICE, "the state is not known");
    if (event) opencl_event_release(d, event);
    if (end) opencl_event_release(d, end);
    if (first) opencl_stream_close(d, first);
    if (second) opencl_stream_close(d, second);
    if (a) opencl_release(d, a);
    if (b) opencl_release(d, b);
    return ok;
}

/* Return the source of a program with this text. */
static struct opencl_source *source_of(struct device *d, const char *text, const char *name,
                                       struct fault *fault) {
    static const struct text_uses none;
    struct text_program program = {.steps = text, .length = strlen(text), .uses = &none};
    return source_make(d, &program, name, fault);
}

/* Do that from the listing of devices to the closing of device i.  False, with the fault set, on failure. */
static bool use_device(int i, struct fault *fault) {
    struct device d = {.name = "opencl:0"};
    uint32_t in[WORDS], out[WORDS] = {0};
    for (uint32_t k = 0; k < WORDS; k++) in[k] = 7 * k + 1;
    if (!opencl_describe(i, &d.facts, fault) || !opencl_open(i, &d, fault)) return false;
    struct opencl_source *source = source_of(&d, "copies", "COPY", fault);
    bool ok = source;
    for (int round = 0; ok && round < 9; round++) ok = copy_words(&d, source, in, out, fault);
    source_free(source);
    source_close(&d);
    opencl_close(&d);
    CHECK(!ok || !memcmp(in, out, BYTES), "other words came back without an error");
    return ok;
}

/* Equal texts are built once, as long as one of them is in use. */
static void builds_equal_texts_once(void) {
    struct stub *s = use_stub(NULL);
    struct fault fault = {0};
    struct device d = {.name = "opencl:0"};
    static const char *const texts[] = {"copies", "copies", "others"};
    static const int built[] = {1, 1, 2};
    struct opencl_source *sources[3];
    uint32_t in[WORDS] = {5}, out[WORDS];
    if (test_starving()) return;
    CHECK(opencl_describe(0, &d.facts, &fault) && opencl_open(0, &d, &fault), "%s", fault.text);
    for (int i = 0; i < 3; i++) {
        sources[i] = source_of(&d, texts[i], "COPY", &fault);
        CHECK(sources[i] && copy_words(&d, sources[i], in, out, &fault), "%s", fault.text);
        CHECK(s->built == built[i], "%lld programs were built after text %d", (long long)s->built, i);
    }
    source_free(sources[0]);
    CHECK(copy_words(&d, sources[1], in, out, &fault), "after its equal was freed: %s", fault.text);
    source_free(sources[2]);
    source_free(sources[1]);
    source_close(&d);
    opencl_close(&d);
    CHECK(!s->live, "%lld objects are left", (long long)s->live);
}

/* Programs that wait are built together, in one order; later ones alone.  Those that nobody needs are not built. */
static void builds_together(void) {
    const char *folder;
    struct stub *s = use_stub(&folder);
    static const char *const orders[][4] = {{"one", "two", "three", "four"}, {"three", "one", "four", "two"}};
    uint32_t in[WORDS] = {5}, out[WORDS];
    if (test_starving()) return;
    for (int order = 0; order < 2; order++) {
        struct fault fault = {0};
        struct device d = {.name = "opencl:0"};
        struct opencl_source *sources[4];
        int64_t loaded = s->loaded, built = s->built;
        CHECK(opencl_describe(0, &d.facts, &fault) && opencl_open(0, &d, &fault), "%s", fault.text);
        for (int i = 0; i < 4; i++) sources[i] = source_of(&d, orders[order][i], "COPY", &fault);
        source_free(source_of(&d, "unused", "COPY", &fault));
        for (int i = 0; i < 4; i++) CHECK(copy_words(&d, sources[i], in, out, &fault), "%s", fault.text);
        CHECK(s->built - built == !order && s->loaded - loaded == order, "order %d: %d built, %d loaded",
              order, (int)(s->built - built), (int)(s->loaded - loaded));
        struct opencl_source *later = source_of(&d, "later", "COPY", &fault);
        CHECK(copy_words(&d, later, in, out, &fault), "%s", fault.text);
        CHECK(s->built - built == 2 * !order, "order %d: a later program", order);
        source_free(later);
        for (int i = 0; i < 4; i++) source_free(sources[i]);
        source_close(&d);
        opencl_close(&d);
        CHECK(!s->live, "%lld objects are left", (long long)s->live);
    }
}

/* Without memory for the list of those that wait, a failed call tells so. */
static void tells_that_memory_lacks(void) {
    enum { WAITING = 140, ALLOCATIONS = 6 }; /* the list grows once */
    struct stub *s = use_stub(NULL);
    struct opencl_source *sources[WAITING];
    uint32_t in[WORDS] = {5}, out[WORDS];
    int failed = 0;
    if (test_starving()) return;
    for (int n = 1; n <= ALLOCATIONS; n++) {
        struct fault fault = {0};
        struct device d = {.name = "opencl:0"};
        CHECK(opencl_describe(0, &d.facts, &fault) && opencl_open(0, &d, &fault), "%s", fault.text);
        for (int i = 0; i < WAITING; i++) {
            char text[16];
            snprintf(text, sizeof text, "copies %d", i);
            sources[i] = source_of(&d, text, "COPY", &fault);
        }
        mem_fail_at(n);
        bool ok = copy_words(&d, sources[0], in, out, &fault);
        mem_fail_at(0);
        failed += !ok;
        CHECK(ok || (fault.code == E_MEMORY && *fault.text), "allocation %d: code %d, \"%s\"", n,
              (int)fault.code, fault.text);
        for (int i = 0; i < WAITING; i++) source_free(sources[i]);
        source_close(&d);
        opencl_close(&d);
    }
    CHECK(failed > 1, "%d of %d allocations fail", failed, ALLOCATIONS);
    CHECK(!s->live, "%lld objects are left", (long long)s->live);
}

/* 64 sources that nobody uses stay, those that were used last. */
static void keeps_unused_programs(void) {
    struct stub *s = use_stub(NULL);
    struct fault fault = {0};
    struct device d = {.name = "opencl:0"};
    static const struct { int text, built; } uses[] = {{69, 70}, {6, 70}, {5, 71}, {7, 72}};
    uint32_t in[WORDS] = {5}, out[WORDS];
    if (test_starving()) return;
    CHECK(opencl_describe(0, &d.facts, &fault) && opencl_open(0, &d, &fault), "%s", fault.text);
    for (int i = 0; i < 70 + 4; i++) {
        char words[16];
        int n = i < 70 ? i : uses[i - 70].text, built = i < 70 ? i + 1 : uses[i - 70].built;
        snprintf(words, sizeof words, "copies %d", n);
        struct opencl_source *source = source_of(&d, words, "COPY", &fault);
        CHECK(source && copy_words(&d, source, in, out, &fault), "%s", fault.text);
        source_free(source);
        CHECK(s->built + s->loaded == built, "%d programs were made after text %d",
              (int)(s->built + s->loaded), n);
    }
    source_close(&d);
    opencl_close(&d);
    CHECK(!s->live, "%lld objects are left", (long long)s->live);
}

static void uses_a_device(void) {
    struct stub *s = use_stub(NULL);
    s->devices = 2;
    for (int round = 0; round < 2; round++) {
        struct fault fault = {0};
        if (round) s->local = 0; /* kernels use no local memory */
        bool ok = use_device(round, &fault);
        CHECK(ok || mem_failed(), "%s", fault.text);
        CHECK(!s->live, "%lld objects are left", (long long)s->live);
    }
}

/* Each call of an entry point fails once, with several codes, at once or as its command runs. */
static void survives_each_failure(void) {
    static const int32_t codes[] = {CL_DEVICE_NOT_AVAILABLE,  CL_MEM_OBJECT_ALLOCATION_FAILURE,
                                    CL_OUT_OF_RESOURCES,      CL_INVALID_VALUE,
                                    CL_BUILD_PROGRAM_FAILURE, -9999};
    struct stub *s = use_stub(NULL);
    int64_t failed = 0, n = 1;
    for (bool more = true; more; n += test_some(1, 1, 16)) {
        more = false;
        for (size_t c = 0; c < sizeof codes / sizeof *codes; c++)
            for (int mode = 0; mode < 3; mode++) {
                struct fault fault = {0};
                reset(s);
                s->fail_at = n, s->code = codes[c], s->later = mode == 1, s->lost = mode == 2;
                bool ok = use_device(0, &fault);
                CHECK(ok || fault.set, "call %lld, %s: a failure without an error", (long long)n, s->failed);
                CHECK(s->failed || ok, "call %lld: %s without a failure", (long long)n, fault.text);
                CHECK(!s->live, "call %lld, %s, code %d: %lld objects are left", (long long)n, s->failed,
                      codes[c], (long long)s->live);
                more = more || s->failed;
                failed += !ok;
            }
    }
    CHECK(n > 100 && failed > test_some(500, 500, 30), "%lld calls, %lld failures", (long long)n,
          (long long)failed);
}

/* After a command that fails when it runs, all later ones of the stream fail. */
static void fails_for_good(void) {
    struct stub *s = use_stub(NULL);
    struct fault fault = {0};
    struct device d = {.name = "opencl:0"};
    uint32_t word = 0;
    if (test_starving()) return;
    CHECK(opencl_describe(0, &d.facts, &fault) && opencl_open(0, &d, &fault), "%s", fault.text);
    void *memory = opencl_allocate(&d, 4, &fault), *stream = opencl_stream_open(&d, &fault);
    CHECK(memory && stream, "%s", fault.text);
    for (int i = 0; i < 5; i++) {
        s->fail_at = i == 1 ? 1 : 0, s->code = CL_OUT_OF_RESOURCES, s->later = true;
        CHECK(opencl_upload(&d, stream, (struct device_place){memory, 0}, &word, 4, &fault), "%s",
              fault.text);
    }
    void *end = opencl_record(&d, stream, &fault);
    CHECK(end && !opencl_wait(&d, end, &fault) && d.lost, "command 1 of 5 failed, and the stream did not");
    CHECK(opencl_state(&d, end) == DEVICE_FAILED, "the state is %d", opencl_state(&d, end));
    opencl_event_release(&d, end);
    opencl_stream_close(&d, stream);
    opencl_release(&d, memory);
    source_close(&d);
    opencl_close(&d);
    CHECK(!s->live, "%lld objects are left", (long long)s->live);
}

/* ---- the cache of compiled kernels ---- */

/* Use device 0 in another process, as it were.  Return true if its program came from the cache. */
static bool comes_from_cache(struct stub *s) {
    struct fault fault = {0};
    int64_t loaded = s->loaded, built = s->built;
    opencl_use(STUB);
    bool ok = use_device(0, &fault);
    CHECK(ok || mem_failed(), "%s", fault.text);
    CHECK(!ok || (s->loaded - loaded) + (s->built - built) >= 1, "no program was made");
    CHECK(s->built - built <= 1, "built %lld times", (long long)(s->built - built));
    return s->built == built;
}

/* Return the path of the only file of the folder. */
static const char *only_file(const char *folder) {
    static char path[512];
    struct dirent *e;
    DIR *list = opendir(folder);
    CHECK(list && count_files(folder) == 1, "%s has %d files", folder, list ? count_files(folder) : -1);
    while ((e = readdir(list)))
        if (*e->d_name != '.') snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    closedir(list);
    return path;
}

static void keeps_programs(void) {
    const char *folder;
    struct stub *s = use_stub(&folder);
    struct stat status;
    if (test_starving()) return;
    CHECK(!comes_from_cache(s), "a program from an empty cache");
    CHECK(comes_from_cache(s), "the program was built again");
    CHECK(!stat(only_file(folder), &status) && (status.st_mode & 0777) == 0600, "mode %o", status.st_mode);
    CHECK(!stat(folder, &status) && (status.st_mode & 0777) == 0700, "mode %o", status.st_mode);
    s->driver = "2";
    CHECK(!comes_from_cache(s), "a program of another driver");
    CHECK(comes_from_cache(s), "the second driver's program was built again");
    CHECK(count_files(folder) == 2, "%d files", count_files(folder));
    s->refuses_binaries = true;
    CHECK(!comes_from_cache(s), "a program that the driver refuses");
}

/* Each truncated or changed entry is built again, and mended. */
static void mends_damaged_entries(void) {
    const char *folder;
    struct stub *s = use_stub(&folder);
    size_t n;
    if (test_starving()) return;
    comes_from_cache(s);
    const char *path = only_file(folder);
    uint8_t *bytes = read_file(path, &n);
    for (size_t at = 0; at < n; at += at < 48 ? 1 : 7)
        for (int flip = 0; flip < 2; flip++) {
            struct test_round round = test_round();
            uint8_t *changed = test_room(n);
            memcpy(changed, bytes, n);
            changed[at] ^= 0x41;
            write_file(path, changed, flip ? n : at);
            CHECK(!comes_from_cache(s), "byte %zu of %zu, %s: a damaged program", at, n,
                  flip ? "changed" : "cut");
            test_round_end(round);
        }
    CHECK(comes_from_cache(s), "the entry was not mended");
}

/* Neither files nor folders that others can write, nor links, are read; others' files stay. */
static void trusts_its_own_folder_only(void) {
    const char *folder;
    struct stub *s = use_stub(&folder);
    if (test_starving()) return;
    comes_from_cache(s);
    const char *path = only_file(folder), *other = scratch_path(scratch_folder(), "other");
    chmod(path, 0622);
    CHECK(!comes_from_cache(s), "a program that others can write");
    chmod(path, 0600);
    CHECK(comes_from_cache(s), "the program is not found");
    chmod(folder, 0777);
    CHECK(!comes_from_cache(s) && !comes_from_cache(s), "a folder that others can write");
    chmod(folder, 0700);
    CHECK(comes_from_cache(s), "the program is gone");
    CHECK(!rename(path, other) && !symlink(other, path), "%s", path);
    CHECK(!comes_from_cache(s), "a symbolic link");
    CHECK(!unlink(path) && !mkdir(path, 0700), "%s", path);
    CHECK(!comes_from_cache(s) && !comes_from_cache(s), "a folder in the place of a file");
    rmdir(path);
    if (geteuid() == 0 && !chown(folder, 1, 1)) {
        CHECK(!comes_from_cache(s) && !comes_from_cache(s), "a folder of another user");
        CHECK(!chown(folder, 0, 0), "%s", folder);
    }
}

/* Without a folder that can be written, programs are built each time. */
static void works_without_a_folder(void) {
    static const char *const caches[] = {"/proc/nowhere", "/dev/null", "relative", ""};
    struct stub *s = use_stub(NULL);
    char home[1024];
    snprintf(home, sizeof home, "%s", getenv("HOME") ? getenv("HOME") : "");
    setenv("HOME", "", 1);
    for (size_t i = 0; i < sizeof caches / sizeof *caches; i++) {
        setenv("XDG_CACHE_HOME", caches[i], 1);
        CHECK(!comes_from_cache(s) && !comes_from_cache(s), "a program from \"%s\"", caches[i]);
    }
    setenv("HOME", home, 1);
}

/* ---- texts that cannot be built ---- */

/* A program that does not build is named, and those that waited with it are built. */
static void reports_texts_that_do_not_build(void) {
    struct stub *s = use_stub(NULL);
    struct fault fault = {0};
    struct device d = {.name = "opencl:0"};
    uint32_t in[WORDS] = {5}, out[WORDS];
    if (test_starving()) return;
    CHECK(opencl_describe(0, &d.facts, &fault) && opencl_open(0, &d, &fault), "%s", fault.text);
    struct opencl_source *good = source_of(&d, "copies", "COPY", &fault),
                         *wrong = source_of(&d, "#error", "MAP of sin", &fault);
    CHECK(good && wrong, "%s", fault.text);
    for (int round = 0; round < 2; round++) {
        CHECK(copy_words(&d, good, in, out, &fault), "beside a wrong text: %s", fault.text);
        fault_clear(&fault);
        CHECK(!copy_words(&d, wrong, in, out, &fault), "a text that is wrong was built");
        CHECK(!strcmp(fault.text, "opencl:0: the kernel of MAP of sin could not be built: line 1: error"),
              "%s", fault.text);
        CHECK(s->built == 1, "%d programs were built", (int)s->built);
        fault_clear(&fault);
    }
    CHECK(!d.lost, "the device is lost");
    source_free(good);
    source_free(wrong);
    source_close(&d);
    opencl_close(&d);
    CHECK(!s->live, "%lld objects are left", (long long)s->live);
}

/* A block above the limits says how much was asked for, and how much there is. */
static void names_bytes_that_do_not_fit(void) {
    struct stub *s = use_stub(NULL);
    struct fault fault = {0};
    struct device d = {.name = "opencl:0", .family = &opencl_family, .held = 5};
    s->memory = 4096;
    if (!opencl_describe(0, &d.facts, &fault) || !opencl_open(0, &d, &fault)) {
        CHECK(mem_failed(), "%s", fault.text);
        return;
    }
    for (int driver = 0; driver < 2; driver++) {
        const char *want =
            driver ? "opencl:0: out of memory: 100 bytes were asked for, 4091 are free, 5 are held"
                   : "opencl:0: out of memory: 2000 bytes were asked for, 4091 are free, 5 are held";
        s->fail_at = driver, s->code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
        fault_clear(&fault);
        CHECK(!device_allocate(&d, driver ? 100 : 2000, &fault) && fault.code == TY_ERROR_MEMORY, "it fits");
        CHECK(!strcmp(fault.text, want), "%s", fault.text);
    }
    source_close(&d);
    opencl_close(&d);
}

TESTS_MAIN(TEST(lists_devices), TEST(says_why_there_is_none), TEST(uses_a_device),
           TEST(builds_equal_texts_once), TEST(builds_together), TEST(tells_that_memory_lacks),
           TEST(keeps_unused_programs), TEST(survives_each_failure), TEST(fails_for_good),
           TEST(keeps_programs), TEST(mends_damaged_entries), TEST(trusts_its_own_folder_only),
           TEST(works_without_a_folder), TEST(reports_texts_that_do_not_build),
           TEST(names_bytes_that_do_not_fit))
