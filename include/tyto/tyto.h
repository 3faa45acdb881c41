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
 * ty_release.  Distinct tensors may be used from distinct threads freely.
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
#include <tyto/pool.h>
#include <tyto/image.h>
#include <tyto/graph.h>
#include <tyto/control.h>
#endif
