#include "textflag.h"

// func prefetch(row uintptr, size int)
TEXT ·prefetch(SB), NOSPLIT, $0-16
	MOVQ row+0(FP), AX
	MOVQ size+8(FP), CX
	LEAQ -1(AX)(CX*1), CX    // last byte
line:
	PREFETCHT0 (AX)
	ADDQ $64, AX
	CMPQ AX, CX
	JLT  line
	PREFETCHT0 (CX)          // the last byte may be in another line
	RET

// func copyWide(to unsafe.Pointer, from []uintptr, size int)
TEXT ·copyWide(SB), NOSPLIT, $0-40
	MOVQ to+0(FP), DI
	MOVQ from_base+8(FP), SI
	MOVQ from_len+16(FP), R8
	MOVQ size+32(FP), R9
	LEAQ (SI)(R8*8), R8
	LEAQ -64(R9), R10        // offset of the last 64 bytes, which may overlap those before
row:
	CMPQ SI, R8
	JGE  done
	MOVQ (SI), AX
	ADDQ $8, SI
	VMOVDQU64 (AX), Z0
	VMOVDQU64 Z0, (DI)
	MOVQ DI, BX
	NEGQ BX
	ANDQ $63, BX             // from here on stores are aligned: one that crosses lines takes twice as long
	JMP  test
wide:
	VMOVDQU64 (AX)(BX*1), Z0
	VMOVDQU64 Z0, (DI)(BX*1)
	ADDQ $64, BX
test:
	CMPQ BX, R10
	JLT  wide
	VMOVDQU64 (AX)(R10*1), Z0
	VMOVDQU64 Z0, (DI)(R10*1)
	ADDQ R9, DI
	JMP  row
done:
	VZEROUPPER
	RET
