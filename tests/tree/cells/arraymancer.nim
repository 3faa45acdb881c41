## Show the values of cells of Arraymancer, and declare the names of docs/from_arraymancer.md. The lines are those of
## show.h.
import std/[strformat, strutils]
import arraymancer
export arraymancer

proc line(place, shape: string, values: seq[float]) =
  var text = ""
  for value in values:
    text.add &" {value:.17g}"
  echo &"row {place} - {shape}|{text}"

proc show*(place: string, value: SomeNumber) = line(place, "", @[float(value)])

proc show*[T: SomeNumber | bool](place: string, value: seq[T]) =
  var values: seq[float]
  for x in value:
    values.add float(x)
  line(place, $values.len, values)

proc show*[T: SomeNumber | bool](place: string, value: Tensor[T]) =
  var shape: seq[string]
  for size in value.shape:
    shape.add $size
  var values: seq[float]
  for x in value:
    values.add float(x)
  line(place, join(shape, ","), values)

## Show nothing for optimisers and variables.
proc show*(place: string, value: not (SomeNumber | seq | Tensor)) = discard

let ctx* = newContext(Tensor[float])
let ctx32* = newContext(Tensor[float32]) # layers draw their parameters in f32

network Classifier:
  layers:
    scores: Linear(3, 2)
  forward x:
    x.scores
var model* = ctx32.init(Classifier)

## Make a layer as a network does.
template layer*(name, call: untyped) =
  network name:
    layers:
      made: call
    forward x:
      x.made
  discard ctx32.init(name)
