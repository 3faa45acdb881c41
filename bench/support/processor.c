#define _GNU_SOURCE
#include "bench/support/processor.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "src/base/machine/machine.h"

enum { TEXT = 128 };

struct processor {
    char maker[TEXT], name[TEXT], design[TEXT];
    int family, model;
};

/* Parse a line "key : value" and copy the trimmed value to `out`; false if the line has another key. */
static bool read_value(const char *line, const char *key, char *out) {
    const char *colon = strchr(line, ':');
    size_t n = strlen(key);
    if (strncmp(line, key, n) != 0 || !colon || strspn(line + n, " \t") != (size_t)(colon - line) - n)
        return false;
    snprintf(out, TEXT, "%s", colon + 1 + strspn(colon + 1, " \t"));
    out[strcspn(out, "\n")] = 0;
    return true;
}

/* Set the marketing name of a family's cores, by the first model that has it; other processors get their
   numbers. */
static void name_design(struct processor *p, bool avx512) {
    static const struct {
        const char *maker;
        int family, model;
        bool avx512;
        const char *name;
    } designs[] = {{"AuthenticAMD", 0x17, 0x00, false, "Zen 1"},
                   {"AuthenticAMD", 0x17, 0x30, false, "Zen 2"},
                   {"AuthenticAMD", 0x19, 0x00, false, "Zen 3"},
                   {"AuthenticAMD", 0x19, 0x00, true, "Zen 4"},
                   {"AuthenticAMD", 0x1a, 0x00, true, "Zen 5"},
                   {"GenuineIntel", 0x06, 0x55, true, "Skylake X"},
                   {"GenuineIntel", 0x06, 0x6a, true, "Ice Lake"},
                   {"GenuineIntel", 0x06, 0x8f, true, "Sapphire Rapids"},
                   {"GenuineIntel", 0x06, 0xad, true, "Granite Rapids"}};
    snprintf(p->design, TEXT, "%.40s family %d model %d", p->maker, p->family, p->model);
    for (size_t i = 0; i < sizeof designs / sizeof *designs; i++) {
        bool intel = designs[i].family == 6;
        if (!strcmp(designs[i].maker, p->maker) && designs[i].family == p->family &&
            designs[i].avx512 == avx512 &&
            (intel ? designs[i].model == p->model : designs[i].model <= p->model))
            snprintf(p->design, TEXT, "%s", designs[i].name);
    }
}

static struct processor *processor(void) {
    static struct processor p;
    char line[8192], text[TEXT];
    bool avx512 = false;
    FILE *f = *p.design ? NULL : fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f) && *line != '\n') { /* lines of the first processor */
        read_value(line, "vendor_id", p.maker);
        read_value(line, "model name", p.name);
        if (read_value(line, "cpu family", text)) p.family = atoi(text);
        if (read_value(line, "model", text)) p.model = atoi(text);
        if (!strncmp(line, "flags", 5)) avx512 = strstr(line, " avx512f") != NULL;
    }
    if (f) fclose(f);
    if (!*p.design) name_design(&p, avx512);
    return &p;
}

const char *processor_folder(void) {
    static char folder[TEXT];
    size_t n = 0;
    for (const char *c = processor()->design; *c; c++)
        if (isalnum((unsigned char)*c)) folder[n++] = (char)tolower((unsigned char)*c);
    folder[n] = 0;
    return folder;
}

void processor_put(FILE *f) {
    const struct processor *p = processor();
    fprintf(f, "{\"cpu\": \"%s\", \"design\": \"%s\", \"family\": %d, \"model\": %d,\n", p->name, p->design,
            p->family, p->model);
    fprintf(
        f,
        "    \"processors\": %ld, \"l1d_kib\": %zu, \"l2_kib\": %zu, \"l3_kib\": %zu, \"memory_gib\": %.0f}",
        sysconf(_SC_NPROCESSORS_ONLN), machine_cache(MACHINE_FIRST) >> 10,
        machine_cache(MACHINE_SECOND) >> 10, machine_cache(MACHINE_LAST) >> 10,
        (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / (1 << 30));
}
