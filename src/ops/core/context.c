/* Making of contexts: their engine and print options are those of upper floors. */
#include "base/context/context.h"
#include <string.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "base/options.h"
#include "base/context/stop.h"
#include "base/threads/parallel.h"
#include "ops/core/kernel/devices.h"

static ty_context no_memory = {
    .asked = STOP_FAILED,
    .fault = {.set = true, .code = E_MEMORY, .text = "out of memory: a context could not be made"}};

/* Copy a text of the print options into `room`, cut to its size; NULL stays NULL. */
static const char *copy_text(char room[CONTEXT_TEXT], const char *text) {
    if (!text) return NULL;
    size_t n = strnlen(text, CONTEXT_TEXT - 1);
    memcpy(room, text, n);
    return room;
}

ty_context *ty_context_new_sized(const ty_context_options *options, size_t size) {
    ty_context_options o;
    ty_context *c = mem_alloc(sizeof *c);
    if (!c) return &no_memory;
    OPTIONS_READ(o, options, size, &c->fault);
    atomic_init(&c->refs, 1);
    atomic_init(&c->threads, parallel_count(o.threads));
    atomic_init(&c->workspace, o.workspace > 0 ? o.workspace : 0);
    ty_print_options_now(&c->print);
    c->print.nan_text = copy_text(c->nan_text, c->print.nan_text);
    c->print.inf_text = copy_text(c->inf_text, c->print.inf_text);
    struct fault why;
    fault_clear(&why);
    const struct engine *engine = o.engine ? engine_open(o.engine, &why) : NULL;
    if (engine) strncpy(c->engine, engine->name, sizeof c->engine - 1);
    if (o.engine && !engine) fault_from(&c->fault, "context_new", why.code, why.text);
    if (c->fault.set) atomic_init(&c->asked, STOP_FAILED);
    return c;
}

ty_tensor *ty_context_failure(const ty_context *context) {
    return context ? tensor_failure(&context->fault) : NULL;
}
