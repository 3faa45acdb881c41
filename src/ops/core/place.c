/* The device of a tensor: `to` is a view whose elements are copied to a device, and results of operators on it are
   computed there. */
#include <tyto/core.h>
#include "array/remote.h"
#include "base/context/context.h"
#include "base/machine/floating.h"
#include "ops/core/batch.h"
#include "ops/core/evaluator.h"
#include "ops/core/field.h"
#include "ops/core/identity.h"
#include "ops/core/kernel/devices.h"
#include "ops/core/operators.h"
#include "ops/core/reach.h"
#include "ops/core/structure.h"

struct to_attr {
    int32_t device; /* its number (engine_device_name) */
};

ATTRIBUTES(to_attributes, sizeof(struct to_attr),
           FIELD(struct to_attr, device, NAME, .named = engine_device_name));

/* Return the device of the attributes, which infer has opened; NULL if it is not there. */
static struct device *to_place(const void *attr) {
    struct fault unused;
    fault_clear(&unused);
    const struct engine *engine = engine_of_device(((const struct to_attr *)attr)->device, &unused);
    return engine ? engine->device ? engine->device : &device_host : NULL;
}

static bool to_infer(struct infer *in) {
    struct fault why;
    fault_clear(&why);
    if (engine_of_device(((const struct to_attr *)in->attr)->device, &why)) return identity_infer(in);
    return infer_fault(in, why.code, "%s", why.text);
}

/* The gradient goes back to the device of x, if one was chosen. */
static ty_tensor *to_vjp(ty_tensor *y, ty_tensor *g, int i) {
    (void)i;
    const struct device *from = y->inputs[0]->place;
    return from ? ty_to(g, from->name) : g;
}

static ty_tensor *to_jvp(ty_tensor *y, ty_tensor *const *t, const bool *wanted) {
    (void)wanted;
    return record(&op_to, y->attr, y->attr_bytes, 1, t);
}

const struct op op_to = {"to",
                         KERNEL_NONE,
                         1,
                         to_infer,
                         identity_view,
                         .vjp = to_vjp,
                         .jvp = to_jvp,
                         .batch = batch_single,
                         .reach = reach_broadcast,
                         .attributes = &to_attributes,
                         .place = to_place,
                         .stores = true,
                         .row = -1,
                         .onnx = "Identity",
                         .doc = "the same on another device"};

/* Copy the elements of y to the device, or home. */
static ty_tensor *bring(ty_tensor *y) {
    struct fault fault;
    fault_clear(&fault);
    if (!ty_ok(y) || y->promise || tensor_at(y, device_real(y->place), &fault)) return y;
    return tensor_fault(&fault);
}

ty_tensor *ty_to(ty_tensor *x, const char *device) {
    FLOATING_DEFAULT;
    struct fault fault;
    fault_clear(&fault);
    if (!ty_ok(x)) return first_poison(1, &x);
    if (!device) return refuse("to", 1, &x, E_ARGUMENT, "the name of the device is NULL");
    const struct engine *engine = engine_open(device, &fault);
    if (!engine) return refuse("to", 1, &x, fault.code, "%s", fault.text);
    if (!engine->device && engine != engine_table[0])
        return refuse("to", 1, &x, E_ARGUMENT,
                      "%.50s has no memory of its own; expected cpu, or a device such as opencl:0", device);
    struct to_attr attr = {.device = engine_device_number(engine)};
    if (attr.device < 0) return refuse("to", 1, &x, E_LIMIT, "too many names of devices were used");
    ty_scope *scope = ty_open();
    ty_tensor *y = bring(record(&op_to, &attr, sizeof attr, 1, &x));
    return leave(scope, y);
}

const char *ty_on(const ty_tensor *x) {
    x = tensor_of(x);
    if (!ty_ok(x)) return "";
    const ty_tensor *value = tensor_resolve(x);
    const struct device *d = value->place;
    if (!d && value->buffer) d = buffer_device(value->buffer);
    if (!d && !value->buffer) d = engine_current()->device;
    return d ? d->name : device_host.name;
}

bool ty_sync(const char *device, ty_tensor **error) {
    struct fault fault;
    fault_clear(&fault);
    const struct engine *engine = engine_open(device ? device : engine_current()->name, &fault);
    bool done = engine && (!engine->device ||
                           (device_wait(engine->device, &fault) && evaluator.settle(engine->device, &fault)));
    if (error) *error = done ? NULL : tensor_fault(&fault);
    return done;
}
