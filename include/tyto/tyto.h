/*
 * Tyto: n-dimensional arrays, a lazy computation graph, gradients, a compiler for both.
 *
 * A tensor is a value or a promise.  An operator on values computes at once; an operator that meets
 * a promise returns a promise.  Every function accepts every handle: a failed operator yields a
 * *poisoned* tensor that carries a sentence and flows through the rest like NaN.  Nothing here
 * returns NULL (unless said), aborts, prints or longjmps.  Where NULL is given it counts as a poisoned
 * tensor (or a program, model, archive that has failed), and NULL in the place of an array, a text or a
 * function that is needed is an error like any other; functions say where it means something else.
 *
 * Ownership: tensors are reference counted.  The innermost open scope of the calling thread owns
 * one reference to each tensor made in it; with no scope open the caller owns it and ends it with
 * ty_release.
 *
 * Threads: distinct tensors may be used from distinct threads freely, and one may be read by many, names aside.  A
 * variable may be assigned, and updated by programs, while other threads evaluate, run and take gradients: each of
 * them sees the value before or the one after, of all variables at one moment (ty_assign_all).  An eager variable
 * (ty_track) is read with a scope open then, which keeps the value.  Several threads run one program by
 * ty_run_outputs.  A scope is its thread's, and closes when that ends; so are the engine, print options and
 * ty_remember.  ty_set_threads and ty_set_workspace hold for the process.
 *
 * Forks: the child may go on using everything.  A fork waits until runs that other threads have begun are over; what
 * those threads own is lost to the child.
 *
 * Functions of the caller's that the library calls (`done` of ty_borrow, deleters, bodies of ty_fuse, layers,
 * rules, losses, sources, sinks, ...) may call the library, too.  A scope that they leave open ends with them, and
 * one that was open before cannot be closed in them.  They return: no call into the library, theirs or any other,
 * may be left by longjmp, siglongjmp, a C++ exception or the end of the thread.  Out of a run that would leave the
 * program locked for ever, other threads at work on memory that is taken away under them, and forks waiting.  What
 * a signal's handler may do is set a flag (volatile sig_atomic_t), which is looked at between two calls: by the
 * loop around ty_run, or by `each` of ty_trainer_run.  It may jump where the signal came between two calls; threads
 * of the library's own take no signals.
 *
 * A call needs at most 128 KiB of its thread's stack, whatever the sizes of operands are; so threads with small
 * stacks (pthread_attr_setstacksize) have that and what they need themselves.
 *
 * Whatever floating-point modes the calling thread has (rounding, traps, flushing of subnormal numbers),
 * everything is computed with round to nearest, no traps and subnormal numbers, on all threads.  The caller's
 * modes are back on return, and so are its exception flags: nothing computed here raises any.  A function of
 * the caller's that is called back may find either modes.
 */
#ifndef TYTO_TYTO_H
#define TYTO_TYTO_H

#include <tyto/core.h>
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
#include <tyto/control.h>
#include <tyto/signal.h>
#include <tyto/special.h>
#include <tyto/distributions.h>
#include <tyto/neighbours.h>
#include <tyto/statistics.h>
#include <tyto/sampling.h>
#include <tyto/batch.h>
#include <tyto/derivative.h>
#include <tyto/sparse_derivative.h>
#include <tyto/sparse.h>
#include <tyto/numeric.h>
#include <tyto/solve.h>
#include <tyto/profile.h>
#ifdef TY_PLACES
#include <tyto/places.h>
#endif
#endif
