#include "go_asm.h"
#include "textflag.h"

// seek scrambles the pairs in Check and prefetches their buckets. It writes their tags to Hash, and the offsets of their
// buckets, in bytes, to Edge.
//
// func seek(w *Walkers, checks int, e *Edges)
TEXT ·seek(SB), NOSPLIT, $0-24
	MOVQ w+0(FP), R8
	MOVQ e+16(FP), AX
	MOVQ Edges_Set(AX), DI
	MOVQ Edges_Pairs(AX), R9
	MOVQ Edges_Tags(AX), R10
	MOVQ Edges_Bits(AX), R11
	MOVQ Edges_Shift(AX), R14
	MOVQ Edges_Mirrored(AX), SI
	MOVQ $const_mul1, R12
	MOVQ $const_mul2, R13
	XORQ BX, BX
loop:
	MOVL Walkers_Check(R8)(BX*4), AX
	MOVL Walkers_Previous(R8)(AX*4), DX
	MOVL Walkers_Candidate(R8)(AX*4), AX
	TESTQ SI, SI
	JZ ordered
	MOVL DX, CX
	CMPL AX, DX
	CMOVLCS AX, DX
	CMOVLCS CX, AX
ordered:
	MOVQ R11, CX
	SHLQ CX, DX
	ORQ AX, DX
	IMULQ R12, DX
	ANDQ R9, DX
	MOVQ DX, AX
	SHRQ CX, AX
	XORQ AX, DX
	IMULQ R13, DX
	ANDQ R9, DX
	MOVQ DX, AX
	ANDQ R10, AX
	LEAQ 1(AX*4), AX
	MOVQ AX, Walkers_Hash(R8)(BX*8)
	MOVQ R14, CX
	SHRQ CX, DX
	SHLQ $6, DX
	MOVQ DX, Walkers_Edge(R8)(BX*8)
	PREFETCHT1 (DI)(DX*1)
	INCQ BX
	CMPQ BX, checks+8(FP)
	JLT loop
	RET

// probe searches the buckets that seek prefetched. It inverts the decision on the pairs that it finds, and keeps in Check
// those that it does not find in a full bucket, since they may have been passed on to the next one.
//
// func probe(w *Walkers, checks int, e *Edges) (left int)
TEXT ·probe(SB), NOSPLIT, $0-32
	MOVQ w+0(FP), R8
	MOVQ checks+8(FP), CX
	MOVQ e+16(FP), AX
	MOVQ Edges_Set(AX), DI
	XORQ R12, R12
	XORQ BX, BX
loop:
	MOVQ Walkers_Edge(R8)(BX*8), DX
	MOVD Walkers_Hash(R8)(BX*8), X0
	PSHUFD $0, X0, X0
	MOVOU (DI)(DX*1), X1
	MOVOU 16(DI)(DX*1), X2
	MOVOU 32(DI)(DX*1), X3
	MOVOU 48(DI)(DX*1), X4
	PCMPEQL X0, X1
	PCMPEQL X0, X2
	PCMPEQL X0, X3
	PCMPEQL X0, X4
	POR X2, X1
	POR X4, X3
	POR X3, X1
	PMOVMSKB X1, AX
	MOVL Walkers_Check(R8)(BX*4), SI
	NEGL AX
	SBBQ AX, AX // -1 if found
	MOVL 60(DI)(DX*1), R11
	NEGL R11
	SBBQ R11, R11 // -1 if the bucket is full
	MOVL AX, R10
	ANDL $1, R10
	XORL R10, Walkers_Accepted(R8)(SI*4)
	NOTQ AX
	ANDQ AX, R11
	MOVL SI, Walkers_Check(R8)(R12*4)
	SUBQ R11, R12
	INCQ BX
	CMPQ BX, CX
	JLT loop
	MOVQ R12, left+24(FP)
	RET
