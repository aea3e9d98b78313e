#include "textflag.h"

// The numbers 0 ... 15.
DATA places<>+0(SB)/8, $0x0000000100000000
DATA places<>+8(SB)/8, $0x0000000300000002
DATA places<>+16(SB)/8, $0x0000000500000004
DATA places<>+24(SB)/8, $0x0000000700000006
DATA places<>+32(SB)/8, $0x0000000900000008
DATA places<>+40(SB)/8, $0x0000000b0000000a
DATA places<>+48(SB)/8, $0x0000000d0000000c
DATA places<>+56(SB)/8, $0x0000000f0000000e
GLOBL places<>(SB), RODATA|NOPTR, $64

// markedAVX512 tests sixteen ends per round and compresses the indices of the hits. Z5 holds the indices.
//
// func markedAVX512(bits *uint64, ends []uint32, hits *uint32) int
TEXT ·markedAVX512(SB), NOSPLIT, $0-48
	MOVQ bits+0(FP), DI
	MOVQ ends_base+8(FP), SI
	MOVQ ends_len+16(FP), CX
	MOVQ hits+32(FP), R8
	MOVQ R8, R9
	VMOVDQU32 places<>(SB), Z5
	MOVL $31, AX
	VPBROADCASTD AX, Z31
	MOVL $1, AX
	VPBROADCASTD AX, Z30
	MOVL $16, AX
	VPBROADCASTD AX, Z29
loop:
	VMOVDQU32 (SI), Z1
	VPSRLD $5, Z1, Z2
	KXNORW K1, K1, K1
	VPXORD Z3, Z3, Z3
	VPGATHERDD (DI)(Z2*4), K1, Z3
	VPANDD Z31, Z1, Z4
	VPSRLVD Z4, Z3, Z3
	VPTESTMD Z30, Z3, K2
	VPCOMPRESSD.Z Z5, K2, Z6
	VMOVDQU32 Z6, (R8)
	KMOVW K2, AX
	POPCNTL AX, AX
	LEAQ (R8)(AX*4), R8
	VPADDD Z29, Z5, Z5
	ADDQ $64, SI
	SUBQ $16, CX
	JNZ loop
	SUBQ R9, R8
	SHRQ $2, R8
	MOVQ R8, ret+40(FP)
	VZEROUPPER
	RET
