/* Error cells of runs on devices (struct device_cell). */
#ifndef OPS_CORE_KERNEL_CELL_H
#define OPS_CORE_KERNEL_CELL_H
#include "array/device_memory.h"

/* Make a cell that is not set.  False, with the fault set, on failure. */
bool cell_open(struct device *d, struct device_cell *cell, struct fault *fault);
/* Copy the cell home after all commands, and return the number of the kernel that has set it; 0: it is not set.  -1, with
   the fault set, on failure. */
int cell_read(struct device *d, const struct device_cell *cell, char copy[DEVICE_CELL], struct fault *fault);
/* Free the cell after all commands. */
void cell_close(struct device *d, struct device_cell *cell);
#endif
