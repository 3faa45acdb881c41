/* The messages of ONNX (onnx.proto, onnx-data.proto, IR version 14) as structs.  Other fields have no member; the
   reader skips them. */
#ifndef ONNX_PROTO_H
#define ONNX_PROTO_H
#include "onnx/wire/wire.h"

/* TensorProto.DataType. */
enum proto_type {
    PROTO_FLOAT = 1,
    PROTO_UINT8,
    PROTO_INT8,
    PROTO_UINT16,
    PROTO_INT16,
    PROTO_INT32,
    PROTO_INT64,
    PROTO_STRING,
    PROTO_BOOL,
    PROTO_FLOAT16,
    PROTO_DOUBLE,
    PROTO_UINT32,
    PROTO_UINT64,
    PROTO_COMPLEX64,
    PROTO_COMPLEX128,
    PROTO_BFLOAT16,
    PROTO_FLOAT8E4M3FN,
    PROTO_FLOAT8E4M3FNUZ,
    PROTO_FLOAT8E5M2,
    PROTO_FLOAT8E5M2FNUZ,
    PROTO_UINT4,
    PROTO_INT4,
    PROTO_FLOAT4E2M1,
    PROTO_FLOAT8E8M0,
    PROTO_UINT2,
    PROTO_INT2,
    PROTO_FLOAT6E2M3,
    PROTO_FLOAT6E3M2
};

/* AttributeProto.AttributeType. */
enum proto_attribute_type {
    PROTO_A_FLOAT = 1,
    PROTO_A_INT,
    PROTO_A_STRING,
    PROTO_A_TENSOR,
    PROTO_A_GRAPH,
    PROTO_A_FLOATS,
    PROTO_A_INTS,
    PROTO_A_STRINGS,
    PROTO_A_TENSORS,
    PROTO_A_GRAPHS,
    PROTO_A_SPARSE = 11,
    PROTO_A_SPARSES,
    PROTO_A_TYPE,
    PROTO_A_TYPES
};

struct proto_pair { /* StringStringEntryProto */
    struct wire_base base;
    const char *key, *value;
};

struct proto_tensor {
    struct wire_base base; /* the body has the numbers that lie in typed fields */
    WIRE_LIST(int64_t) dims;
    int64_t data_type, data_location;
    const char *name;
    struct wire_bytes raw_data, segment;
    WIRE_LIST(struct wire_bytes) string_data;
    WIRE_LIST(struct proto_pair) external_data;
};
/* TensorProto.DataLocation. */
enum { PROTO_DEFAULT, PROTO_EXTERNAL };
/* Numbers of the fields of TensorProto that hold elements. */
enum {
    PROTO_SEGMENT = 3,
    PROTO_FLOAT_DATA = 4,
    PROTO_INT32_DATA = 5,
    PROTO_STRING_DATA = 6,
    PROTO_INT64_DATA = 7,
    PROTO_RAW_DATA = 9,
    PROTO_DOUBLE_DATA = 10,
    PROTO_UINT64_DATA = 11
};

struct proto_sparse { /* SparseTensorProto */
    struct wire_base base;
    struct proto_tensor *values, *indices;
    WIRE_LIST(int64_t) dims;
};

struct proto_dim {
    struct wire_base base; /* field 1: value, field 2: symbol */
    int64_t value;
    const char *symbol;
};
struct proto_shape {
    struct wire_base base;
    WIRE_LIST(struct proto_dim) dims;
};
struct proto_tensor_type { /* also of sparse tensors */
    struct wire_base base;
    int64_t elem_type;
    struct proto_shape *shape; /* NULL: any rank */
};
struct proto_map_type {
    struct wire_base base;
    int64_t key_type;
    struct proto_type_of *value;
};
struct proto_element_type { /* of sequences and optionals */
    struct wire_base base;
    struct proto_type_of *element;
};
struct proto_type_of { /* TypeProto: one member is set */
    struct wire_base base;
    struct proto_tensor_type *tensor, *sparse;
    struct proto_element_type *sequence, *optional;
    struct proto_map_type *map;
};

struct proto_value { /* ValueInfoProto */
    struct wire_base base;
    const char *name;
    struct proto_type_of *type;
};

struct proto_attribute {
    struct wire_base base;
    const char *name, *reference; /* reference: the attribute of the function's call that gives the value */
    int64_t type;                 /* proto_attribute_type; 0 in files of IR version 1 */
    float f;
    int64_t i;
    struct wire_bytes s;
    struct proto_tensor *t;
    struct proto_graph *g;
    struct proto_sparse *sparse;
    struct proto_type_of *value_type;
    WIRE_LIST(float) floats;
    WIRE_LIST(int64_t) ints;
    WIRE_LIST(struct wire_bytes) strings;
    WIRE_LIST(struct proto_tensor) tensors;
    WIRE_LIST(struct proto_graph) graphs;
};

struct proto_node {
    struct wire_base base;
    WIRE_LIST(const char *) inputs, outputs; /* "": absent */
    const char *name, *op_type, *domain, *overload;
    WIRE_LIST(struct proto_attribute) attributes;
};

struct proto_graph {
    struct wire_base base;
    const char *name;
    WIRE_LIST(struct proto_node) nodes;
    WIRE_LIST(struct proto_tensor) initializers;
    WIRE_LIST(struct proto_sparse) sparse_initializers;
    WIRE_LIST(struct proto_value) inputs, outputs, value_infos;
};

struct proto_opset {
    struct wire_base base;
    const char *domain;
    int64_t version;
};

struct proto_function {
    struct wire_base base;
    const char *name, *domain, *overload;
    WIRE_LIST(const char *) inputs, outputs, attributes;
    WIRE_LIST(struct proto_attribute) defaults;
    WIRE_LIST(struct proto_node) nodes;
    WIRE_LIST(struct proto_opset) opsets;
};

struct proto_model {
    struct wire_base base;
    int64_t ir_version, model_version;
    const char *producer_name, *producer_version, *domain, *doc;
    WIRE_LIST(struct proto_opset) opsets;
    struct proto_graph *graph;
    WIRE_LIST(struct proto_pair) metadata;
    WIRE_LIST(struct proto_function) functions;
};

/* ---- values in files (onnx-data.proto) ---- */

struct proto_sequence {
    struct wire_base base;
    const char *name;
    int64_t elem_type;
    WIRE_LIST(struct proto_tensor) tensors;
    WIRE_LIST(struct proto_sequence) sequences;
    WIRE_LIST(struct proto_map) maps;
    WIRE_LIST(struct proto_optional) optionals;
};
struct proto_map {
    struct wire_base base;
    const char *name;
    int64_t key_type;
    WIRE_LIST(int64_t) keys;
    WIRE_LIST(struct wire_bytes) string_keys;
    struct proto_sequence *values;
};
struct proto_optional {
    struct wire_base base;
    const char *name;
    int64_t elem_type;
    struct proto_tensor *tensor;
    struct proto_sequence *sequence;
    struct proto_map *map;
    struct proto_optional *optional;
};

/* The tables of their fields. */
#define PROTO_MESSAGES(MESSAGE)                                                                              \
    MESSAGE(pair)                                                                                            \
    MESSAGE(tensor)                                                                                          \
    MESSAGE(sparse)                                                                                          \
    MESSAGE(dim)                                                                                             \
    MESSAGE(shape)                                                                                           \
    MESSAGE(tensor_type)                                                                                     \
    MESSAGE(map_type)                                                                                        \
    MESSAGE(element_type)                                                                                    \
    MESSAGE(type_of)                                                                                         \
    MESSAGE(value)                                                                                           \
    MESSAGE(attribute)                                                                                       \
    MESSAGE(node)                                                                                            \
    MESSAGE(graph)                                                                                           \
    MESSAGE(opset) MESSAGE(function) MESSAGE(model) MESSAGE(sequence) MESSAGE(map) MESSAGE(optional)
#define MESSAGE(name) extern const struct wire_message proto_##name##_message;
PROTO_MESSAGES(MESSAGE)
#undef MESSAGE
#endif
