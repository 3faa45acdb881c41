#include "ops/core/kernel/cell.h"

bool cell_open(struct device *d, struct device_cell *cell, struct fault *fault) {
    size_t bytes = d->family->cell_bytes;
    *cell = (struct device_cell){.address = device_allocate(d, bytes, fault)};
    if (!cell->address) return false;
    cell->place = device_find(d, cell->address);
    if (device_zero(d, cell->address, bytes, fault)) return true;
    cell_close(d, cell);
    return false;
}

int cell_read(struct device *d, const struct device_cell *cell, char copy[DEVICE_CELL], struct fault *fault) {
    if (!device_download(d, copy, cell->address, d->family->cell_bytes, fault)) return -1;
    return d->family->refused(d, copy);
}

void cell_close(struct device *d, struct device_cell *cell) {
    device_free(d, cell->address);
    *cell = (struct device_cell){0};
}
