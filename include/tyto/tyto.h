/*
 * Tyto: n-dimensional arrays, a lazy computation graph, gradients, and a compiler for both.
 *
 * A tensor is a value or a promise.  An operator on values computes at once; an operator with a promise among its
 * operands returns a promise.
 *
 * Errors: a failed operator returns a *poisoned* tensor, which propagates like NaN.  It carries a message (ty_error), a
 * code for programs (ty_error_code; <tyto/tables/errors.def>) and details as JSON for tools (ty_error_details).  Every
 * function accepts every handle.  Functions return no NULL unless stated, and never abort, print or longjmp.  NULL as
 * an argument counts as a poisoned tensor (or a failed program, model, archive).  NULL for a required array, text or
 * function is an error like any other; functions state where it means something else.
 *
 * What a function returns tells how it fails, unless stated otherwise:
 *   a tensor              poison;
 *   results by pointers   false, and all of them are poisoned;
 *   a handle              one whose ty_..._error gives the message, and whose ty_..._failure gives the error as a
 *                         poisoned tensor (ty_program_failure, ty_archive_failure, ...);
 *   bool, for an action   false, and a poisoned tensor in *error, the last parameter (NULL: not wanted);
 *   an action of a handle (ty_run, ty_trainer_step, ...) false or NaN; ty_..._failure of the handle gives the error;
 *   a floating number     NaN, and a poisoned tensor in *error, if there is one;
 *   a count               0;
 *   a text                "" if it has none; NULL for an index out of range, or if a new text finds no memory;
 *   a look-up by name     the count of the enum (TY_METRICS, ...), or NULL, if the name is unknown.
 *
 * Four kinds of functions give no poisoned tensor: ty_item, ty_read, ty_data and ty_print of a promise that cannot be
 * evaluated (ty_eval gives the error); ty_contraction_run with NULL; ty_check_gradient, which writes a message; and
 * functions that fail only if memory runs out.
 *
 * Options: a field of 0 or NULL means its default; if that is another number, the comment says "0 means 1000".
 *
 * Structs grow: later versions append members to structs of options and of reports.  ty_x takes such a struct by value
 * and is defined in the header.  It calls ty_x_sized, which takes the struct's address and its size.  Members that a
 * program compiled earlier lacks are defaults.  A program compiled later may run with an older library, too; a member
 * that this library does not know must be 0, else the function fails as it always does.  Other languages call
 * ty_x_sized; NULL as options means the defaults, and the size is then not read.  Members named `unused` must be 0.
 *
 * Within a major version, structs of tensors that functions return do not grow (ty_..._parts, ty_test, ty_solution,
 * ty_samples, ty_neighbours, ty_radius_neighbours, ty_prediction).  Nor do ty_axes, ty_running, ty_index, ty_padding,
 * ty_sparse, ty_sparse_lu, ty_linear, ty_piecewise, ty_source, ty_sink, ty_field, ty_draws, ty_data_place and
 * ty_update.  Nor do ty_einsum_operand, ty_contraction_operand, ty_init, ty_option, ty_layer_value, ty_renaming and
 * ty_progress.
 *
 * Ownership: tensors are reference counted.  The innermost open scope of the calling thread owns one reference to each
 * tensor made in it.  With no scope open the caller owns it and frees it with ty_release.
 *
 * Threads: distinct tensors may be used from distinct threads freely.  Several threads may read one tensor, except for
 * its name.  A variable may be assigned, and updated by programs, while other threads evaluate, run and take
 * gradients.  Each of them sees the value before or after, of all variables at one moment (ty_assign_all).  Reading an
 * eager variable (ty_track) meanwhile needs an open scope, which keeps the value.  Several threads run one program by
 * ty_run_outputs.  A scope belongs to its thread and closes with it.  The engine, print options and ty_set_history are
 * also those of a thread.  ty_set_threads and ty_set_workspace hold for the thread's context (ty_context_use), at
 * first the default one of the process.
 *
 * Forks: the child may go on using everything.  A fork waits for runs in progress on other threads; the child loses
 * objects that those threads own.
 *
 * Callbacks (`done` of ty_borrow, deleters, bodies of ty_fuse, layers, rules, losses, sources, reports, ...) may call
 * the library, too.  A scope that they leave open is closed for them; one that was open before cannot be closed in
 * them.  They must return: no call into the library may be left by longjmp, siglongjmp, a C++ exception or the end of
 * the thread.  Leaving a run that way would keep its program locked for ever, free memory that other threads use, and
 * block forks.
 *
 * Signals: a handler may call ty_interrupt and ty_interrupted, or set a flag that is read between two calls.  It may
 * jump if the signal came between two calls; the library's own threads take no signals.
 *
 * Stack: a call needs at most 128 KiB of its thread's stack, whatever the sizes of operands are.  Threads with small
 * stacks (pthread_attr_setstacksize) need that and their own share.
 *
 * Floating-point modes: everything is computed with round to nearest, no traps and subnormal numbers, on all threads,
 * whatever modes the caller has set.  The caller's modes and exception flags are restored on return.  A callback may
 * find either modes.
 */
#ifndef TYTO_TYTO_H
#define TYTO_TYTO_H

#include <tyto/core.h>
#include <tyto/context.h>
#include <tyto/own.h>
#include <tyto/create.h>
#include <tyto/shape.h>
#include <tyto/index.h>
#include <tyto/arithmetic.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/sort.h>
#include <tyto/contract.h>
#include <tyto/linalg.h>
#include <tyto/pool.h>
#include <tyto/fft.h>
#include <tyto/image.h>
#include <tyto/graph.h>
#include <tyto/call.h>
#include <tyto/walk.h>
#include <tyto/memory.h>
#include <tyto/control.h>
#include <tyto/signal.h>
#include <tyto/special.h>
#include <tyto/distributions.h>
#include <tyto/neighbours.h>
#include <tyto/regression.h>
#include <tyto/statistics.h>
#include <tyto/sampling.h>
#include <tyto/batch.h>
#include <tyto/derivative.h>
#include <tyto/sparse_derivative.h>
#include <tyto/sparse.h>
#include <tyto/numeric.h>
#include <tyto/solve.h>
#include <tyto/profile.h>
#include <tyto/hooks.h>
#include <tyto/cache.h>
#ifdef TY_PLACES
#include <tyto/places.h>
#endif
#endif
