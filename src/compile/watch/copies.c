/* Copies between host and devices in profiles. */
#include "array/device_memory.h"
#include "compile/watch/profile.h"

static void copied(const struct device *d, enum copy_way way, size_t bytes, double ms) {
    if (launch_watches() & WATCH_TIME) profile_copy(d, way, bytes, ms);
}
const struct copy_watcher copy_watcher = {copied};
