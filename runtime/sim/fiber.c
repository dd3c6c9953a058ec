#include "runtime/sim/fiber.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Saves what the calling convention lets a callee change, swaps stacks, restores. The first switch
 * into a fiber "returns" into tri_fiber_enter with run and argument in callee-saved registers. */
void tri_fiber_swap(void **save_stack_pointer, void *stack_pointer);
void tri_fiber_enter(void);

#if defined(__x86_64__)
__asm__(".text\n"
        ".globl tri_fiber_swap\n"
        ".type tri_fiber_swap, @function\n"
        "tri_fiber_swap:\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  subq $8, %rsp\n  stmxcsr (%rsp)\n  fnstcw 4(%rsp)\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rsp\n"
        "  ldmxcsr (%rsp)\n  fldcw 4(%rsp)\n  addq $8, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
        "  ret\n"
        ".size tri_fiber_swap, .-tri_fiber_swap\n"
        ".globl tri_fiber_enter\n"
        ".type tri_fiber_enter, @function\n"
        "tri_fiber_enter:\n"
        "  movq %r12, %rdi\n"
        "  callq *%rbx\n"
        "  ud2\n"
        ".size tri_fiber_enter, .-tri_fiber_enter\n"
        ".section .note.GNU-stack,\"\",@progbits\n.text\n");

static void *first_frame(char *top, void (*run)(void *), void *argument)
{
    uint64_t *sp = (uint64_t *)top;
    *--sp = 0; /* keeps the stack 16-byte aligned at the call in tri_fiber_enter */
    *--sp = 0;
    *--sp = (uint64_t)(uintptr_t)tri_fiber_enter; /* return address */
    *--sp = 0;                                    /* rbp */
    *--sp = (uint64_t)(uintptr_t)run;             /* rbx */
    *--sp = (uint64_t)(uintptr_t)argument;        /* r12 */
    *--sp = 0;                                    /* r13 */
    *--sp = 0;                                    /* r14 */
    *--sp = 0;                                    /* r15 */
    *--sp = (uint64_t)0x037f << 32 | 0x1f80;      /* x87 control word, mxcsr: their defaults */
    return sp;
}
#elif defined(__aarch64__)
__asm__(".text\n"
        ".globl tri_fiber_swap\n"
        ".type tri_fiber_swap, %function\n"
        "tri_fiber_swap:\n"
        "  sub sp, sp, #160\n"
        "  stp x19, x20, [sp]\n  stp x21, x22, [sp, #16]\n  stp x23, x24, [sp, #32]\n"
        "  stp x25, x26, [sp, #48]\n  stp x27, x28, [sp, #64]\n  stp x29, x30, [sp, #80]\n"
        "  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n  stp d12, d13, [sp, #128]\n  stp d14, d15, [sp, #144]\n"
        "  mov x9, sp\n  str x9, [x0]\n  mov sp, x1\n"
        "  ldp x19, x20, [sp]\n  ldp x21, x22, [sp, #16]\n  ldp x23, x24, [sp, #32]\n"
        "  ldp x25, x26, [sp, #48]\n  ldp x27, x28, [sp, #64]\n  ldp x29, x30, [sp, #80]\n"
        "  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n  ldp d12, d13, [sp, #128]\n  ldp d14, d15, [sp, #144]\n"
        "  add sp, sp, #160\n"
        "  ret\n"
        ".globl tri_fiber_enter\n"
        ".type tri_fiber_enter, %function\n"
        "tri_fiber_enter:\n"
        "  mov x0, x20\n"
        "  blr x19\n"
        "  brk #1\n");

static void *first_frame(char *top, void (*run)(void *), void *argument)
{
    uint64_t *sp = (uint64_t *)(top - 160);
    for (int i = 0; i < 20; i++)
        sp[i] = 0;
    sp[0] = (uint64_t)(uintptr_t)run;              /* x19 */
    sp[1] = (uint64_t)(uintptr_t)argument;         /* x20 */
    sp[11] = (uint64_t)(uintptr_t)tri_fiber_enter; /* x30 */
    return sp;
}
#else
#error "the simulator has no fiber switch for this processor"
#endif

_Bool tri_fiber_init(tri_fiber *fiber, size_t stack_size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    fiber->stack_size = (stack_size + 2 * page - 1) / page * page;
    fiber->stack =
        mmap(NULL, fiber->stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (fiber->stack == MAP_FAILED) {
        fiber->stack = NULL;
        return 0;
    }
    return mprotect(fiber->stack, page, PROT_NONE) == 0;
}

void tri_fiber_fini(tri_fiber *fiber)
{
    if (fiber->stack)
        munmap(fiber->stack, fiber->stack_size);
    *fiber = (tri_fiber){0};
}

void tri_fiber_start(tri_fiber *fiber, void (*run)(void *argument), void *argument)
{
    fiber->stack_pointer = first_frame((char *)fiber->stack + fiber->stack_size, run, argument);
}

void tri_fiber_switch(tri_fiber *from, tri_fiber *to)
{
    tri_fiber_swap(&from->stack_pointer, to->stack_pointer);
}
