/* Loaders as sources of batches: step s is batch s mod batches of epoch s / batches. */
#include <tyto/nn.h>
#include "base/error.h"

/* Set parts[] to the loader's fields for the batch of `step`, from 0: a source of batches whose context is
   the loader. False on failure, with poison in parts[]. */
static bool take(void *context, int64_t step, ty_tensor **parts) {
    ty_loader *loader = context;
    int64_t batches = ty_loader_batches(loader);
    ty_data_place now = ty_loader_tell(loader), place = {now.seed, 0, 0};
    if (batches > 0) place.epoch = step / batches, place.batch = step % batches;
    ty_tensor *fields[TY_MOST_FIELDS];
    int n = ty_loader_fields(loader);
    /* The end of an epoch is reported once by ty_loader_next; consume it, as seeking would discard
       prefetched batches. */
    if (now.batch == batches && place.epoch == now.epoch + 1 && !place.batch) {
        ty_loader_next(loader, n, fields);
        now = ty_loader_tell(loader);
    }
    bool there = now.epoch == place.epoch && now.batch == place.batch;
    if (batches < 1 || (!there && !ty_loader_seek(loader, place, &parts[0]))) {
        if (batches < 1) parts[0] = ty_loader_failure(loader);
        if (!parts[0]) parts[0] = ty_poison_code(E_ARGUMENT, "loader: it has no batches");
        return false;
    }
    bool given = ty_loader_next(loader, n, fields);
    for (int i = 0; i < n && i < 8; i++) parts[i] = fields[i];
    return given;
}

ty_batch_source ty_loader_source(ty_loader *loader, int n) {
    int most = ty_loader_fields(loader);
    return (ty_batch_source){.context = loader,
                             .n = n > 0 && n < most ? n : most,
                             .steps_per_epoch = ty_loader_batches(loader),
                             .batch = take};
}
