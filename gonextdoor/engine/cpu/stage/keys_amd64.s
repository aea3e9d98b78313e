#include "go_asm.h"
#include "textflag.h"
#include "macros_amd64.h"

// i * rng.Gamma for i = 0 ... 7
DATA ids<>+0(SB)/8, $0
DATA ids<>+8(SB)/8, $0x9e3779b97f4a7c15
DATA ids<>+16(SB)/8, $0x3c6ef372fe94f82a
DATA ids<>+24(SB)/8, $0xdaa66d2c7ddf743f
DATA ids<>+32(SB)/8, $0x78dde6e5fd29f054
DATA ids<>+40(SB)/8, $0x1715609f7c746c69
DATA ids<>+48(SB)/8, $0xb54cda58fbbee87e
DATA ids<>+56(SB)/8, $0x538454127b096493
GLOBL ids<>(SB), RODATA|NOPTR, $64

// keysAVX512 computes eight keys per round. Z28 holds the terms of the ids, Z29 the stream.
//
// func keysAVX512(keys []uint64, stream, term uint64)
TEXT ·keysAVX512(SB), NOSPLIT, $0-40
	MOVQ keys_base+0(FP), DI
	MOVQ keys_len+8(FP), CX
	MULTIPLIERS
	VPBROADCASTQ R12, Z31
	VPBROADCASTQ R13, Z30
	VPBROADCASTQ stream+24(FP), Z29
	VPBROADCASTQ term+32(FP), Z28
	VPADDQ ids<>(SB), Z28, Z28
	MOVQ $const_gamma, AX
	SHLQ $3, AX
	VPBROADCASTQ AX, Z27
	LEAQ (DI)(CX*8), CX
	JMP test
loop:
	VPXORQ Z28, Z29, Z0
	WIDE_MIX(Z0, Z1)
	VMOVDQU64 Z0, (DI)
	VPADDQ Z27, Z28, Z28
	ADDQ $64, DI
test:
	CMPQ DI, CX
	JLT loop
	VZEROUPPER
	RET

// wordsAVX512 computes eight words per round.
//
// func wordsAVX512(w *Walkers, n int, term uint64)
TEXT ·wordsAVX512(SB), NOSPLIT, $0-24
	MOVQ w+0(FP), R8
	MOVQ n+8(FP), CX
	MULTIPLIERS
	VPBROADCASTQ R12, Z31
	VPBROADCASTQ R13, Z30
	VPBROADCASTQ term+16(FP), Z29
	XORQ BX, BX
	JMP check
words:
	VPXORQ Walkers_Key(R8)(BX*8), Z29, Z0
	WIDE_MIX(Z0, Z1)
	VMOVDQU64 Z0, Walkers_Term(R8)(BX*8)
	ADDQ $8, BX
check:
	CMPQ BX, CX
	JLT words
	VZEROUPPER
	RET
