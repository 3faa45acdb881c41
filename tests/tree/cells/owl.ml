(* Show the values of cells of Owl, and declare the names of docs/from_owl.md.  The lines are those of show.h. *)
open Owl
module Arr = Dense.Ndarray.D
module G = Owl_computation_cpu_engine.Make (Owl_algodiff_primal_ops.D)

let line place shape values =
  let text numbers = String.concat "," (List.map string_of_int numbers) in
  Printf.printf "row %s - %s|%s\n" place (text shape)
    (String.concat "" (List.map (Printf.sprintf " %.17g") values))

let elements (type a b) (x : (a, b, Bigarray.c_layout) Bigarray.Genarray.t) =
  let convert : a -> float =
    match Bigarray.Genarray.kind x with
    | Bigarray.Float64 -> Fun.id
    | Bigarray.Float32 -> Fun.id
    | Bigarray.Int64 -> Int64.to_float
    | Bigarray.Int32 -> Int32.to_float
    | _ -> failwith "elements are neither f64, f32, i64 nor i32"
  in
  let n = Array.fold_left ( * ) 1 (Bigarray.Genarray.dims x) in
  let flat = Bigarray.reshape_1 x n in
  List.init n (fun i -> convert (Bigarray.Array1.get flat i))

(* Show a value of any type, which is known at run time: a type has no printer of its own.  A custom block of more than
   three words is an array; integers of 64 bits have two.  Show nothing for nodes, graphs and functions. *)
let show place value =
  let tag = if Obj.is_int value then Obj.int_tag else Obj.tag value in
  if tag = Obj.int_tag then line place [] [ float_of_int (Obj.obj value) ]
  else if tag = Obj.double_tag then line place [] [ Obj.obj value ]
  else if tag = Obj.custom_tag && Obj.size value > 3 then begin
    let x : (float, Bigarray.float64_elt, Bigarray.c_layout) Bigarray.Genarray.t = Obj.obj value in
    line place (Array.to_list (Bigarray.Genarray.dims x)) (elements x)
  end
  else if tag = 0 && List.for_all (fun i -> Obj.is_int (Obj.field value i)) (List.init (Obj.size value) Fun.id)
  then line place [ Obj.size value ] (List.map float_of_int (Array.to_list (Obj.obj value)))

let cell place compute =
  try show place (compute ()) with error -> Printf.eprintf "%s: %s\n" place (Printexc.to_string error)

let from name = Arr.load_npy (name ^ ".npy")
let p = G.var_arr ~shape:[| 3 |] "p"
let y = G.exp (G.const_arr "v" (from "v"))
let input = [| G.arr_to_node p |]
let output = [| G.arr_to_node y |]
let g = G.make_graph ~input ~output "g"

module D = Algodiff.D
module N = Neural.D.Graph
let i = N.input [| 8; 8; 1 |]
let n = N.input [| 3 |]
let s = N.input [| 5; 3 |]
let c = N.input [| 5 |]
