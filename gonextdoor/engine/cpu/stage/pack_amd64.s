#include "go_asm.h"
#include "textflag.h"

// func pack(p *Packing, i, base int, longest uint64) (int, int)
// R8 the row's first step, R9 its place, R10 Roots, R11 Width, R12 Offsets, R13 Vertices, R14 longest, R15 -4*First, CX Samples, BX i, DI base, SI the last base that leaves room
TEXT ·pack(SB), NOSPLIT, $0-48
	MOVQ p+0(FP), AX
	MOVQ i+8(FP), BX
	MOVQ base+16(FP), DI
	MOVQ longest+24(FP), R14
	MOVQ Packing_Width(AX), R11
	MOVQ Packing_First(AX), R15
	MOVQ R11, R9
	IMULQ BX, R9
	ADDQ R15, R9
	MOVQ Packing_Rows(AX), R8
	LEAQ (R8)(R9*4), R8
	SHLQ $2, R15
	NEGQ R15
	MOVQ Packing_Roots(AX), R10
	MOVQ Packing_Offsets(AX), R12
	MOVQ Packing_Vertices(AX), R13
	MOVQ Packing_Samples(AX), CX
	MOVQ Packing_End(AX), SI
	SUBQ $(1+const_Packed), SI
	JMP test
loop:
	MOVL (R8)(R15*1), DX
	SUBQ R9, DX
	CMPQ DX, R14
	JHI done
	MOVQ DI, (R12)(BX*8)
	MOVL (R10)(BX*4), AX
	MOVL AX, (R13)(DI*4)
	MOVOU (R8), X0
	MOVOU 16(R8), X1
	MOVOU 32(R8), X2
	MOVOU 48(R8), X3
	MOVOU X0, 4(R13)(DI*4)
	MOVOU X1, 20(R13)(DI*4)
	MOVOU X2, 36(R13)(DI*4)
	MOVOU X3, 52(R13)(DI*4)
	LEAQ 1(DI)(DX*1), DI
	LEAQ (R8)(R11*4), R8
	ADDQ R11, R9
	INCQ BX
test:
	CMPQ BX, CX
	JGE done
	CMPQ DI, SI
	JLE loop
done:
	MOVQ BX, ret+32(FP)
	MOVQ DI, ret1+40(FP)
	RET
