package stage

import "golang.org/x/sys/cpu"

// wide says whether this processor and its system have the AVX-512 instructions that the wide loops are made of.
var wide = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512CD && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL
