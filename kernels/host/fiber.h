// A fiber is a stack and the place where it was left. Threads of a kernel are fibers, so that a warp's lanes meet without
// the operating system.
#pragma once
#include "abi.h"

#ifndef __x86_64__
#include <ucontext.h>
#endif

namespace emulated {

constexpr size_t StackBytes = 64 << 10;

struct Stack {
  char* low;
  char* high;  // a little below the end, each another distance: else all would meet in one set of the cache
  Stack* next;
};

// Stack pools belong to one thread of the operating system each.
class Stacks {
 public:
  Stack* take();  // null: the system has none
  void put(Stack* s) { s->next = free_, free_ = s; }
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
// leave goes on at to, and returns when someone goes back to from.
void leave(Context& from, Context& to);

}  // namespace emulated
