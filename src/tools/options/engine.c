/* The engine that --engine chooses. */
#include <stdlib.h>
#include <tyto/core.h>
#include "base/alloc.h"
#include "base/nearest.h"
#include "ops/core/kernel/devices.h"
#include "tools/command.h"
#include "tools/options/message.h"

static const char *chosen;

void engine_choose(const char *name) { chosen = name; }

/* Append the name of an engine or device to the list of names, and offer it as the most similar one. */
static void list(struct text *names, struct nearest *near, const char *name) {
    text_add(names, "%s%s", names->length ? ", " : "", name);
    nearest_offer(near, name);
}

/* Append the reasons of families that have no devices. */
static void list_reasons(struct text *t) {
    const struct device_family *family;
    for (int i = 0; (family = engine_family(i)); i++) {
        struct fault why = {0};
        if (!engine_family_count(family, &why) && why.set) text_add(t, "; %s", why.text);
    }
}

/* Set the fault: there is no engine of the chosen name; it lists those that are there. */
static void refuse(struct fault *fault) {
    struct text t = {0};
    struct nearest near = {.wanted = chosen};
    const char *name;
    for (int i = 0; engine_table[i]; i++) list(&t, &near, engine_table[i]->name);
    for (int i = 1; (name = engine_device_name(i)); i++) list(&t, &near, name);
    list_reasons(&t);
    char *names = text_take(&t);
    fault_set(fault, E_ARGUMENT, "--engine %.64s%s: expected one of %s", chosen,
              nearest_hint(&near, (char[NEAREST_HINT]){0}), names ? names : "cpu, ref, null");
    mem_free(names);
}

bool engine_begin(struct fault *fault) {
    struct fault why = {0};
    if (!chosen || (engine_open(chosen, &why) && ty_use_engine(chosen))) return true;
    if (why.code == E_ARGUMENT)
        refuse(fault);
    else
        fault_set(fault, why.code, "--engine %.64s: %s", chosen, why.text);
    return false;
}

bool engine_wait(void) {
    ty_tensor *error = NULL;
    return ty_sync(NULL, &error) || complain_of(error) == EXIT_SUCCESS;
}
