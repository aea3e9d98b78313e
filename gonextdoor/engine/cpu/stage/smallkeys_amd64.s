#include "go_asm.h"
#include "textflag.h"
#include "macros_amd64.h"

// The numbers 0 ... 7.
DATA lanes<>+0(SB)/8, $0
DATA lanes<>+8(SB)/8, $1
DATA lanes<>+16(SB)/8, $2
DATA lanes<>+24(SB)/8, $3
DATA lanes<>+32(SB)/8, $4
DATA lanes<>+40(SB)/8, $5
DATA lanes<>+48(SB)/8, $6
DATA lanes<>+56(SB)/8, $7
GLOBL lanes<>(SB), RODATA|NOPTR, $64

// Z0 = the keys of the vertices in Z0. Overwrites Z1.
#define VERTEX_KEYS \
	VPMULLQ Z28, Z0, Z0 \
	VPXORQ  Z29, Z0, Z0 \
	WIDE_MIX(Z0, Z1)

// Z = the keys of the vertices in Z without the last step of the mix. Overwrites T.
#define ROUGH_KEYS(Z, T) \
	VPMULLQ Z28, Z, Z \
	VPXORQ  Z29, Z, Z \
	VPSRLQ  $30, Z, T \
	VPXORQ  T, Z, Z \
	VPMULLQ Z31, Z, Z \
	VPSRLQ  $27, Z, T \
	VPXORQ  T, Z, Z \
	VPMULLQ Z30, Z, Z

// Z = the key, after ROUGH_KEYS. Overwrites T.
#define LAST_STEP(Z, T) \
	VPSRLQ $31, Z, T \
	VPXORQ T, Z, Z

// Stores the keys in Z0, and the places in Z26, whose bits are set in K1. Overwrites AX, Z1 and Z2.
#define STORE_SMALL \
	VPCOMPRESSQ.Z Z0, K1, Z1 \
	VPCOMPRESSQ.Z Z26, K1, Z2 \
	VMOVDQU64 Z1, (R8)(R10*8) \
	VMOVDQU64 Z2, (R9)(R10*8) \
	KMOVB   K1, AX \
	POPCNTL AX, AX \
	ADDQ    AX, R10

// smallKeysAVX512 computes eight keys per round.
//	SI vertices   CX vertices left   R8 keys   R9 places   R10 number of small keys
//	Z24 limit without the last step   Z25 8   Z26 places   Z27 limit   Z28 gamma   Z29 stream   Z30, Z31 multipliers
//
// func smallKeysAVX512(stream uint64, vertices []uint32, limit, first uint64, keys, places *uint64) int
TEXT ·smallKeysAVX512(SB), NOSPLIT, $0-72
	MOVQ vertices_base+8(FP), SI
	MOVQ vertices_len+16(FP), CX
	MOVQ keys+48(FP), R8
	MOVQ places+56(FP), R9
	MULTIPLIERS
	VPBROADCASTQ R12, Z31
	VPBROADCASTQ R13, Z30
	VPBROADCASTQ stream+0(FP), Z29
	MOVQ $const_gamma, AX
	VPBROADCASTQ AX, Z28
	VPBROADCASTQ limit+32(FP), Z27
	VPBROADCASTQ first+40(FP), Z26
	VPADDQ lanes<>(SB), Z26, Z26
	MOVQ $8, AX
	VPBROADCASTQ AX, Z25
	XORQ R10, R10
	SUBQ $8, CX
	JLT  rest
	MOVQ limit+32(FP), AX
	SHRQ $59, AX
	JEQ  rare

	// At least one key in 32 is small: store without a branch, which would often be mispredicted.
frequent:
	VPMOVZXDQ (SI), Z0
	VERTEX_KEYS
	VPCMPUQ $2, Z27, Z0, K1 // key <= limit
	STORE_SMALL
	VPADDQ Z25, Z26, Z26
	ADDQ $32, SI
	SUBQ $8, CX
	JGE  frequent
	JMP  rest

	// Most rounds find no small key. The last step of the mix changes only the low 33 bits: it is left out of the first test.
rare:
	MOVQ limit+32(FP), AX
	MOVQ $0x1ffffffff, DX
	ORQ  DX, AX
	VPBROADCASTQ AX, Z24
	MOVQ first+40(FP), R11
	SUBQ $8, CX
	JLT  single
pair: // two rounds at a time
	VPMOVZXDQ (SI), Z0
	VPMOVZXDQ 32(SI), Z3
	ROUGH_KEYS(Z0, Z1)
	ROUGH_KEYS(Z3, Z4)
	VPCMPUQ $2, Z24, Z0, K1
	VPCMPUQ $2, Z24, Z3, K2
	KORTESTB K1, K2
	JNE found
next:
	ADDQ $16, R11
	ADDQ $64, SI
	SUBQ $16, CX
	JGE  pair
single: // at most 15 vertices are left
	VPBROADCASTQ R11, Z26
	VPADDQ lanes<>(SB), Z26, Z26
	ADDQ $8, CX
	JLT  rest
	JMP  frequent
found:
	VPBROADCASTQ R11, Z26
	VPADDQ lanes<>(SB), Z26, Z26
	LAST_STEP(Z0, Z1)
	VPCMPUQ $2, Z27, Z0, K1
	STORE_SMALL
	VPADDQ Z25, Z26, Z26
	LAST_STEP(Z3, Z4)
	VMOVDQA64 Z3, Z0
	VPCMPUQ $2, Z27, Z0, K1
	STORE_SMALL
	JMP  next
rest:
	ADDQ $8, CX
	JEQ  done
	MOVL $1, AX
	SHLL CX, AX
	DECL AX
	KMOVB AX, K2
	VPMOVZXDQ.Z (SI), K2, Z0
	VERTEX_KEYS
	VPCMPUQ $2, Z27, Z0, K2, K1
	STORE_SMALL
done:
	VZEROUPPER
	MOVQ R10, ret+64(FP)
	RET

// K1 = the ratios of the vertices in Z0 and the biases in Z3 that are below the limit; Z0 = the keys. Overwrites Z1 to Z4.
#define BELOW_LIMIT \
	VERTEX_KEYS \
	VPMULUDQ Z27, Z3, Z3 \
	VPSRLQ  X24, Z0, Z4 \
	VPCMPUQ $1, Z3, Z4, K1 // key >> shift < factor * bias

// smallRatiosAVX512 computes eight ratios per round.
//	DI biases   X24 shift   Z27 factor   the other registers as in smallKeysAVX512
//
// func smallRatiosAVX512(stream uint64, vertices []uint32, biases *uint32, factor, shift, first uint64, keys, places *uint64) int
TEXT ·smallRatiosAVX512(SB), NOSPLIT, $0-88
	MOVQ vertices_base+8(FP), SI
	MOVQ vertices_len+16(FP), CX
	MOVQ biases+32(FP), DI
	MOVQ keys+64(FP), R8
	MOVQ places+72(FP), R9
	MULTIPLIERS
	VPBROADCASTQ R12, Z31
	VPBROADCASTQ R13, Z30
	VPBROADCASTQ stream+0(FP), Z29
	MOVQ $const_gamma, AX
	VPBROADCASTQ AX, Z28
	VPBROADCASTQ factor+40(FP), Z27
	MOVQ shift+48(FP), AX
	VMOVQ AX, X24
	VPBROADCASTQ first+56(FP), Z26
	VPADDQ lanes<>(SB), Z26, Z26
	MOVQ $8, AX
	VPBROADCASTQ AX, Z25
	XORQ R10, R10
	SUBQ $8, CX
	JLT  rest
loop:
	VPMOVZXDQ (SI), Z0
	VPMOVZXDQ (DI), Z3
	BELOW_LIMIT
	KORTESTB K1, K1
	JEQ next
	STORE_SMALL
next:
	VPADDQ Z25, Z26, Z26
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JGE  loop
rest:
	ADDQ $8, CX
	JEQ  done
	MOVL $1, AX
	SHLL CX, AX
	DECL AX
	KMOVB AX, K2
	VPMOVZXDQ.Z (SI), K2, Z0
	VPMOVZXDQ.Z (DI), K2, Z3 // the biases past the end are 0: no ratio
	BELOW_LIMIT
	STORE_SMALL
done:
	VZEROUPPER
	MOVQ R10, ret+80(FP)
	RET
