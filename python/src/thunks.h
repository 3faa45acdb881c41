/* Functions that the library calls, one for each type of callback; python/generate/callbacks.py chooses among them. */
#ifndef TYTO_PYTHON_THUNKS_H
#define TYTO_PYTHON_THUNKS_H
#include "descriptor.h"
#include <tyto/tyto.h>
#include <tyto/nn.h>

extern const struct handle handle_ty_model, handle_ty_layer;

void callback_release(void *context);
ty_tensor *thunk_body(void *context, ty_tensor *const *x);
void thunk_branch(void *context, ty_tensor *const *x, ty_tensor **results);
void thunk_second_branch(void *context, ty_tensor *const *x, ty_tensor **results);
ty_tensor *thunk_single(void *context, ty_tensor *x);
void thunk_step(void *context, ty_step *step);
bool thunk_visit(void *context, int64_t node, ty_tensor *x);
ty_tensor *thunk_pass(void *context, ty_tensor *x, ty_tensor *y);
ty_tensor *thunk_act(void *context, ty_tensor *y);
bool callback_report(void *context, int slot, const struct record *r, const void *now);
ty_tensor *thunk_objective(ty_model *model, ty_tensor *key, int n, ty_tensor *const *batch, void *context);
void thunk_forward(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y);
void thunk_rule_vjp(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *g,
                    ty_tensor **gradients);
ty_tensor *thunk_rule_jvp(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *const *t);
void thunk_lists_vjp(void *context, int n, ty_tensor *const *x, int m, ty_tensor *const *y,
                     ty_tensor *const *g, ty_tensor **gradients);
void thunk_lists_jvp(void *context, int n, ty_tensor *const *x, int m, ty_tensor *const *y,
                     ty_tensor *const *t, ty_tensor **tangents);
void thunk_called(void *context, ty_called *called);
bool thunk_example(void *context, int64_t index, ty_tensor **out);
bool thunk_batch(void *context, int64_t step, ty_tensor **out);
bool thunk_write(void *context, const void *bytes, size_t n);
int64_t thunk_read(void *context, void *out, size_t n);
int64_t thunk_read_at(void *context, uint64_t at, void *out, size_t n);

#endif
