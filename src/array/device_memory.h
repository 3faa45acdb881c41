/*
 * Device memory by address (device.h).  A table has the reserved addresses of all blocks of all devices.  Commands go to
 * the stream of kernels of a device, so they are executed in the order in which the host gave them.  Functions that
 * copy to or from host memory return after the copy.
 */
#ifndef ARRAY_DEVICE_MEMORY_H
#define ARRAY_DEVICE_MEMORY_H
#include "array/device.h"

/* Called after each copy between host and device, for profiles.  Defined in src/compile/watch. */
enum copy_way { COPY_TO_DEVICE, COPY_FROM_DEVICE, COPY_WAYS };
struct copy_watcher {
    void (*copied)(const struct device *d, enum copy_way way, size_t bytes, double ms);
};
extern const struct copy_watcher copy_watcher;

/* Number of devices that were opened and not freed. */
extern atomic_int devices_open;

/* True if device d can be used.  False, with the fault set, if it was lost, or belongs to the parent of a fork. */
bool device_usable(struct device *d, struct fault *fault);
/* Let d be lost. */
void device_lose(struct device *d);

/* Return the address of a new block of device memory; bytes > 0.  NULL, with the fault set, on failure; its text says
   how many bytes were asked for, are free and are held.  Free it with device_free. */
void *device_allocate(struct device *d, size_t bytes, struct fault *fault);
/* Free a block after the commands that were given before.  NULL is allowed. */
void device_free(struct device *d, void *address);
/* Return the place of an address; its handle is NULL if the address is in no block of d. */
struct device_place device_find(const struct device *d, const void *address);

/* Copy host memory to a device.  False, with the fault set, on failure. */
bool device_upload(struct device *d, void *to, const void *from, size_t bytes, struct fault *fault);
/* As device_upload, into memory that no command was given for: beside the kernels that run now. */
bool device_upload_new(struct device *d, void *to, const void *from, size_t bytes, struct fault *fault);
/* Copy device memory to the host, after all commands.  False, with the fault set, on failure; also if one of the
   commands failed. */
bool device_download(struct device *d, void *to, const void *from, size_t bytes, struct fault *fault);
/* As device_download, of memory whose commands have ended: beside the kernels that run now. */
bool device_download_ended(struct device *d, void *to, const void *from, size_t bytes, struct fault *fault);
/* Give the command to copy within the device.  False, with the fault set, on failure. */
bool device_copy(struct device *d, void *to, const void *from, size_t bytes, struct fault *fault);
/* Give the command to set bytes to zero.  False, with the fault set, on failure. */
bool device_zero(struct device *d, void *to, size_t bytes, struct fault *fault);
/* Wait for all commands.  False, with the fault set, if one of them failed. */
bool device_wait(struct device *d, struct fault *fault);

/* Memory of a device, or of the host if d is NULL: copy, set to zero, read and write a few bytes. */
bool memory_copy(struct device *d, void *to, const void *from, size_t bytes, struct fault *fault);
bool memory_zero(struct device *d, void *to, size_t bytes, struct fault *fault);
bool memory_get(struct device *d, void *to, const void *from, size_t bytes, struct fault *fault);
bool memory_set(struct device *d, void *to, const void *from, size_t bytes, struct fault *fault);
#endif
