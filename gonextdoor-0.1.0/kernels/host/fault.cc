// Signal handlers that end faulty kernels with an error, and the thread that ends slow ones.
#include "fault.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#include "block.h"
#include "settings.h"

namespace emulated {

__thread Rescue* rescue;

static char message[512];

void say(const char* format, ...) {
  char line[sizeof message];
  va_list list;
  va_start(list, format);
  int n = vsnprintf(line, sizeof line, format, list);
  va_end(list);
  if (n < 0) return;
  snprintf(message, sizeof message, "%s", line);
  dprintf(2, "emulated driver: %s\n", message);
}

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
static struct sigaction before[64];

static void on_signal(int number, siginfo_t* info, void* context) {
  if (Rescue* r = rescue) {
    const char* what = r->late            ? "took too long"
                       : number == SIGFPE ? "divided by zero"
                       : number == SIGILL ? "came to a trap"
                                          : "touched memory that is not there";
    Lane* l = processor ? processor->running : nullptr;
    if (l) say("%s, block %u, thread %u: %s (address %p)", r->doing, l->block->index, l->index, what, info->si_addr);
    else say("%s: %s (address %p)", r->doing, what, info->si_addr);
    siglongjmp(r->at, r->late ? LaunchTimeout : number == SIGFPE || number == SIGILL ? LaunchFailed : IllegalAddress);
  }
  const struct sigaction& old = before[number];
  if (old.sa_flags & SA_SIGINFO) return old.sa_sigaction(number, info, context);
  if (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN) return old.sa_handler(number);
  sigaction(number, &old, nullptr);  // the instruction faults again, and ends the process
}

void install_handlers() {
  for (int number : signals) {
    struct sigaction a{};
    a.sa_sigaction = on_signal;
    a.sa_flags = SA_SIGINFO | SA_ONSTACK;  // the fault may be an overflow of the fiber's stack
    sigemptyset(&a.sa_mask);
    sigaction(number, &a, &before[number]);
  }
}

constexpr size_t SignalStackBytes = 64 << 10;

SignalStack::SignalStack() {
  stack_t s{};
  s.ss_size = SignalStackBytes;
  s.ss_sp = memory_ = mmap(nullptr, s.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  sigaltstack(&s, nullptr);
  sigset_t all;
  sigfillset(&all);
  for (int number : signals) sigdelset(&all, number);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

SignalStack::~SignalStack() {
  stack_t s{};
  s.ss_flags = SS_DISABLE;
  sigaltstack(&s, nullptr);
  munmap(memory_, SignalStackBytes);
}

// ---- the time limit

// GuardedCall is a running launch or copy.
struct GuardedCall {
  Rescue* rescue;
  pthread_t thread;
  time_t since;
};

static std::mutex guarded_gate;
static std::vector<GuardedCall>& guarded = *new std::vector<GuardedCall>;

static time_t now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec;
}

// enforce_limit is the thread that sends a signal to calls beyond the time limit.
static void enforce_limit() {
  SignalStack stack;
  for (;;) {
    usleep(200000);
    std::lock_guard<std::mutex> lock(guarded_gate);
    for (GuardedCall& w : guarded)
      if (now() - w.since > (time_t)settings().seconds && !w.rescue->late) {
        w.rescue->late = true;
        pthread_kill(w.thread, SIGFPE);  // not SIGSEGV: a handler that was installed later may claim one that was sent
      }
  }
}

void watch(Rescue* r) {
  static std::once_flag once;
  std::call_once(once, [] { std::thread(enforce_limit).detach(); });
  std::lock_guard<std::mutex> lock(guarded_gate);
  guarded.push_back({r, pthread_self(), now()});
}

void unwatch(Rescue* r) {
  std::lock_guard<std::mutex> lock(guarded_gate);
  for (size_t i = 0; i < guarded.size(); i++)
    if (guarded[i].rescue == r) {
      guarded[i] = guarded.back();
      guarded.pop_back();
      return;
    }
}

}  // namespace emulated

// emulated_message returns the last message on stderr: the fault of a kernel, and the thread that caused it.
DRIVER_API const char* emulated_message() { return emulated::message; }
