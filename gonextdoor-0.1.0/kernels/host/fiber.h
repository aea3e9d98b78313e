// Fibers: a stack and a saved context. The threads of a kernel are fibers, so lanes switch without the operating
// system.
#pragma once
#include "abi.h"

#ifndef __x86_64__
#include <ucontext.h>
#endif

namespace emulated {

constexpr size_t StackBytes = 64 << 10;

// Stack is a mapped stack. Its top is below the end of the mapping by a distance that differs among stacks: otherwise
// the hot parts of all stacks would be in the same sets of the cache.
struct Stack {
  char* low;
  char* high;
  Stack* next;
};

// Stacks is a pool of stacks. It belongs to one CPU thread.
class Stacks {
 public:
  Stack* take();  // null if the system refuses a mapping
  void put(Stack* s) {
    s->next = free_;
    free_ = s;
  }
  ~Stacks();

 private:
  Stack* free_ = nullptr;
  u32 made_ = 0;
};

#ifdef __x86_64__
struct Context {
  void* at = nullptr;
};
#else
struct Context {
  ucontext_t at;
};
#endif

// enter prepares a context that calls f on the stack. f never returns.
void enter(Context& c, Stack* s, void (*f)());
// leave saves the context in `from` and switches to `to`. It returns when another fiber switches back to `from`.
void leave(Context& from, Context& to);

}  // namespace emulated
