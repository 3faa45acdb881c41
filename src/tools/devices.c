/* tyto devices: lists the engines and their devices. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/core.h>
#include <unistd.h>
#include "base/alloc.h"
#include "ops/core/kernel/devices.h"
#include "tools/command.h"
#include "tools/options/result.h"

static const char *const kinds[DEVICE_KINDS] = {
    [DEVICE_CPU] = "cpu", [DEVICE_GPU] = "gpu", [DEVICE_OTHER] = "other"};

/* Append the names of the dtypes that a device lacks, "-" for none. */
static void add_lacks(struct text *t, uint32_t lacks) {
    for (int d = 0; d < TY_DTYPES; d++)
        if (lacks >> d & 1) text_add(t, "%s%s", t->length ? "," : "", ty_dtype_name((ty_dtype)d));
    if (!t->length) text_add(t, "-");
}

static void print_line(const char *name, const struct device_facts *f) {
    struct text lacks = {0};
    add_lacks(&lacks, f->lacks);
    say("%-12s %-5s %8d %7s G %4" PRId64 "K  %-13s %s\n", name, kinds[f->kind], f->units,
        shown((char[SHOWN]){0}, 1, (double)f->memory / (1 << 30)), f->local >> 10,
        lacks.failed ? "?" : lacks.data, f->model);
    text_drop(&lacks);
}

static void add_json(const char *name, const struct device_facts *f) {
    result_open(NULL, '{');
    result_text("name", name);
    result_text("kind", kinds[f->kind]);
    result_text("model", f->model);
    result_whole("memory", f->memory);
    result_whole("largest_block", f->most);
    result_whole("align", f->align);
    result_whole("units", f->units);
    result_whole("group", f->group);
    result_whole("local", f->local);
    result_flag("shares_memory", f->shares);
    result_open("lacks", '[');
    for (int d = 0; d < TY_DTYPES; d++)
        if (f->lacks >> d & 1) result_text(NULL, ty_dtype_name((ty_dtype)d));
    result_close();
    result_close();
}

static void show_device(const char *name, const struct device_facts *facts) {
    add_json(name, facts);
    print_line(name, facts);
}

/* Show the engines that compute in the host's memory. */
static void show_host(void) {
    int64_t memory = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    struct device_facts cpu = {.kind = DEVICE_CPU,
                               .memory = memory,
                               .most = memory,
                               .align = 64,
                               .units = ty_threads(),
                               .shares = true};
    struct device_facts ref = cpu;
    text_print(cpu.model, sizeof cpu.model, "this library's own kernels, %s", ty_isa());
    text_print(ref.model, sizeof ref.model, "the reference, one element at a time");
    ref.units = 1;
    show_device("cpu", &cpu);
    show_device("ref", &ref);
}

/* Show the devices of a family, or append to `reasons` a line for each that cannot be described, or for the family. */
static void show_family(const struct device_family *family, struct text *reasons) {
    struct fault why = {0};
    int n = engine_family_count(family, &why);
    for (int i = 0; i < n; i++) {
        struct device_facts facts;
        struct fault fault = {0};
        char name[DEVICE_NAME];
        text_print(name, sizeof name, "%s:%d", family->name, i);
        if (engine_family_describe(family, i, &facts, &fault))
            show_device(name, &facts);
        else
            text_add(reasons, "%s\n", fault.text);
    }
    if (!n) text_add(reasons, "%s\n", why.text);
}

static void show_reasons(char *reasons) {
    say("%s", reasons);
    result_open("reasons", '[');
    for (char *line = strtok(reasons, "\n"); line; line = strtok(NULL, "\n")) result_text(NULL, line);
    result_close();
}

static int run(const void *settings) {
    (void)settings;
    struct text reasons = {0};
    const struct device_family *family;
    say("%-12s %-5s %8s %9s %5s  %-13s %s\n", "name", "kind", "units", "memory", "local", "lacks", "model");
    result_open("devices", '[');
    show_host();
    for (int i = 0; (family = engine_family(i)); i++) show_family(family, &reasons);
    result_close();
    char *words = text_take(&reasons);
    if (words) show_reasons(words);
    mem_free(words);
    return words ? EXIT_SUCCESS : complain("out of memory");
}

static const struct option options[] = {{0}};
static const char defaults[1]; /* it has no settings */
const struct command command_devices = {
    .name = "devices",
    .doc = "List the engines and their devices; says why a kind of devices is missing.",
    .details = "units: processors or threads.  local: KiB of memory of a group of work items.  lacks: dtypes "
               "that no\n"
               "kernel can have there; --json gives all limits.\n"
               "  tyto devices --json",
    .options = options,
    .defaults = defaults,
    .bytes = sizeof defaults,
    .run = run,
    .prints = true};
