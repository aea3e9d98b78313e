// Written by package kernels/entry from its table.
#include "driver/tasks.cuh"

using namespace nd;

ND_KERNEL_OF(128, tasks, Walk) { count_tasks(a); }
