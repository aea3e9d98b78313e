#include "go_asm.h"
#include "textflag.h"

// The numbers 0 ... 7.
DATA eight<>+0(SB)/8, $0
DATA eight<>+8(SB)/8, $1
DATA eight<>+16(SB)/8, $2
DATA eight<>+24(SB)/8, $3
DATA eight<>+32(SB)/8, $4
DATA eight<>+40(SB)/8, $5
DATA eight<>+48(SB)/8, $6
DATA eight<>+56(SB)/8, $7
GLOBL eight<>(SB), RODATA|NOPTR, $64

// writeRunsAVX512 writes eight edges per round. The next run overwrites what the last round of a run wrote too much. Loads are
// masked at the end of indices only, where eight end points would not be in memory.
//	AX edges written   BX end of the run   R13 address of its next end point   R14 last address for a full load
//	Z0 Shift   Z1 positions   Z2 Place
//
// func writeRunsAVX512(runs []EdgeRun, indices *uint32, n int, places, ends, positions *int64)
TEXT ·writeRunsAVX512(SB), NOSPLIT, $0-64
	MOVQ runs_base+0(FP), R8
	MOVQ runs_len+8(FP), CX
	MOVQ indices+24(FP), SI
	MOVQ n+32(FP), R14
	MOVQ places+40(FP), DI
	MOVQ ends+48(FP), R9
	MOVQ positions+56(FP), R10
	LEAQ -32(SI)(R14*4), R14
	VMOVDQU64 eight<>(SB), Z8
	MOVQ $8, AX
	VPBROADCASTQ AX, Z9
	XORQ AX, AX
loop:
	MOVQ EdgeRun_First(R8), DX
	MOVL EdgeRun_Place(R8), R11
	MOVL EdgeRun_Edges(R8), BX
	VPBROADCASTQ EdgeRun_Shift(R8), Z0
	VPBROADCASTQ DX, Z1
	VPADDQ Z8, Z1, Z1
	VPBROADCASTQ R11, Z2
	LEAQ (SI)(DX*4), R13
	ADDQ AX, BX
round:
	CMPQ R13, R14
	JHI end
	VPMOVZXDQ (R13), Z3
write:
	VPADDQ Z0, Z3, Z3
	VMOVDQU64 Z2, (DI)(AX*8)
	VMOVDQU64 Z3, (R9)(AX*8)
	VMOVDQU64 Z1, (R10)(AX*8)
	VPADDQ Z9, Z1, Z1
	ADDQ $32, R13
	ADDQ $8, AX
	CMPQ AX, BX
	JLT round
	MOVQ BX, AX
	ADDQ $EdgeRun__size, R8
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET
end:
	MOVQ R13, R15            // eight end points less those after the end
	SUBQ R14, R15
	SHRQ $2, R15
	MOVL $0xff, R12
	SHRXL R15, R12, R12
	KMOVB R12, K1
	VPMOVZXDQ.Z (R13), K1, Z3
	JMP write
