//go:build cgo && linux

#define _GNU_SOURCE
#include "trap.h"

#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <ucontext.h>

// Where a fault of this thread jumps to; NULL outside of a call. A signal handler must not be the first to touch a
// thread's variable if that may allocate, hence the static model, which the Go runtime uses too.
static __thread sigjmp_buf *volatile landing __attribute__((tls_model("initial-exec")));

static const int signals[2] = {SIGSEGV, SIGBUS};
static struct sigaction golang[2]; // the Go runtime's
static struct sigaction next[2];   // whose handler was installed before ours
static uintptr_t text, text_end;   // of this library, Go's code included

static int find_text(struct dl_phdr_info *info, size_t size, void *here) {
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + part->p_vaddr, to = from + part->p_memsz;
        if (part->p_type == PT_LOAD && (part->p_flags & PF_X) && from <= (uintptr_t)here && (uintptr_t)here < to) {
            text = from;
            text_end = to;
            return 1;
        }
    }
    return 0;
}

static int is_ours(uintptr_t address) { return text <= address && address < text_end; }

static uintptr_t place_of(void *context) {
    const ucontext_t *at = context;
#if defined(__x86_64__)
    return (uintptr_t)at->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)at->uc_mcontext.pc;
#else
    (void)at;
    return text;
#endif
}

static void pass_on(const struct sigaction *to, int number, siginfo_t *info, void *context) {
    if (to->sa_flags & SA_SIGINFO) {
        to->sa_sigaction(number, info, context);
    } else if (to->sa_handler == SIG_DFL || to->sa_handler == SIG_IGN) {
        sigaction(number, to, NULL); // the instruction runs again, and faults again
    } else {
        to->sa_handler(number);
    }
}

static void trapped(int number, siginfo_t *info, void *context) {
    sigjmp_buf *to = landing;
    int sent = info->si_code <= 0; // by kill or raise, as faulthandler does for the handler before it: no fault
    if (to != NULL && !sent) {
        landing = NULL;
        pthread_sigmask(SIG_SETMASK, &((ucontext_t *)context)->uc_sigmask, NULL);
        siglongjmp(*to, number);
    }
    int which = number == SIGBUS;
    pass_on(sent || is_ours(place_of(context)) ? &golang[which] : &next[which], number, info, context);
}

void gonextdoor_trap_begin(void) {
    dl_iterate_phdr(find_text, (void *)(uintptr_t)trapped);
    for (int i = 0; i < 2; i++) {
        sigaction(signals[i], NULL, &golang[i]);
    }
}

void gonextdoor_trap_arm(void) {
    for (int i = 0; i < 2; i++) {
        struct sigaction now;
        if (sigaction(signals[i], NULL, &now) != 0 || ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == trapped)) {
            continue;
        }
        struct sigaction ours = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
        sigfillset(&ours.sa_mask); // as Go's, whose handler runs within ours
        next[i] = now;
        sigaction(signals[i], &ours, NULL);
    }
}

int gonextdoor_call(uint64_t function, uintptr_t block) {
    sigjmp_buf here;
    int number = sigsetjmp(here, 0);
    if (number == 0) {
        landing = &here;
        ((void (*)(const void *))(uintptr_t)function)((const void *)block);
        landing = NULL;
    }
    return number;
}
