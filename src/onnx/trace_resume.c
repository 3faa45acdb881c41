/* Continues a run node by node if a trace no longer fits. */
#include <tyto/create.h>
#include "base/alloc.h"
#include "onnx/trace.h"

bool trace_hold(struct onnx_trace *trace, struct segment *segment, const struct onnx_frame *frame,
                struct fault *fault) {
    int n = 0;
    for (int i = 0; i < frame->graph->nslots; i++) n += frame->slots[i].kind != ONNX_ABSENT;
    segment->held = arena_array(&trace->arena, (size_t)n + 1, sizeof *segment->held);
    if (!segment->held) return fault_memory(fault, (size_t)n * sizeof *segment->held);
    for (int i = 0; i < frame->graph->nslots; i++) {
        if (frame->slots[i].kind == ONNX_ABSENT) continue;
        onnx_value_retain(&frame->slots[i]);
        segment->held[segment->nheld++] = (struct held){i, frame->slots[i]};
    }
    return true;
}

void trace_unhold(struct segment *segment) {
    for (int i = 0; i < segment->nheld; i++) onnx_value_release(&segment->held[i].value);
    segment->nheld = 0;
}

bool trace_unfold(const struct onnx_trace *trace, const struct segment *from, struct arena *arena,
                  bool leaves, struct onnx_frame *frame, struct fault *fault) {
    bool good = true;
    for (int i = 0; good && i < from->nheld; i++) {
        struct onnx_value value = from->held[i].value;
        good = leaves || trace_values(trace, arena, &from->held[i].value, &value, fault);
        if (good) onnx_slot_set(&frame->slots[from->held[i].slot], value);
    }
    for (int i = 0; !good && i < frame->graph->nslots; i++) onnx_value_release(&frame->slots[i]);
    return good;
}

bool trace_resume(struct ty_onnx *model, struct onnx_trace *trace, const struct segment *from,
                  struct arena *arena, struct onnx_value *outputs, struct fault *fault) {
    const struct onnx_graph *graph = &model->graph;
    struct onnx_frame frame = {graph, NULL, mem_array((size_t)graph->nslots + 1, sizeof *frame.slots)};
    if (!frame.slots) return fault_memory(fault, (size_t)graph->nslots * sizeof *frame.slots);
    struct onnx_run run = {.model = model,
                           .mode = ONNX_EAGER,
                           .arena = arena,
                           .fault = fault,
                           .key =
                               ty_fold(trace->cells[0].value, (uint64_t)INT64_MAX - (uint64_t)from->number)};
    bool good = trace_unfold(trace, from, arena, false, &frame, fault) &&
                onnx_walk_on(&run, &frame, (int)(from->node - graph->nodes), NULL, outputs);
    mem_free(frame.slots);
    return good;
}
