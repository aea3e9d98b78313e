#include "go_asm.h"
#include "textflag.h"

// The numbers 0 ... 15.
DATA lanes<>+0(SB)/8, $0x0000000100000000
DATA lanes<>+8(SB)/8, $0x0000000300000002
DATA lanes<>+16(SB)/8, $0x0000000500000004
DATA lanes<>+24(SB)/8, $0x0000000700000006
DATA lanes<>+32(SB)/8, $0x0000000900000008
DATA lanes<>+40(SB)/8, $0x0000000b0000000a
DATA lanes<>+48(SB)/8, $0x0000000d0000000c
DATA lanes<>+56(SB)/8, $0x0000000f0000000e
GLOBL lanes<>(SB), RODATA|NOPTR, $64

// STREAM loads the summand and the odd factor of the stream in AX, and the multipliers of rng.Stream.High. Overwrites AX.
#define STREAM \
	VPBROADCASTD AX, Z28 \
	SHRQ $32, AX \
	ORL  $1, AX \
	VPBROADCASTD AX, Z29 \
	MOVL $const_high1, AX \
	VPBROADCASTD AX, Z31 \
	MOVL $const_high2, AX \
	VPBROADCASTD AX, Z30 \
	MOVL $const_high3, AX \
	VPBROADCASTD AX, Z22

// PLACES sets Z26 to the first 16 places, of which AX is the first, and Z25 to 16. Overwrites AX.
#define PLACES \
	VPBROADCASTD AX, Z26 \
	VPADDD lanes<>(SB), Z26, Z26 \
	MOVL $16, AX \
	VPBROADCASTD AX, Z25

// Z = rng.Stream.High of the vertices in Z. Overwrites T.
#define HIGHS(Z, T) \
	VPMULLD Z29, Z, Z \
	VPADDD  Z28, Z, Z \
	VPSRLD  $17, Z, T \
	VPXORD  T, Z, Z \
	VPMULLD Z31, Z, Z \
	VPSRLD  $11, Z, T \
	VPXORD  T, Z, Z \
	VPMULLD Z30, Z, Z \
	VPSRLD  $15, Z, T \
	VPXORD  T, Z, Z \
	VPMULLD Z22, Z, Z \
	VPSRLD  $14, Z, T \
	VPXORD  T, Z, Z

// REST sets K2 to the lanes below CX, which is below 16. Overwrites AX.
#define REST \
	MOVL $1, AX \
	SHLL CX, AX \
	DECL AX \
	KMOVW AX, K2

// Stores the highs in H and the places in P whose bits are set in K. Overwrites AX, Z16 and Z17.
#define STORE_SMALL(H, P, K) \
	VPCOMPRESSD.Z H, K, Z16 \
	VPCOMPRESSD.Z P, K, Z17 \
	VMOVDQU32 Z16, (R8)(R10*4) \
	VMOVDQU32 Z17, (R9)(R10*4) \
	KMOVW   K, AX \
	POPCNTL AX, AX \
	ADDQ    AX, R10

// smallNumbersAVX512 computes 16 numbers per round.
//	SI vertices   CX vertices left   R8 highs   R9 places   R10 number of small ones
//	Z25 16   Z26 places   Z27 limit   Z28, Z29 stream   Z22, Z30, Z31 multipliers
//
// func smallNumbersAVX512(stream uint64, vertices []uint32, limit, first uint32, highs, places *uint32) int
TEXT ·smallNumbersAVX512(SB), NOSPLIT, $0-64
	MOVQ vertices_base+8(FP), SI
	MOVQ vertices_len+16(FP), CX
	MOVQ highs+40(FP), R8
	MOVQ places+48(FP), R9
	MOVQ stream+0(FP), AX
	STREAM
	MOVL first+36(FP), AX
	PLACES
	MOVL limit+32(FP), AX
	VPBROADCASTD AX, Z27
	XORQ R10, R10
	SHRL $26, AX
	JNE  single // a number in 64 is small: a branch would often be mispredicted

	// Most rounds find no small number: two of them have one branch.
	SUBQ $32, CX
	JLT  fewer
pair:
	VMOVDQU32 (SI), Z0
	VMOVDQU32 64(SI), Z2
	HIGHS(Z0, Z1)
	HIGHS(Z2, Z3)
	VPADDD Z25, Z26, Z4
	VPCMPUD $2, Z27, Z0, K1 // high <= limit
	VPCMPUD $2, Z27, Z2, K3
	KORTESTW K1, K3
	JEQ  next
	STORE_SMALL(Z0, Z26, K1)
	STORE_SMALL(Z2, Z4, K3)
next:
	VPADDD Z25, Z4, Z26
	ADDQ $128, SI
	SUBQ $32, CX
	JGE  pair
fewer:
	ADDQ $32, CX
single:
	SUBQ $16, CX
	JLT  rest
loop:
	VMOVDQU32 (SI), Z0
	HIGHS(Z0, Z1)
	VPCMPUD $2, Z27, Z0, K1
	STORE_SMALL(Z0, Z26, K1)
	VPADDD Z25, Z26, Z26
	ADDQ $64, SI
	SUBQ $16, CX
	JGE  loop
rest:
	ADDQ $16, CX
	JEQ  done
	REST
	VMOVDQU32.Z (SI), K2, Z0
	HIGHS(Z0, Z1)
	VPCMPUD $2, Z27, Z0, K2, K1
	STORE_SMALL(Z0, Z26, K1)
done:
	VZEROUPPER
	MOVQ R10, ret+56(FP)
	RET

// K = the lanes of Y whose ratios of high half and bias, in B, may be below the limit. Overwrites Z and B.
#define BELOW_LIMIT(Y, Z, B, K) \
	VPMOVZXDQ Y, Z \
	VPSLLQ  $32, Z, Z \
	VPSRLQ  X24, Z, Z \
	VPMULUDQ Z27, B, B \
	VPCMPUQ $1, B, Z, K // high << 32 >> shift < factor * bias

// smallRatiosAVX512 computes 16 ratios per round.
//	DI biases   X24 shift   Z27 factor   the other registers as in smallNumbersAVX512
//
// func smallRatiosAVX512(stream uint64, vertices []uint32, biases *uint32, factor, shift uint64, first uint32, places *uint32) int
TEXT ·smallRatiosAVX512(SB), NOSPLIT, $0-80
	MOVQ vertices_base+8(FP), SI
	MOVQ vertices_len+16(FP), CX
	MOVQ biases+32(FP), DI
	MOVQ places+64(FP), R9
	MOVQ stream+0(FP), AX
	STREAM
	MOVL first+56(FP), AX
	PLACES
	MOVQ factor+40(FP), AX
	VPBROADCASTQ AX, Z27
	MOVQ shift+48(FP), AX
	VMOVQ AX, X24
	XORQ R10, R10
	SUBQ $16, CX
	JLT  rest
loop:
	VMOVDQU32 (SI), Z0
	VPMOVZXDQ (DI), Z3
	VPMOVZXDQ 32(DI), Z4
ratios:
	HIGHS(Z0, Z1)
	BELOW_LIMIT(Y0, Z1, Z3, K1)
	VEXTRACTI64X4 $1, Z0, Y0
	BELOW_LIMIT(Y0, Z1, Z4, K3)
	KORTESTB K1, K3
	JEQ  next
	KUNPCKBW K1, K3, K1 // K3 << 8 | K1
	VPCOMPRESSD.Z Z26, K1, Z17
	VMOVDQU32 Z17, (R9)(R10*4)
	KMOVW   K1, AX
	POPCNTL AX, AX
	ADDQ    AX, R10
next:
	VPADDD Z25, Z26, Z26
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $16, CX
	JGE  loop
rest:
	ADDQ $16, CX
	JLE  done
	REST
	VMOVDQU32.Z (SI), K2, Z0
	VMOVDQU32.Z (DI), K2, Z5 // the biases past the end are 0: no ratio
	VPMOVZXDQ Y5, Z3
	VEXTRACTI64X4 $1, Z5, Y5
	VPMOVZXDQ Y5, Z4
	XORQ CX, CX
	JMP  ratios
done:
	VZEROUPPER
	MOVQ R10, ret+72(FP)
	RET

// WRITE_LEAST writes the places in P whose bits are set in K to DI, as 64-bit positions, and moves DI past them. Overwrites
// AX, BX, CX, Z16, Z17, K4 and K5.
#define WRITE_LEAST(P, K) \
	VPCOMPRESSD.Z P, K, Z16 \
	KMOVW   K, AX \
	POPCNTL AX, BX \
	MOVL    $1, AX \
	MOVL    BX, CX \
	SHLL    CX, AX \
	DECL    AX \
	KMOVW   AX, K4 \
	KSHIFTRW $8, K4, K5 \
	VPMOVZXDQ Y16, Z17 \
	VPADDQ  Z24, Z17, Z17 \
	VMOVDQU64 Z17, K4, (DI) \
	VEXTRACTI64X4 $1, Z16, Y16 \
	VPMOVZXDQ Y16, Z17 \
	VPADDQ  Z24, Z17, Z17 \
	VMOVDQU64 Z17, K5, 64(DI) \
	LEAQ    (DI)(BX*8), DI

// leastAVX512 counts, for each number, those that are not larger. It writes nothing unless k numbers have at most k.
//	R8 highs   R9 places   CX number of highs   DI dst   Z0, Z1 highs   Z2, Z3 counts   Z23 1   Z24 first   Z27 k
//
// func leastAVX512(highs []uint32, k uint64, places *uint32, first uint64, dst *uint64) int
TEXT ·leastAVX512(SB), NOSPLIT, $0-64
	MOVQ highs_base+0(FP), R8
	MOVQ highs_len+8(FP), CX
	MOVQ k+24(FP), DX
	MOVQ places+32(FP), R9
	MOVQ dst+48(FP), DI
	VPBROADCASTD DX, Z27
	MOVL $1, AX
	VPBROADCASTD AX, Z23
	MOVQ first+40(FP), AX
	VPBROADCASTQ AX, Z24
	VMOVDQU32 (R8), Z0
	VMOVDQU32 64(R8), Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3
	// K1, K2 = the lanes of numbers
	MOVQ $1, AX
	SHLQ CX, AX
	DECQ AX
	KMOVW AX, K1
	SHRQ $16, AX
	KMOVW AX, K2
	XORQ R10, R10
count:
	VPBROADCASTD (R8)(R10*4), Z4
	VPCMPUD $2, Z0, Z4, K3 // other <= own
	VPCMPUD $2, Z1, Z4, K4
	VPADDD Z23, Z2, K3, Z2
	VPADDD Z23, Z3, K4, Z3
	INCQ R10
	CMPQ R10, CX
	JLT  count
	VPCMPUD $2, Z27, Z2, K1, K1 // count <= k
	VPCMPUD $2, Z27, Z3, K2, K2
	KMOVW K1, AX
	KMOVW K2, BX
	POPCNTL AX, AX
	POPCNTL BX, BX
	ADDQ BX, AX
	CMPQ AX, DX
	JNE  open
	VMOVDQU32 (R9), Z4
	VMOVDQU32 64(R9), Z5
	WRITE_LEAST(Z4, K1)
	WRITE_LEAST(Z5, K2)
	VZEROUPPER
	MOVQ DX, ret+56(FP)
	RET
open:
	VZEROUPPER
	MOVQ $-1, ret+56(FP)
	RET
