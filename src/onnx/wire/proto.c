/* The tables of fields of ONNX's messages. */
#include "onnx/wire/proto.h"

#define ONE(number, kind, member) {#member, number, kind, false, offsetof(struct OWNER, member), NULL},
#define MANY(number, kind, member) {#member, number, kind, true, offsetof(struct OWNER, member), NULL},
#define ONE_OF(number, type, member)                                                                         \
    {#member, number, WIRE_MESSAGE, false, offsetof(struct OWNER, member), &proto_##type##_message},
#define MANY_OF(number, type, member)                                                                        \
    {#member, number, WIRE_MESSAGE, true, offsetof(struct OWNER, member), &proto_##type##_message},
#define MESSAGE(type, words)                                                                                 \
    const struct wire_message proto_##type##_message = {words, sizeof(struct proto_##type),                  \
                                                        (int)(sizeof type##_fields / sizeof *type##_fields), \
                                                        type##_fields};

#define OWNER proto_pair
static const struct wire_field pair_fields[] = {ONE(1, WIRE_TEXT, key) ONE(2, WIRE_TEXT, value)};
#undef OWNER
#define OWNER proto_tensor
static const struct wire_field tensor_fields[] = {
    MANY(1, WIRE_INTEGER, dims) ONE(2, WIRE_INTEGER, data_type) ONE(PROTO_SEGMENT, WIRE_BYTES, segment)
        MANY(PROTO_STRING_DATA, WIRE_BYTES, string_data) ONE(8, WIRE_TEXT, name)
            ONE(PROTO_RAW_DATA, WIRE_BYTES, raw_data) MANY_OF(13, pair, external_data)
                ONE(14, WIRE_INTEGER, data_location)};
#undef OWNER
#define OWNER proto_sparse
static const struct wire_field sparse_fields[] = {ONE_OF(1, tensor, values) ONE_OF(2, tensor, indices)
                                                      MANY(3, WIRE_INTEGER, dims)};
#undef OWNER
#define OWNER proto_dim
static const struct wire_field dim_fields[] = {ONE(1, WIRE_INTEGER, value) ONE(2, WIRE_TEXT, symbol)};
#undef OWNER
#define OWNER proto_shape
static const struct wire_field shape_fields[] = {MANY_OF(1, dim, dims)};
#undef OWNER
#define OWNER proto_tensor_type
static const struct wire_field tensor_type_fields[] = {ONE(1, WIRE_INTEGER, elem_type)
                                                           ONE_OF(2, shape, shape)};
#undef OWNER
#define OWNER proto_map_type
static const struct wire_field map_type_fields[] = {ONE(1, WIRE_INTEGER, key_type) ONE_OF(2, type_of, value)};
#undef OWNER
#define OWNER proto_element_type
static const struct wire_field element_type_fields[] = {ONE_OF(1, type_of, element)};
#undef OWNER
#define OWNER proto_type_of
static const struct wire_field type_of_fields[] = {
    ONE_OF(1, tensor_type, tensor) ONE_OF(4, element_type, sequence) ONE_OF(5, map_type, map)
        ONE_OF(8, tensor_type, sparse) ONE_OF(9, element_type, optional)};
#undef OWNER
#define OWNER proto_value
static const struct wire_field value_fields[] = {ONE(1, WIRE_TEXT, name) ONE_OF(2, type_of, type)};
#undef OWNER
#define OWNER proto_attribute
static const struct wire_field attribute_fields[] = {
    ONE(1, WIRE_TEXT, name) ONE(2, WIRE_FLOAT, f) ONE(3, WIRE_INTEGER, i) ONE(4, WIRE_BYTES, s)
        ONE_OF(5, tensor, t) ONE_OF(6, graph, g) MANY(7, WIRE_FLOAT, floats) MANY(8, WIRE_INTEGER, ints)
            MANY(9, WIRE_BYTES, strings) MANY_OF(10, tensor, tensors) MANY_OF(11, graph, graphs)
                ONE_OF(14, type_of, value_type) ONE(20, WIRE_INTEGER, type) ONE(21, WIRE_TEXT, reference)
                    ONE_OF(22, sparse, sparse)};
#undef OWNER
#define OWNER proto_node
static const struct wire_field node_fields[] = {
    MANY(1, WIRE_TEXT, inputs) MANY(2, WIRE_TEXT, outputs) ONE(3, WIRE_TEXT, name) ONE(4, WIRE_TEXT, op_type)
        MANY_OF(5, attribute, attributes) ONE(7, WIRE_TEXT, domain) ONE(8, WIRE_TEXT, overload)};
#undef OWNER
#define OWNER proto_graph
static const struct wire_field graph_fields[] = {
    MANY_OF(1, node, nodes) ONE(2, WIRE_TEXT, name) MANY_OF(5, tensor, initializers)
        MANY_OF(11, value, inputs) MANY_OF(12, value, outputs) MANY_OF(13, value, value_infos)
            MANY_OF(15, sparse, sparse_initializers)};
#undef OWNER
#define OWNER proto_opset
static const struct wire_field opset_fields[] = {ONE(1, WIRE_TEXT, domain) ONE(2, WIRE_INTEGER, version)};
#undef OWNER
#define OWNER proto_function
static const struct wire_field function_fields[] = {
    ONE(1, WIRE_TEXT, name) MANY(4, WIRE_TEXT, inputs) MANY(5, WIRE_TEXT, outputs)
        MANY(6, WIRE_TEXT, attributes) MANY_OF(7, node, nodes) MANY_OF(9, opset, opsets)
            ONE(10, WIRE_TEXT, domain) MANY_OF(11, attribute, defaults) ONE(13, WIRE_TEXT, overload)};
#undef OWNER
#define OWNER proto_model
static const struct wire_field model_fields[] = {
    ONE(1, WIRE_INTEGER, ir_version) ONE(2, WIRE_TEXT, producer_name) ONE(3, WIRE_TEXT, producer_version)
        ONE(4, WIRE_TEXT, domain) ONE(5, WIRE_INTEGER, model_version) ONE(6, WIRE_TEXT, doc)
            ONE_OF(7, graph, graph) MANY_OF(8, opset, opsets) MANY_OF(14, pair, metadata)
                MANY_OF(25, function, functions)};
#undef OWNER
#define OWNER proto_sequence
static const struct wire_field sequence_fields[] = {
    ONE(1, WIRE_TEXT, name) ONE(2, WIRE_INTEGER, elem_type) MANY_OF(3, tensor, tensors)
        MANY_OF(5, sequence, sequences) MANY_OF(6, map, maps) MANY_OF(7, optional, optionals)};
#undef OWNER
#define OWNER proto_map
static const struct wire_field map_fields[] = {ONE(1, WIRE_TEXT, name) ONE(2, WIRE_INTEGER, key_type) MANY(
    3, WIRE_INTEGER, keys) MANY(4, WIRE_BYTES, string_keys) ONE_OF(5, sequence, values)};
#undef OWNER
#define OWNER proto_optional
static const struct wire_field optional_fields[] = {
    ONE(1, WIRE_TEXT, name) ONE(2, WIRE_INTEGER, elem_type) ONE_OF(3, tensor, tensor)
        ONE_OF(5, sequence, sequence) ONE_OF(6, map, map) ONE_OF(7, optional, optional)};
#undef OWNER

MESSAGE(pair, "StringStringEntryProto")
MESSAGE(tensor, "TensorProto")
MESSAGE(sparse, "SparseTensorProto")
MESSAGE(dim, "TensorShapeProto.Dimension")
MESSAGE(shape, "TensorShapeProto")
MESSAGE(tensor_type, "TypeProto.Tensor")
MESSAGE(map_type, "TypeProto.Map")
MESSAGE(element_type, "TypeProto.Sequence")
MESSAGE(type_of, "TypeProto")
MESSAGE(value, "ValueInfoProto")
MESSAGE(attribute, "AttributeProto")
MESSAGE(node, "NodeProto")
MESSAGE(graph, "GraphProto")
MESSAGE(opset, "OperatorSetIdProto")
MESSAGE(function, "FunctionProto")
MESSAGE(model, "ModelProto")
MESSAGE(sequence, "SequenceProto")
MESSAGE(map, "MapProto")
MESSAGE(optional, "OptionalProto")
