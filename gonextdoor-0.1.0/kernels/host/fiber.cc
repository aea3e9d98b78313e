// Fibers: by assembly on x86-64, else by ucontext.
#include "fiber.h"

#include <sys/mman.h>
#include <unistd.h>

namespace emulated {

Stack* Stacks::take() {
  if (Stack* s = free_) {
    free_ = s->next;
    return s;
  }
  size_t page = sysconf(_SC_PAGESIZE);  // the lowest page is a guard page: an overflow is a fault
  void* low =
      mmap(nullptr, StackBytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (low == MAP_FAILED || mprotect(low, page, PROT_NONE))
    return nullptr;  // the system bounds how many mappings there are
  char* first = (char*)low + page;
  return new Stack{first, first + StackBytes - made_++ % 48 * 320, nullptr};
}

Stacks::~Stacks() {
  size_t page = sysconf(_SC_PAGESIZE);
  while (Stack* s = free_) {
    free_ = s->next;
    munmap(s->low - page, StackBytes + page);
    delete s;
  }
}

#ifdef __x86_64__

// The registers that the System V calling convention preserves are saved on the stack of the fiber that is left.
asm(R"(
.text
.type emulated_switch,@function
emulated_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq (%rsi), %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size emulated_switch,.-emulated_switch
)");
extern "C" void emulated_switch(void** from, void** to) __asm__("emulated_switch");

void enter(Context& c, Stack* s, void (*f)()) {
  void** top = (void**)s->high - 1;  // f begins as after a call: 8 below a multiple of 16
  *top = nullptr;
  *--top = (void*)f;
  c.at = top - 6;
}

void leave(Context& from, Context& to) { emulated_switch(&from.at, &to.at); }

#else

void enter(Context& c, Stack* s, void (*f)()) {
  getcontext(&c.at);
  c.at.uc_stack.ss_sp = s->low;
  c.at.uc_stack.ss_size = s->high - s->low;
  c.at.uc_link = nullptr;
  makecontext(&c.at, f, 0);
}

void leave(Context& from, Context& to) { swapcontext(&from.at, &to.at); }

#endif

}  // namespace emulated
