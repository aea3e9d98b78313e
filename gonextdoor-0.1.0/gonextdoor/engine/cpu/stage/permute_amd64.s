#include "go_asm.h"
#include "textflag.h"
#include "macros_amd64.h"

// (i+1) * rng.Gamma for i = 0 ... 15
DATA slots<>+0(SB)/8, $0x9e3779b97f4a7c15
DATA slots<>+8(SB)/8, $0x3c6ef372fe94f82a
DATA slots<>+16(SB)/8, $0xdaa66d2c7ddf743f
DATA slots<>+24(SB)/8, $0x78dde6e5fd29f054
DATA slots<>+32(SB)/8, $0x1715609f7c746c69
DATA slots<>+40(SB)/8, $0xb54cda58fbbee87e
DATA slots<>+48(SB)/8, $0x538454127b096493
DATA slots<>+56(SB)/8, $0xf1bbcdcbfa53e0a8
DATA slots<>+64(SB)/8, $0x8ff34785799e5cbd
DATA slots<>+72(SB)/8, $0x2e2ac13ef8e8d8d2
DATA slots<>+80(SB)/8, $0xcc623af8783354e7
DATA slots<>+88(SB)/8, $0x6a99b4b1f77dd0fc
DATA slots<>+96(SB)/8, $0x08d12e6b76c84d11
DATA slots<>+104(SB)/8, $0xa708a824f612c926
DATA slots<>+112(SB)/8, $0x454021de755d453b
DATA slots<>+120(SB)/8, $0xe3779b97f4a7c150
GLOBL slots<>(SB), RODATA|NOPTR, $128

// The numbers 0 ... 15.
DATA count<>+0(SB)/8, $0
DATA count<>+8(SB)/8, $1
DATA count<>+16(SB)/8, $2
DATA count<>+24(SB)/8, $3
DATA count<>+32(SB)/8, $4
DATA count<>+40(SB)/8, $5
DATA count<>+48(SB)/8, $6
DATA count<>+56(SB)/8, $7
DATA count<>+64(SB)/8, $8
DATA count<>+72(SB)/8, $9
DATA count<>+80(SB)/8, $10
DATA count<>+88(SB)/8, $11
DATA count<>+96(SB)/8, $12
DATA count<>+104(SB)/8, $13
DATA count<>+112(SB)/8, $14
DATA count<>+120(SB)/8, $15
GLOBL count<>(SB), RODATA|NOPTR, $128

// X = rng.Below(X, N), the index only, for eight words and N below 2^32: X*N >> 64. Overwrites T.
#define WIDE_BELOW(X, N, T) \
	VPMULUDQ N, X, T      \
	VPSRLQ   $32, T, T    \
	VPSRLQ   $32, X, X    \
	VPMULUDQ N, X, X      \
	VPADDQ   T, X, X      \
	VPSRLQ   $32, X, X

// PermuteRows draws for one node at a time, with all picks of the node in the lanes of one or two registers.
//	DI records   SI nodes   R8 positions   R9 ends   R10 chosen   R11 fan-out   R12 number of edges   CX nodes served
//	Z26, Z27 the numbers 8-15, 0-7   Z28, Z29 slots of the words   Z30, Z31 multipliers
//
// func PermuteRows(r *Rows, nodes []uint32, positions *uint64, ends *int64, chosen int64) (served int)
TEXT ·PermuteRows(SB), NOSPLIT, $0-64
	MOVQ r+0(FP), AX
	MOVQ nodes_base+8(FP), SI
	MOVQ positions+32(FP), R8
	MOVQ ends+40(FP), R9
	MOVQ chosen+48(FP), R10
	MOVQ Rows_Records(AX), DI
	MOVQ Rows_Edges(AX), R12
	MOVQ Rows_Fanout(AX), R11
	MOVQ $0xBF58476D1CE4E5B9, BX
	VPBROADCASTQ BX, Z31
	MOVQ $0x94D049BB133111EB, BX
	VPBROADCASTQ BX, Z30
	VMOVDQU64 slots<>+0(SB), Z29
	VMOVDQU64 slots<>+64(SB), Z28
	VMOVDQU64 count<>+0(SB), Z27
	VMOVDQU64 count<>+64(SB), Z26
	MOVQ  R11, CX            // K1: lanes of all picks, K2: of the second eight picks
	MOVL  $1, BX
	SHLL  CX, BX
	DECL  BX
	KMOVW BX, K1
	SHRL  $8, BX
	KMOVW BX, K2
	XORQ  CX, CX             // nodes served
next:
	CMPQ CX, nodes_len+16(FP)
	JGE  done
	MOVLQSX (SI)(CX*4), AX
	MOVQ (DI)(AX*8), BX      // record: first<<24 | degree
	MOVQ BX, DX
	SHRQ $24, BX
	ANDQ $0xFFFFFF, DX
	CMPQ BX, R12
	JEQ  served              // a sink
	CMPQ DX, R11
	JLE  whole

	// Draw i = key.Word(i) * (degree-fanout+1+i) >> 64, for all i at once.
	MOVL  AX, AX
	MOVQ  $0x9E3779B97F4A7C15, R14
	IMULQ R14, AX
	MOVQ  r+0(FP), R14
	XORQ  Rows_Stream(R14), AX
	VPBROADCASTQ AX, Z0      // the key; rng.Mix of all lanes costs as much as of one
	WIDE_MIX(Z0, Z4)
	SUBQ R11, DX
	INCQ DX
	VPBROADCASTQ DX, Z2
	VPBROADCASTQ BX, Z6
	LEAQ (R8)(R10*8), AX
	ADDQ R11, R10
	CMPQ R11, $8
	JLE  eight

	VPXORQ Z28, Z0, Z1
	VPXORQ Z29, Z0, Z0
	WIDE_MIX(Z0, Z4)
	WIDE_MIX(Z1, Z5)
	VPADDQ Z26, Z2, Z3
	VPADDQ Z27, Z2, Z2
	WIDE_BELOW(Z0, Z2, Z4)
	WIDE_BELOW(Z1, Z3, Z5)
	VPMOVQD Z0, Y4
	VPMOVQD Z1, Y5
	VINSERTI64X4 $1, Y5, Z4, Z4
	VPCONFLICTD Z4, Z4       // for each lane, the set of earlier lanes with an equal draw
	VPTESTMD Z4, Z4, K1, K3
	VPADDQ Z6, Z0, Z0
	VPADDQ Z6, Z1, Z1
	VMOVDQU64 Z0, (AX)
	VMOVDQU64 Z1, K2, 64(AX)
	JMP  picked
eight:
	VPXORQ Z29, Z0, Z0
	WIDE_MIX(Z0, Z4)
	VPADDQ Z27, Z2, Z2
	WIDE_BELOW(Z0, Z2, Z4)
	VPCONFLICTQ Z0, Z4
	VPTESTMQ Z4, Z4, K1, K3
	VPADDQ Z6, Z0, Z0
	VMOVDQU64 Z0, K1, (AX)
picked:
	KORTESTW K3, K3
	JNE  twice
served:
	MOVQ R10, (R9)(CX*8)
	INCQ CX
	JMP  next

whole: // at most as many edges as picks: take all, in row order
	LEAQ  (R8)(R10*8), AX
	ADDQ  DX, R10
	VPBROADCASTQ BX, Z6
	VPADDQ Z6, Z27, Z0
	VPADDQ Z6, Z26, Z1
	XCHGQ CX, DX
	MOVL  $1, BX
	SHLL  CX, BX
	MOVQ  DX, CX
	DECL  BX
	KMOVW BX, K3
	VMOVDQU64 Z0, K3, (AX)
	SHRL  $8, BX
	KMOVW BX, K3
	VMOVDQU64 Z1, K3, 64(AX)
	JMP  served

twice:
done:
	VZEROUPPER
	MOVQ CX, served+56(FP)
	RET
