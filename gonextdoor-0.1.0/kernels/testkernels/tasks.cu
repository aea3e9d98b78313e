// Written by package kernels/entry from its table.
#include "testkernels/tasks.cuh"

using namespace nd;

ND_KERNEL_OF(128, tasks, Walk) { count_tasks(a); }
ND_KERNEL_OF(128, tasks_arm, Walk) { arm_tasks(a); }
ND_KERNEL_OF(128, tasks_warps, Walk) { grow_tasks<Warp>(a); }
ND_KERNEL_OF(128, tasks_blocks, Walk) { grow_tasks<Block<TasksThreads>>(a); }
