/* Engines with devices (array/device.h): their registration, and kernels on them.  Each open device has an engine of its
   own, whose name is the device's. */
#ifndef OPS_CORE_KERNEL_DEVICES_H
#define OPS_CORE_KERNEL_DEVICES_H
#include "array/device_memory.h"
#include "base/for_command.h"
#include "base/machine/environment.h"
#include "ops/core/kernel/kernel.h"

/* TY_ENGINE: the engine of threads whose context names none. */
extern const struct environment_row environment_engine;
/* Families of this build, NULL-terminated; defined in src/engine/engines.c. */
extern const struct device_family *const device_families[];

/* Add a family, which stays valid until engine_remove.  False if there is one of its name, or there are too many. */
bool engine_register(const struct device_family *family);
/* Remove a family that engine_register added, and close its devices.  None of their memory is in use, and no cache has
   programs or kernels on them (ty_trim).  The calling thread computes by the first engine if it used them. */
void engine_remove(const struct device_family *family);
/* Free what open devices keep for kernels to come. */
void devices_trim(void);
/* Return family i, from 0; NULL after the last. */
const struct device_family *engine_family(int i) FOR_COMMAND(engine_family);
/* Return the number of devices of a family; for 0, *why is set. */
int engine_family_count(const struct device_family *family, struct fault *why)
    FOR_COMMAND(engine_family_count);
/* Set *facts of device i.  False, with the fault set, on failure. */
bool engine_family_describe(const struct device_family *family, int i, struct device_facts *facts,
                            struct fault *fault) FOR_COMMAND(engine_family_describe);

/* An open device and its engine. */
struct opened {
    struct engine engine;
    struct device device;
    struct opened *next;
    bool counted; /* in devices_open */
};
/* The only device of a family (array/device.h).  Tensors and threads may still refer to it after engine_remove; it is
   lost then. */
struct device_only {
    struct device_facts facts;
    struct opened opened;
};

/* Return the engine of this name, such as "cpu" or "opencl:1"; a device is opened the first time, and "opencl" is
   "opencl:0".  NULL, with the fault set, if there is none. */
const struct engine *engine_open(const char *name, struct fault *fault) FOR_COMMAND(engine_open);
/* Return `engine`, or instead of one whose memory is a device's the first engine of the host's memory. */
static inline const struct engine *engine_at_host(const struct engine *engine) {
    return engine->device ? engine_table[0] : engine;
}
/* Return the engine of device d; for NULL and the host's, the engine of the thread if its memory is the host's, else the
   first one. */
const struct engine *engine_on(const struct device *d);

/* Return the name of device i, static text; 0 is "cpu", the host's memory.  NULL behind the last one.  A name keeps its
   number as long as the process lives, even if its engine is removed. */
const char *engine_device_name(int i) FOR_COMMAND(engine_device_name);
/* Return the engine that computes n promises together: on the device of the first for which ty_to has chosen one, else
   the thread's. */
const struct engine *engine_of(int n, ty_tensor *const *x);
/* Return the number i of the device of an engine, 0 for the host's memory; -1: there were too many names. */
int engine_device_number(const struct engine *engine);
/* Return the engine of device i, opened if need be.  NULL, with the fault set, on failure. */
const struct engine *engine_of_device(int i, struct fault *fault);

/* The host's memory, as the choice of ty_to(x, "cpu"). */
extern struct device device_host;
/* Return d, or NULL for device_host. */
static inline struct device *device_real(struct device *d) { return d == &device_host ? NULL : d; }
#endif
