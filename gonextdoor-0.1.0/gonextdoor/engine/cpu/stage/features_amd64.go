package stage

import "golang.org/x/sys/cpu"

// hasAVX512 reports whether the CPU and the operating system support the instructions of the functions named AVX512.
var hasAVX512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512CD && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL
