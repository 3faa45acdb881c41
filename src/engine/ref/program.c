/* Elementwise programs, one element at a time; every instruction rounds to its dtype. */
#include "engine/ref/ref.h"
#include "ops/core/row_op.h"

bool ref_program_check(const struct program *program, struct fault *fault) {
    if (!program) return true;
    if (program->ninputs + program->ninstrs > REF_REGISTERS)
        return fault_set(fault, E_LIMIT,
                         "ref: a program of %d inputs and %d instructions does not fit %d registers",
                         program->ninputs, program->ninstrs, REF_REGISTERS);
    for (int i = 0; i < program->ninstrs; i++)
        if (!ref_instr_known(&program->instrs[i]))
            return fault_set(fault, E_UNSUPPORTED, "ref: %s has no meaning for %s",
                             program->instrs[i].op->name, ty_dtype_name(program->instrs[i].in));
    return true;
}

struct element ref_viewed(ty_dtype to, ty_dtype from, struct element e) {
    _Alignas(16) char room[16] = {0};
    if (to == from || dtype_table[to].size != dtype_table[from].size) return e;
    element_store(from, room, from, e);
    return ref_load(to, room);
}

void ref_program_run(const struct program *program, struct element *registers, ty_dtype *dtypes) {
    for (int i = 0; i < program->ninstrs; i++) {
        struct instr instr = program->instrs[i];
        struct element operands[3] = {{0}};
        for (int k = 0; k < instr.op->arity; k++) {
            ty_dtype in = k == 0 && instr.op == ROW_OP(where) ? TY_BOOL : instr.in;
            operands[k] = ref_viewed(in, dtypes[instr.src[k]], registers[instr.src[k]]);
            instr.src[k] = (uint16_t)k;
        }
        registers[program->ninputs + i] = ref_instr_run(&instr, operands);
        dtypes[program->ninputs + i] = instr.out;
    }
}
