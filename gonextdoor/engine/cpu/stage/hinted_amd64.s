#include "go_asm.h"
#include "textflag.h"

// The number of a walker within a group of eight.
DATA walkers<>+0(SB)/8, $0x0000000100000000
DATA walkers<>+8(SB)/8, $0x0000000300000002
DATA walkers<>+16(SB)/8, $0x0000000500000004
DATA walkers<>+24(SB)/8, $0x0000000700000006
GLOBL walkers<>(SB), RODATA|NOPTR, $32

// The bytes that spread the lower 16 bits of a word to its four lanes.
DATA spread<>+0(SB)/8, $0x0100010001000100
DATA spread<>+8(SB)/8, $0x0908090809080908
GLOBL spread<>(SB), RODATA|NOPTR, $16

// hintedAVX512 chooses for eight walkers per round. It compares lanes of 16 bits, like index.DecayHints.Choice. A sum of bytes
// counts the lanes that keep their guard.
//	R9 open   K4 the walkers that exist: all eight, except in the last round
//	Z31 guards   Z30 1 in each lane   Z29 the bits of even hints   Z28 the bit of far hints   Z27 index.HintedCandidates
//	Z26 0   Z25 spread   Y24 the walkers   Y23 8 in each lane   Z22 -1
//
// func hintedAVX512(w *Walkers, records *index.DecayRecord, n int) (open int)
TEXT ·hintedAVX512(SB), NOSPLIT, $0-32
	MOVQ w+0(FP), R8
	MOVQ records+8(FP), DI
	MOVQ n+16(FP), CX
	MOVQ $0x8000800080008000, AX
	VPBROADCASTQ AX, Z31
	VPSRLW $15, Z31, Z30
	MOVQ $0x8001, AX
	VPBROADCASTQ AX, Z29
	MOVQ $0x8000, AX
	VPBROADCASTQ AX, Z28
	MOVQ $const_hinted, AX
	VPBROADCASTQ AX, Z27
	VPXORQ Z26, Z26, Z26
	VBROADCASTI32X4 spread<>(SB), Z25
	VMOVDQU32 walkers<>(SB), Y24
	MOVL $8, AX
	VPBROADCASTD AX, Y23
	VPTERNLOGQ $0xff, Z22, Z22, Z22
	KXNORB K4, K4, K4
	XORQ BX, BX
	XORQ R9, R9
	JMP test
loop:
	CMPQ AX, $8
	JLT last
eight:
	// 1. Read the hints and the numbers of candidates.
	VMOVDQU64 Walkers_Position(R8)(BX*8), Z0
	VMOVDQU64 Walkers_Term(R8)(BX*8), Z1
	VPSLLQ $2, Z0, Z2        // a record has 32 bytes
	VPXORQ Z3, Z3, Z3
	VPXORQ Z4, Z4, Z4
	VPXORQ Z5, Z5, Z5
	KMOVB K4, K1
	VPGATHERQQ const_hintsAt(DI)(Z2*8), K1, Z3
	KMOVB K4, K1
	VPGATHERQQ (const_hintsAt+8)(DI)(Z2*8), K1, Z4
	KMOVB K4, K1
	VPGATHERQQ (DI)(Z2*8), K1, Z5
	// 2. Z7 = the largest candidates, Z9 = the least ones.
	VPSRLQ $49, Z1, Z6
	VPSHUFB Z25, Z6, Z6
	VPORQ Z31, Z3, Z7
	VPORQ Z31, Z4, Z8
	VPSUBW Z6, Z7, Z7
	VPSUBW Z6, Z8, Z8
	VPSUBW Z30, Z7, Z9
	VPSUBW Z30, Z8, Z10
	VPSRLW $15, Z7, Z7
	VPSRLW $15, Z8, Z8
	VPSRLW $15, Z9, Z9
	VPSRLW $15, Z10, Z10
	VPADDW Z8, Z7, Z7
	VPADDW Z10, Z9, Z9
	VPSADBW Z26, Z7, Z7
	VPSADBW Z26, Z9, Z9
	// 3. Z5 = the choices by even hints: count - 1 - count*word/2^64.
	VPSRLQ $32, Z5, Z5
	VPSRLQ $32, Z1, Z10
	VPMULUDQ Z5, Z1, Z11
	VPMULUDQ Z5, Z10, Z10
	VPSRLQ $32, Z11, Z11
	VPADDQ Z11, Z10, Z10
	VPSRLQ $32, Z10, Z10
	VPSUBQ Z10, Z5, Z5
	VPADDQ Z22, Z5, Z5
	// 4. K2 = the walkers with even hints, K5 = those that must search.
	VPANDQ Z29, Z3, Z12
	VPCMPEQQ Z29, Z12, K2
	VPTESTMQ Z28, Z3, K3
	VPCMPQ $4, Z7, Z9, K5
	VPCMPEQQ Z27, Z9, K6
	KORB K6, K5, K5
	KORB K3, K5, K5
	KANDNB K5, K2, K5
	KANDB K4, K5, K5
	// 5. Write the choices, and list the walkers that must search.
	VMOVDQA64 Z5, K2, Z9
	VPADDQ Walkers_First(R8)(BX*8), Z9, Z9
	VMOVDQU64 Z9, K4, Walkers_Position(R8)(BX*8)
	VPCOMPRESSQ.Z Z0, K5, Z0
	VPCOMPRESSD.Z Y24, K5, Y13
	VMOVDQU64 Z0, Walkers_Next(R8)(R9*8)
	VMOVDQU Y13, Walkers_Check(R8)(R9*4)
	VPADDD Y23, Y24, Y24
	KMOVB K5, AX
	POPCNTL AX, AX
	ADDQ AX, R9
	ADDQ $8, BX
test:
	MOVQ CX, AX
	SUBQ BX, AX
	JGT loop
	VZEROUPPER
	MOVQ R9, open+24(FP)
	RET
last:
	XORL R12, R12
	BTSL AX, R12
	DECL R12
	KMOVB R12, K4
	JMP eight
