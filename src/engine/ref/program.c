/* Elementwise programs, one element at a time; every instruction rounds to its dtype. */
#include "engine/ref/ref.h"

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

void ref_program_run(const struct program *program, struct element *registers) {
    for (int i = 0; i < program->ninstrs; i++)
        registers[program->ninputs + i] = ref_instr_run(&program->instrs[i], registers);
}
