/* The calling convention of generated machine code, on all systems: that of System V. */
#ifndef ENGINE_CPU_JIT_JIT_CALL_H
#define ENGINE_CPU_JIT_JIT_CALL_H
#if defined(__x86_64__)
#define JIT_CALL __attribute__((sysv_abi))
#else
#define JIT_CALL
#endif
#endif
