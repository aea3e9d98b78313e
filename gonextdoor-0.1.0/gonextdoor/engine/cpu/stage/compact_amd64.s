#include "textflag.h"

// func compactAVX512(out *uint32, offsets *int64, roots, lengths, rows *uint32, n, base int) (next int)
TEXT ·compactAVX512(SB), NOSPLIT, $0-64
	MOVQ out+0(FP), DI
	MOVQ offsets+8(FP), R8
	MOVQ roots+16(FP), R9
	MOVQ lengths+24(FP), R10
	MOVQ rows+32(FP), SI
	MOVQ n+40(FP), CX
	MOVQ base+48(FP), AX
	XORQ BX, BX
loop:
	MOVQ AX, (R8)(BX*8)
	MOVL (R9)(BX*4), DX
	VMOVDQU32 (SI), Z0
	MOVL DX, (DI)(AX*4)
	MOVL (R10)(BX*4), R11
	VMOVDQU32 Z0, 4(DI)(AX*4)
	ADDQ $64, SI
	LEAQ 1(AX)(R11*1), AX
	INCQ BX
	CMPQ BX, CX
	JLT loop
	VZEROUPPER
	MOVQ AX, next+56(FP)
	RET
