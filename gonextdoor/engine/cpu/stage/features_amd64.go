package stage

// wide says whether this processor and its system have the AVX-512 instructions that the wide loops are made of.
var wide = hasAVX512()

func hasAVX512() bool {
	const (
		osxsave   = 1 << 27                               // leaf 1, ecx
		needed    = 1<<16 | 1<<17 | 1<<28 | 1<<30 | 1<<31 // leaf 7, ebx: F, DQ, CD, BW, VL
		preserved = 0xe6                                  // the system keeps vector and mask registers
	)
	most, _, _ := cpuid(0)
	_, _, ecx := cpuid(1)
	if most < 7 || ecx&osxsave == 0 || xgetbv()&preserved != preserved {
		return false
	}
	_, ebx, _ := cpuid(7)
	return ebx&needed == needed
}

// cpuid asks the processor for a leaf, subleaf 0.
func cpuid(leaf uint32) (eax, ebx, ecx uint32)

// xgetbv gives the register states that the system keeps.
func xgetbv() uint32
