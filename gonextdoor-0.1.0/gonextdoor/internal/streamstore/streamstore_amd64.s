#include "textflag.h"

// func Copy(to unsafe.Pointer, from uintptr, size int)
TEXT ·Copy(SB), NOSPLIT, $0-24
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	MOVQ size+16(FP), CX
	SUBQ $64, CX
	JLT  rest
wide:
	MOVOU (SI), X0
	MOVOU 16(SI), X1
	MOVOU 32(SI), X2
	MOVOU 48(SI), X3
	MOVNTO X0, (DI)
	MOVNTO X1, 16(DI)
	MOVNTO X2, 32(DI)
	MOVNTO X3, 48(DI)
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $64, CX
	JGE  wide
rest:
	ADDQ $64, CX
	JZ   done
narrow:
	MOVOU (SI), X0
	MOVNTO X0, (DI)
	ADDQ $16, SI
	ADDQ $16, DI
	SUBQ $16, CX
	JNZ  narrow
done:
	RET

// func Fence()
TEXT ·Fence(SB), NOSPLIT, $0-0
	SFENCE
	RET
