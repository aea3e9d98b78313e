#include <stdint.h>

// Notes the Go runtime's handlers of SIGSEGV and SIGBUS. Called once, before gonextdoor_trap_arm.
void gonextdoor_trap_begin(void);

// Installs our handlers of both, unless they are installed already. One thread at a time.
void gonextdoor_trap_arm(void);

// Calls a function with a block. Returns 0, or the signal of the fault that ended it.
int gonextdoor_call(uint64_t function, uintptr_t block);
