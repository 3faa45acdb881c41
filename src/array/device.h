/*
 * Devices: memory that lives elsewhere, and queues of work on it.  An engine with devices is a `struct device_family`, a
 * table of functions.  `cpu`, `ref` and `null` have none: they compute in the host's memory, at once.
 *
 *   Addresses.  A block of device memory has an address in the host's address space, at which nothing can be read or
 *   written (device_allocate reserves it).  So tables of slots, offsets in arenas and tests of overlap work with plain
 *   pointers, and a host access to device memory traps.  An engine never sees such addresses.  It gets places: the
 *   handle that its `allocate` returned, and an offset in bytes.
 *   Streams.  A stream executes its commands in the order in which they were given.  Its functions return at once;
 *   commands of different streams have no order.
 *   Failures.  A command that cannot be given fails at once.  One that fails later makes its stream fail: later
 *   commands of it do nothing, and `wait` tells the fault.  After a device is lost, each function fails with E_DEVICE.
 *   Threads.  All functions may be called by several threads at once, also for one stream.
 *   Forks.  In the child of a fork all devices are lost (device_usable).
 */
#ifndef ARRAY_DEVICE_H
#define ARRAY_DEVICE_H
#include <stdatomic.h>
#include "array/dtype.h"
#include "base/text.h"

struct arena;
struct kernel;
struct device;

enum device_kind { DEVICE_CPU, DEVICE_GPU, DEVICE_OTHER, DEVICE_KINDS };
enum { DEVICE_NAME = 24, DEVICE_MODEL = 128, DEVICE_CELL = 2048 };

/* Facts that an engine tells of a device. */
struct device_facts {
    char model[DEVICE_MODEL]; /* vendor, product, driver: for people */
    enum device_kind kind;
    int64_t memory; /* bytes */
    int64_t most;   /* bytes of the largest block */
    int align;      /* of addresses of blocks, a power of 2 of at least 64 */
    uint32_t lacks; /* bit d: no kernel may have operands of dtype d (ty_dtype) */
    int units;      /* compute units; 0: unknown */
    int64_t group;  /* most work items of a group; 0: unknown */
    int64_t local;  /* bytes of a group's local memory */
    bool shares;    /* its memory is the host's */
};

/* A place in device memory. */
struct device_place {
    void *handle;   /* of allocate; NULL: none */
    int64_t offset; /* bytes; of an operand's element 0, which a guard may exclude: it may be negative then */
};

/* The error cell of a run.  A kernel whose row says `refuses` writes it, unless it is set already, when values that it
   reads are wrong.  A kernel that is told to look at it does nothing if it is set. */
struct device_cell {
    struct device_place place; /* cell_bytes bytes, all zero: not set; handle NULL: there is no cell */
    void *address;             /* of place */
    int number; /* of this kernel in the run, from 1: the least one wins, then the lowest position */
    bool looks; /* this kernel writes over a variable: do nothing if the cell is set */
};

struct device_only;
enum device_state { DEVICE_PENDING, DEVICE_DONE, DEVICE_FAILED };

struct device_family {
    const char *name; /* "opencl": its devices are "opencl:0", "opencl:1", ... */
    /* Facts and memory of its only device (ops/core/kernel/devices.h), for an engine that a program has added; they
       outlive the family.  NULL: `count` and `describe` tell of devices. */
    struct device_only *only;
    size_t cell_bytes; /* of an error cell, above 0 and at most DEVICE_CELL */
    /* --- devices --- */
    /* Return the number of devices; for 0, set *why, the reason in one sentence. */
    int (*count)(struct fault *why);
    /* Set *facts of device i, without opening it.  False, with the fault set, on failure. */
    bool (*describe)(int i, struct device_facts *facts, struct fault *fault);
    /* Open device i: set d->own; d->facts is set.  False, with the fault set, on failure. */
    bool (*open)(int i, struct device *d, struct fault *fault);
    /* Free d->own, when no memory and no stream is left, or the device is lost. */
    void (*close)(struct device *d);
    /* --- memory --- */
    /* Return the handle of `bytes` > 0 bytes.  NULL, with the fault set (E_MEMORY: too little is free). */
    void *(*allocate)(struct device *d, size_t bytes, struct fault *fault);
    /* Free a handle.  Commands that were given before may still use the memory. */
    void (*release)(struct device *d, void *handle);
    /* --- streams and events --- */
    /* Return a new stream.  NULL, with the fault set, on failure. */
    void *(*stream_open)(struct device *d, struct fault *fault);
    /* Free a stream after its commands. */
    void (*stream_close)(struct device *d, void *stream);
    /* Return a new event: all commands that were given to the stream so far.  NULL, with the fault set, on failure, when
       these commands have ended, since memory that they use may be freed then. */
    void *(*record)(struct device *d, void *stream, struct fault *fault);
    /* Tell whether an event has come, without waiting. */
    enum device_state (*state)(struct device *d, void *event);
    /* Wait on the host for an event, and see that its commands are started.  False, with the fault set, if one of its
       commands failed; all of them have ended also then. */
    bool (*wait)(struct device *d, void *event, struct fault *fault);
    /* Free an event; it need not have come. */
    void (*event_release)(struct device *d, void *event);
    /* --- copies: bytes > 0.  Host memory stays valid until the command ends.  False, with the fault set, if the
       command could not be given --- */
    bool (*upload)(struct device *d, void *stream, struct device_place to, const void *from, size_t bytes,
                   struct fault *fault);
    bool (*download)(struct device *d, void *stream, void *to, struct device_place from, size_t bytes,
                     struct fault *fault);
    /* Both places may be in one block; they do not overlap. */
    bool (*copy)(struct device *d, void *stream, struct device_place to, struct device_place from,
                 size_t bytes, struct fault *fault);
    /* Set bytes to zero. */
    bool (*zero)(struct device *d, void *stream, struct device_place to, size_t bytes, struct fault *fault);
    /* --- kernels --- */
    /* As `prepare` of an engine (ops/core/kernel/kernel.h): set k->prepared, k->width = 1 and k->workspace, the bytes of
       device memory that a launch needs.  False with E_UNSUPPORTED: the device lacks this kind, form or dtype; the
       caller then lets `cpu` compute it, with copies.  Other faults are failures. */
    bool (*prepare)(struct device *d, struct kernel *k, struct arena *arena, struct fault *fault);
    /* Free objects that prepare made outside of the arena.  Commands that were given before may still use them.  NULL:
       there are none. */
    void (*drop)(struct device *d, struct kernel *k);
    /* Give the command to execute kernel k.  places[slot] is the memory of the operand with this slot, whose
       layout.offset is 0: inputs have the slots 0 .., outputs the next ones.  The arguments are valid until the return,
       k until the command ends.  False, with the fault set, if it could not be given. */
    bool (*launch)(struct device *d, void *stream, const struct kernel *k, const struct device_place *places,
                   struct device_place workspace, const struct device_cell *cell, struct fault *fault);
    /* Set the fault of a refusal: `cell` is a copy of a cell that is set, by kernel k; its text is the one of `cpu` and
       `ref` for the same operands. */
    void (*refusal)(struct device *d, const struct kernel *k, const void *cell, struct fault *fault);
    /* Return the number (device_cell) of the kernel that set this copy of a cell; 0: it is not set. */
    int (*refused)(struct device *d, const void *cell);
    /* Append what prepare has decided as readable lines.  NULL: nothing. */
    void (*explain)(const struct kernel *k, struct text *t);
    /* Free what no kernel uses and was kept for kernels to come (ty_trim).  NULL: nothing is. */
    void (*trim)(const struct device *d);
};

/* An open device.  It stays open until the library is unloaded, or its family is removed. */
struct device {
    char name[DEVICE_NAME]; /* "opencl:0" */
    const struct device_family *family;
    int number;
    struct device_facts facts;
    void *own;          /* of the engine */
    void *copies;       /* stream of copies into new memory, beside the kernels */
    void *stream;       /* of all kernels, and of copies that they depend on */
    const void *engine; /* its struct engine (ops/core/kernel/kernel.h) */
    atomic_bool
        orphan; /* the process is a child of the one that opened it: no function of the family is called */
    atomic_bool lost;        /* set by the engine too, when a function fails for good */
    _Atomic int64_t held;    /* bytes of device memory that are allocated */
    _Atomic int64_t kernels; /* prepared, and not dropped yet */
    _Atomic int64_t lacked;  /* kernels that were left to `cpu`, since it was opened */
};
#endif
