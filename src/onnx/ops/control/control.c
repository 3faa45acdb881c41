/* Operators that repeat graphs of their attributes: Loop, Scan, SequenceMap. */
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/shape.h>
#include "onnx/ops/control/loops.h"
#include "onnx/ops/operators.h"
#include "onnx/run.h"

/* ---- results of repeated graphs ---- */

/* Trips of a loop in which segments of a trace may end (onnx/trace.h).  Each makes a program in each trip: pasting ten
   masks has 70. */
enum { MOST_CUT_TRIPS = 4 };

/* A loop: values that each trip passes to the next one, and results of each trip, which are stacked. */
struct repeats {
    struct onnx_call *call;
    int ncarry, nstacked;
    bool many; /* more than MOST_CUT_TRIPS trips: if one needs elements, the loop runs on values */
    struct onnx_value *carry;
    ty_tensor ***stacked; /* of each result, those of all trips */
    int64_t trips, capacity;
    struct onnx_value *results; /* room for those of one trip */
};

static bool repeats_begin(struct repeats *r, struct onnx_call *call, int ncarry,
                          const struct onnx_value *carry, int nstacked) {
    *r = (struct repeats){.call = call, .ncarry = ncarry, .nstacked = nstacked};
    r->carry = onnx_memory(call, ncarry, sizeof *r->carry);
    r->stacked = onnx_memory(call, nstacked, sizeof *r->stacked);
    if (!r->carry || !r->stacked) return false;
    for (int i = 0; i < ncarry; i++) {
        r->carry[i] = carry[i];
        onnx_value_retain(&carry[i]);
    }
    return true;
}

/* Make room for the results of one more trip. */
static bool repeats_room(struct repeats *r) {
    if (r->trips < r->capacity) return true;
    int64_t more = r->capacity ? 2 * r->capacity : 16;
    for (int i = 0; i < r->nstacked; i++) {
        ty_tensor **items = onnx_memory(r->call, more, sizeof *items);
        if (!items) return false;
        if (r->trips) memcpy(items, r->stacked[i], (size_t)r->trips * sizeof *items);
        r->stacked[i] = items;
    }
    r->capacity = more;
    return true;
}

/* Keep the results of a trip: ncarry values, then nstacked tensors. */
static bool repeats_take(struct repeats *r, const struct onnx_value *results) {
    const struct onnx_value *stacked = results + r->ncarry;
    if (!repeats_room(r)) return false;
    for (int i = 0; i < r->nstacked; i++)
        if (stacked[i].kind != ONNX_TENSOR)
            return onnx_refuse(r->call, E_DTYPE, "result %d of the graph is %s, but a tensor is expected", i,
                               onnx_kind_words(stacked[i].kind));
    for (int i = 0; i < r->ncarry; i++) {
        onnx_value_retain(&results[i]);
        onnx_value_release(&r->carry[i]);
        r->carry[i] = results[i];
    }
    for (int i = 0; i < r->nstacked; i++) r->stacked[i][r->trips] = ty_retain(stacked[i].tensor);
    r->trips++;
    return true;
}

/* Run the graph `body` once on inputs, in a scope of its own.  Its first `skip` results, none or one, are not kept:
   *first receives this one, which the caller frees by onnx_value_release. */
static bool repeats_step(struct repeats *r, const char *body, int ninputs, const struct onnx_value *inputs,
                         int skip, struct onnx_value *first) {
    int n = skip + r->ncarry + r->nstacked;
    if (!r->results) r->results = onnx_memory(r->call, n, sizeof *r->results);
    if (!r->results) return false;
    struct onnx_value *results = r->results;
    ty_scope *scope = ty_open();
    r->call->run->whole += r->many;
    bool good = onnx_body(r->call, body, ninputs, inputs, n, results);
    r->call->run->whole -= r->many;
    good = good && repeats_take(r, results + skip);
    if (good && skip) {
        *first = results[0];
        onnx_value_retain(first);
    }
    ty_close(scope);
    return good;
}

/* Return stacked result i along a new axis; reversed if asked for. */
static ty_tensor *repeats_stack(struct repeats *r, const char *body, int skip, int i, int64_t axis,
                                bool reverse) {
    if (r->trips > INT32_MAX) return ty_poison_code(E_LIMIT, "too many trips");
    if (r->trips == 0) return onnx_body_nothing(r->call, body, skip + r->ncarry + i, axis);
    int at = onnx_axis_of(r->call, axis, ty_rank(r->stacked[i][0]) + 1);
    ty_tensor *y = ty_stack((int)r->trips, r->stacked[i], at);
    return reverse ? ty_flip(y, at) : y;
}

/* End a loop: if it went well, the last carried values belong to the scope of the call.  False if it did not, or
   memory runs out. */
static bool repeats_end(struct repeats *r, bool good) {
    for (int i = 0; r->carry && i < r->ncarry; i++) {
        good = good && onnx_value_share(&r->carry[i], r->call->fault);
        onnx_value_release(&r->carry[i]);
    }
    for (int i = 0; r->stacked && i < r->nstacked; i++)
        for (int64_t k = 0; k < r->trips; k++) ty_release(r->stacked[i][k]);
    return good;
}

/* Set the first outputs to the carried values. */
static bool repeats_carried(struct repeats *r) {
    for (int i = 0; i < r->ncarry; i++)
        if (!onnx_output_value(r->call, i, r->carry[i])) return false;
    return true;
}

/* ---- Loop ---- */

/* Read the condition that a trip has returned. */
static bool loop_goes_on(struct onnx_call *call, struct onnx_value *condition, bool *goes_on) {
    int n = 0;
    const int64_t *items = NULL;
    if (condition->kind == ONNX_TENSOR) items = onnx_known_ints_of(call, condition->tensor, &n);
    *goes_on = items && n == 1 && items[0];
    onnx_value_release(condition);
    return (items && n == 1) ||
           onnx_refuse(call, E_SHAPE, "the condition of the graph is not one truth value");
}

static bool loop_run(struct onnx_call *call, struct repeats *r, int64_t most, bool goes_on) {
    struct onnx_value *inputs = onnx_memory(call, r->ncarry + 2, sizeof *inputs);
    bool good = inputs != NULL;
    r->many = most > MOST_CUT_TRIPS;
    for (int64_t trip = 0; good && trip < most && goes_on; trip++) {
        bool yes = true;
        struct onnx_value condition;
        if (!onnx_body_repeats(call, "body", trip + 1)) return false;
        ty_scope *scope = ty_open();
        inputs[0] = onnx_value_tensor(ty_from(TY_I64, TY_SCALAR, &trip));
        inputs[1] = onnx_value_tensor(ty_from(TY_BOOL, TY_SCALAR, &yes));
        memcpy(inputs + 2, r->carry, (size_t)r->ncarry * sizeof *inputs);
        good = repeats_step(r, "body", r->ncarry + 2, inputs, 1, &condition) &&
               loop_goes_on(call, &condition, &goes_on);
        ty_close(scope);
    }
    return good;
}

/* True if input i is a promise of a number of trips or a condition. */
static bool is_open(struct onnx_call *call, int i) {
    return onnx_has(call, i) && ty_is_promise(onnx_input(call, i)) && onnx_loop_whole(onnx_input(call, i));
}

/* Set the trips of a loop: a constant number, or one that a run computes. */
static bool loop_trips(struct onnx_call *call, struct onnx_loop *l) {
    l->length = is_open(call, 0) ? INT64_MAX : onnx_known_int(call, 0, INT64_MAX);
    bool goes_on = is_open(call, 1) || onnx_known_int(call, 1, 1);
    if (call->fault->set || !goes_on || l->length < 1) return false;
    if (is_open(call, 0))
        l->count = ty_max(ty_cast(ty_reshape(onnx_input(call, 0), TY_SCALAR), TY_I64), ty_int(0));
    if (is_open(call, 1)) {
        ty_tensor *first = ty_cast(ty_reshape(onnx_input(call, 1), TY_SCALAR), TY_I64);
        l->count = ty_mul(first, l->count ? l->count : ty_int(l->length));
    }
    return !l->count || (ty_ok(l->count) && !l->nstacked); /* the number of results must be known */
}

/* Record a Loop as one of the graph. False without a fault: execute its trips one by one. */
static bool loop_record(struct onnx_call *call, int ncarry, int nstacked, bool wanted) {
    struct onnx_loop l = {
        .call = call, .ncarry = ncarry, .nstacked = nstacked, .carry = call->inputs + 2, .conditional = true};
    l.last = onnx_memory(call, ncarry, sizeof *l.last);
    l.y = onnx_memory(call, nstacked, sizeof *l.y);
    if (!l.last || !l.y || call->run->mode == ONNX_EAGER || !loop_trips(call, &l)) return false;
    if ((!wanted && !onnx_loop_wanted(call, l.length)) || !onnx_loop_record(&l)) return false;
    for (int i = 0; i < ncarry; i++)
        if (!onnx_output(call, i, l.last[i])) return false;
    for (int i = 0; i < nstacked; i++)
        if (!onnx_output(call, ncarry + i, l.y[i])) return false;
    return true;
}

/* Execution of trips has failed, since elements of a promise decide if a trip is the last one: record a short loop,
   too. False: the failure stays. */
static bool loop_record_short(struct onnx_call *call, int ncarry, int nstacked) {
    struct fault fault = *call->fault;
    if (!call->run->needs_elements) return false;
    call->run->needs_elements = false;
    fault_clear(call->fault);
    if (loop_record(call, ncarry, nstacked, true)) return true;
    if (call->fault->set) return false;
    call->run->needs_elements = true;
    return fault_copy(call->fault, &fault);
}

bool onnx_op_loop(struct onnx_call *call) {
    int ncarry = call->ninputs > 2 ? call->ninputs - 2 : 0,
        nstacked = onnx_body_outputs(call, "body") - 1 - ncarry;
    if (call->fault->set) return false;
    if (nstacked < 0)
        return onnx_refuse(call, E_FORMAT, "the graph has too few outputs for %d values", ncarry);
    if (loop_record(call, ncarry, nstacked, false)) return true;
    int64_t most = onnx_known_int(call, 0, INT64_MAX), goes_on = onnx_known_int(call, 1, 1);
    if (call->fault->set) return false;
    struct repeats r;
    bool good = repeats_begin(&r, call, ncarry, call->inputs + 2, nstacked) &&
                loop_run(call, &r, most, goes_on != 0) && repeats_carried(&r);
    for (int i = 0; good && i < nstacked; i++)
        good = onnx_output(call, ncarry + i, repeats_stack(&r, "body", 1, i, 0, false));
    return repeats_end(&r, good) || loop_record_short(call, ncarry, nstacked);
}

/* ---- Scan ---- */

/* Attributes of a Scan: an axis and a direction for each sequence and each stacked result. */
struct scan {
    int nx;
    const int64_t *axes, *directions, *result_axes, *result_directions;
    int naxes, ndirections, nresult_axes, nresult_directions;
};

static int64_t item(const int64_t *items, int n, int i) { return i < n ? items[i] : 0; }

/* Return element `at` of a sequence, along an axis that is dropped. */
static ty_tensor *element(ty_tensor *x, int axis, int64_t at) {
    return ty_squeeze(ty_slice(x, axis, at, at + 1, 1), axis);
}

/* Run the graph for each element of nx sequences. */
static bool scan_run(struct onnx_call *call, struct repeats *r, const struct scan *s, ty_tensor *const *x,
                     int64_t length) {
    struct onnx_value *inputs = onnx_memory(call, r->ncarry + s->nx, sizeof *inputs);
    if (!inputs || !onnx_body_repeats(call, "body", length)) return false;
    bool good = true;
    r->many = length > MOST_CUT_TRIPS;
    for (int64_t at = 0; good && at < length; at++) {
        ty_scope *scope = ty_open();
        memcpy(inputs, r->carry, (size_t)r->ncarry * sizeof *inputs);
        for (int i = 0; i < s->nx; i++) {
            int64_t place = item(s->directions, s->ndirections, i) ? length - 1 - at : at;
            int axis = onnx_axis_of(call, item(s->axes, s->naxes, i), ty_rank(x[i]));
            inputs[r->ncarry + i] = onnx_value_tensor(element(x[i], axis, place));
        }
        good = !call->fault->set && repeats_step(r, "body", r->ncarry + s->nx, inputs, 0, NULL);
        ty_close(scope);
    }
    return good;
}

/* Get the sequences behind the carried inputs, and their common length. */
static bool scan_sequences(struct onnx_call *call, int first, const struct scan *s, ty_tensor **x,
                           int64_t *length) {
    for (int i = 0; i < s->nx; i++) {
        x[i] = onnx_input(call, first + i);
        int axis = onnx_axis_of(call, item(s->axes, s->naxes, i), ty_rank(x[i]));
        if (call->fault->set) return false;
        int64_t size = ty_shape(x[i])[axis];
        if (i && size != *length)
            return onnx_refuse(call, E_SHAPE, "sequences have %lld and %lld elements", (long long)*length,
                               (long long)size);
        *length = size;
    }
    return true;
}

/* Read a list of directions: 0 forwards, 1 backwards. */
static const int64_t *read_directions(struct onnx_call *call, const char *name, int *n) {
    const int64_t *items = onnx_ints(call, name, n);
    for (int i = 0; items && i < *n; i++)
        if (items[i] != 0 && items[i] != 1)
            onnx_refuse(call, E_ARGUMENT, "attribute %s has %lld; expected 0 or 1", name,
                        (long long)items[i]);
    return items;
}

/* Read the number of sequences, which are among the n last inputs. */
static bool scan_count(struct onnx_call *call, struct scan *s, int n) {
    int64_t nx = onnx_int(call, "num_scan_inputs", 0);
    if (nx < 1 || nx > n)
        return onnx_refuse(call, E_ARGUMENT, "num_scan_inputs is %lld, but there are %d inputs",
                           (long long)nx, n);
    s->nx = (int)nx;
    return true;
}

static bool scan_read(struct onnx_call *call, struct scan *s) {
    if (!scan_count(call, s, call->ninputs)) return false;
    s->axes = onnx_ints(call, "scan_input_axes", &s->naxes);
    s->directions = read_directions(call, "scan_input_directions", &s->ndirections);
    s->result_axes = onnx_ints(call, "scan_output_axes", &s->nresult_axes);
    s->result_directions = read_directions(call, "scan_output_directions", &s->nresult_directions);
    return !call->fault->set;
}

/* True if all sequences are read backwards. */
static bool all_backwards(const struct scan *s) {
    bool backwards = s->nx > 0;
    for (int i = 0; i < s->nx; i++) backwards = backwards && item(s->directions, s->ndirections, i);
    return backwards;
}

/* Return x with the axis of a sequence first, for a loop that may be reversed. */
static ty_tensor *trips_first(struct onnx_call *call, const struct scan *s, int i, ty_tensor *x,
                              bool reverse) {
    int64_t axis = onnx_axis_of(call, item(s->axes, s->naxes, i), ty_rank(x)), first = 0;
    if (axis) x = ty_moveaxis(x, 1, &axis, &first);
    return (item(s->directions, s->ndirections, i) != 0) != reverse ? ty_flip(x, 0) : x;
}

/* Return stacked result i of a loop, whose first axis has the trips, along the axis of the attribute. */
static ty_tensor *trips_along(struct onnx_call *call, const struct scan *s, int i, ty_tensor *y,
                              bool reverse) {
    int64_t axis = onnx_axis_of(call, item(s->result_axes, s->nresult_axes, i), ty_rank(y)), first = 0;
    if ((item(s->result_directions, s->nresult_directions, i) != 0) != reverse) y = ty_flip(y, 0);
    return axis ? ty_moveaxis(y, 1, &first, &axis) : y;
}

/* Record a Scan as a loop of the graph. False without a fault: execute its trips one by one. */
static bool scan_record(struct onnx_call *call, const struct scan *s, ty_tensor *const *x, int64_t length,
                        int ncarry, int nstacked) {
    struct onnx_loop l = {.call = call,
                          .ncarry = ncarry,
                          .nx = s->nx,
                          .nstacked = nstacked,
                          .carry = call->inputs,
                          .length = length,
                          .reverse = all_backwards(s)};
    ty_tensor **sequences = onnx_memory(call, s->nx, sizeof *sequences);
    l.last = onnx_memory(call, ncarry, sizeof *l.last);
    l.y = onnx_memory(call, nstacked, sizeof *l.y);
    if (!sequences || !l.last || !l.y || !onnx_loop_wanted(call, length)) return false;
    for (int i = 0; i < s->nx; i++) sequences[i] = trips_first(call, s, i, x[i], l.reverse);
    l.x = sequences;
    if (!onnx_loop_record(&l)) return false;
    for (int i = 0; i < ncarry; i++)
        if (!onnx_output(call, i, l.last[i])) return false;
    for (int i = 0; i < nstacked; i++)
        if (!onnx_output(call, ncarry + i, trips_along(call, s, i, l.y[i], l.reverse))) return false;
    return true;
}

bool onnx_op_scan(struct onnx_call *call) {
    struct scan s;
    if (!scan_read(call, &s)) return false;
    int ncarry = call->ninputs - s.nx, nstacked = onnx_body_outputs(call, "body") - ncarry;
    ty_tensor **x = onnx_memory(call, s.nx, sizeof *x);
    int64_t length = 0;
    if (!x || !scan_sequences(call, ncarry, &s, x, &length)) return false;
    if (nstacked < 0)
        return onnx_refuse(call, E_FORMAT, "the graph has too few outputs for %d values", ncarry);
    if (scan_record(call, &s, x, length, ncarry, nstacked)) return true;
    if (call->fault->set) return false;
    struct repeats r;
    bool good = repeats_begin(&r, call, ncarry, call->inputs, nstacked) &&
                scan_run(call, &r, &s, x, length) && repeats_carried(&r);
    for (int i = 0; good && i < nstacked; i++)
        good = onnx_output(call, ncarry + i,
                           repeats_stack(&r, "body", 0, i, item(s.result_axes, s.nresult_axes, i),
                                         item(s.result_directions, s.nresult_directions, i) != 0));
    return repeats_end(&r, good);
}

/* ---- Scan of opset 8: for each example of a batch, whose sequences may have different lengths ---- */

/* Return y with zeros behind its first axis, so that this has `longest` elements. */
static ty_tensor *lengthened(struct onnx_call *call, ty_tensor *y, int64_t longest) {
    ty_padding *padding = onnx_memory(call, ty_rank(y), sizeof *padding);
    if (!padding) return onnx_failed(call);
    if (!ty_ok(y) || ty_shape(y)[0] == longest) return y;
    padding[0].high = longest - ty_shape(y)[0];
    return ty_pad(y, padding, ty_zeros(ty_dtype_of(y), TY_SCALAR));
}

/* Run one example, and set its results: carries, then stacked results of the longest length. */
static bool scan_example(struct onnx_call *call, const struct scan *s, int64_t example, int64_t length,
                         int64_t longest, ty_tensor ***results) {
    int ncarry = call->ninputs - 1 - s->nx, nstacked = call->noutputs - ncarry;
    struct onnx_value *carry = onnx_memory(call, ncarry, sizeof *carry);
    ty_tensor **x = onnx_memory(call, s->nx, sizeof *x);
    if (!carry || !x) return false;
    for (int i = 0; i < ncarry; i++)
        carry[i] = onnx_value_tensor(element(onnx_input(call, 1 + i), 0, example));
    for (int i = 0; i < s->nx; i++) x[i] = element(onnx_input(call, 1 + ncarry + i), 0, example);
    struct repeats r;
    bool good = repeats_begin(&r, call, ncarry, carry, nstacked) && scan_run(call, &r, s, x, length);
    for (int i = 0; good && i < ncarry; i++) results[i][example] = r.carry[i].tensor;
    for (int i = 0; good && i < nstacked; i++)
        results[ncarry + i][example] = lengthened(call, repeats_stack(&r, "body", 0, i, 0, false), longest);
    return repeats_end(&r, good);
}

bool onnx_op_scan_batch(struct onnx_call *call) {
    struct scan s = {0};
    s.directions = read_directions(call, "directions", &s.ndirections);
    if (call->fault->set || !scan_count(call, &s, call->ninputs - 1)) return false;
    int n = call->noutputs, nlengths = 0, found = onnx_body_outputs(call, "body");
    int ncarry = call->ninputs - 1 - s.nx;
    if (found != n || ncarry > n)
        return onnx_refuse(call, E_FORMAT, "the graph has %d outputs for %d of the node and %d values", found,
                           n, ncarry);
    ty_tensor *first = onnx_input(call, 1 + ncarry);
    if (ty_rank(first) < 2) return onnx_refuse(call, E_SHAPE, "a sequence has less than two axes");
    int64_t batch = ty_shape(first)[0], longest = ty_shape(first)[1];
    const int64_t *lengths = onnx_has(call, 0) ? onnx_known_ints(call, 0, &nlengths) : NULL;
    if (lengths && nlengths != batch) return onnx_refuse(call, E_SHAPE, "there are %d lengths", nlengths);
    ty_tensor ***results = onnx_memory(call, n, sizeof *results);
    for (int i = 0; results && i < n; i++)
        if (!(results[i] = onnx_memory(call, batch, sizeof *results[i]))) return false;
    bool good = results && !call->fault->set && batch <= INT32_MAX;
    for (int64_t i = 0; good && i < batch; i++) {
        int64_t length = lengths ? lengths[i] : longest;
        if (length < 0 || length > longest)
            return onnx_refuse(call, E_SHAPE, "a length is outside of 0 to %lld", (long long)longest);
        good = scan_example(call, &s, i, length, longest, results);
    }
    for (int i = 0; good && i < n; i++) good = onnx_output(call, i, ty_stack((int)batch, results[i], 0));
    return good;
}

/* ---- SequenceMap ---- */

/* Return item `at` of input i: of a sequence its item, else the input itself. */
static struct onnx_value mapped(const struct onnx_call *call, int i, int64_t at) {
    const struct onnx_value *input = &call->inputs[i];
    return input->kind == ONNX_SEQUENCE ? input->list->items[at] : *input;
}

bool onnx_op_sequence_map(struct onnx_call *call) {
    const struct onnx_list *list = onnx_list(call, 0, ONNX_SEQUENCE);
    if (!list || !onnx_body_repeats(call, "body", list->n)) return false;
    for (int i = 1; i < call->ninputs; i++)
        if (call->inputs[i].kind == ONNX_SEQUENCE && call->inputs[i].list->n != list->n)
            return onnx_refuse(call, E_SHAPE, "sequences have different lengths");
    struct onnx_value *inputs = onnx_memory(call, call->ninputs, sizeof *inputs);
    struct onnx_value *results = onnx_memory(call, call->noutputs, sizeof *results);
    struct onnx_value **lists = onnx_memory(call, call->noutputs, sizeof *lists);
    bool good = inputs && results && lists;
    for (int i = 0; good && i < call->noutputs; i++)
        good = (lists[i] = onnx_memory(call, list->n, sizeof *lists[i])) != NULL;
    for (int64_t at = 0; good && at < list->n; at++) {
        for (int i = 0; i < call->ninputs; i++) inputs[i] = mapped(call, i, at);
        good = onnx_body(call, "body", call->ninputs, inputs, call->noutputs, results);
        for (int i = 0; good && i < call->noutputs; i++) lists[i][at] = results[i];
    }
    for (int i = 0; good && i < call->noutputs; i++)
        good = onnx_output_list(call, i, ONNX_SEQUENCE, list->n, lists[i]);
    return good;
}
