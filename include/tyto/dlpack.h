/*
 * Exchange of tensors with other libraries without a copy, by DLPack 1.1 (github.com/dmlc/dlpack), which NumPy,
 * PyTorch, JAX, CuPy and others support.
 *
 * The structs below are DLPack's, declared here so that no other header is needed; dlpack/dlpack.h (1.0 or later) may
 * be included before or after this header.
 */
#ifndef TYTO_DLPACK_H
#define TYTO_DLPACK_H

#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_

#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 1
#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)
#define DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED (1UL << 2UL)

typedef struct {
    uint32_t major, minor;
} DLPackVersion;

typedef enum {
    kDLCPU = 1,
    kDLCUDA = 2,
    kDLCUDAHost = 3,
    kDLOpenCL = 4,
    kDLVulkan = 7,
    kDLMetal = 8,
    kDLVPI = 9,
    kDLROCM = 10,
    kDLROCMHost = 11,
    kDLExtDev = 12,
    kDLCUDAManaged = 13,
    kDLOneAPI = 14,
    kDLWebGPU = 15,
    kDLHexagon = 16,
    kDLMAIA = 17
} DLDeviceType;

typedef struct {
    DLDeviceType device_type;
    int32_t device_id;
} DLDevice;

typedef enum {
    kDLInt = 0U,
    kDLUInt = 1U,
    kDLFloat = 2U,
    kDLOpaqueHandle = 3U,
    kDLBfloat = 4U,
    kDLComplex = 5U,
    kDLBool = 6U,
    kDLFloat8_e3m4 = 7U,
    kDLFloat8_e4m3 = 8U,
    kDLFloat8_e4m3b11fnuz = 9U,
    kDLFloat8_e4m3fn = 10U,
    kDLFloat8_e4m3fnuz = 11U,
    kDLFloat8_e5m2 = 12U,
    kDLFloat8_e5m2fnuz = 13U,
    kDLFloat8_e8m0fnu = 14U,
    kDLFloat6_e2m3fn = 15U,
    kDLFloat6_e3m2fn = 16U,
    kDLFloat4_e2m1fn = 17U
} DLDataTypeCode;

typedef struct {
    uint8_t code, bits;
    uint16_t lanes;
} DLDataType;

typedef struct {
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape;
    int64_t *strides; /* in elements; NULL: row-major */
    uint64_t byte_offset;
} DLTensor;

/* DLPack's struct before version 1. */
typedef struct DLManagedTensor {
    DLTensor dl_tensor;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;

typedef struct DLManagedTensorVersioned {
    DLPackVersion version;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    DLTensor dl_tensor;
} DLManagedTensorVersioned;

#endif /* DLPACK_DLPACK_H_ */

/* Export x to another library without a copy.  The library calls the deleter after its last use; x and its scope
   may be freed before.  A promise is evaluated.  Flagged read-only if other tensors share the memory, or if it is
   borrowed, mapped or imported.  NULL on failure, with the reason in *error unless NULL: a poisoned tensor that the
   scope owns. */
TY_API DLManagedTensorVersioned *ty_to_dlpack(ty_tensor *x, ty_tensor **error);
/* Export x to another library in the struct before version 1, which has no read-only flag.  The library calls
   the deleter after its last use; x and its scope may be freed before.  A promise is evaluated.  NULL on
   failure, with the reason in *error unless NULL: a poisoned tensor that the scope owns. */
TY_API DLManagedTensor *ty_to_dlpack_legacy(ty_tensor *x, ty_tensor **error);

/* Return a tensor over another library's memory, which must not change while it is used.  Takes ownership of
   `managed`: its deleter is called exactly once, after the last use.  On failure it is called at once, and the
   tensor is poisoned: another device than the CPU, a major version other than 1, an unsupported dtype, unaligned
   elements, lanes. */
TY_API ty_tensor *ty_from_dlpack(DLManagedTensorVersioned *managed);
/* Return a tensor over another library's memory, given in the struct before version 1, which must not change while
   it is used.  Takes ownership of `managed`: its deleter is called exactly once, after the last use, or at once on
   failure.  Poison for another device than the CPU, an unsupported dtype, unaligned elements, lanes. */
TY_API ty_tensor *ty_from_dlpack_legacy(DLManagedTensor *managed);

#ifdef __cplusplus
}
#endif
#endif
