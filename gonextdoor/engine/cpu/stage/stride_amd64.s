#include "go_asm.h"
#include "textflag.h"
#include "macros_amd64.h"

// The walkers between choice and read are in the arrays of w, which are used as a ring buffer of this many elements.
#define ring (const_lag+8)

// FETCH_EDGE and FETCH_RECORD prefetch the edge and the record of walker I of a group of eight.
#define FETCH_EDGE(I) \
	MOVQ (Walkers_Position+8*I)(AX), R12 \
	PREFETCHT1 (SI)(R12*4)

#define FETCH_RECORD(I) \
	MOVL (4*I)(R9)(CX*4), AX \
	PREFETCHT1 (DI)(AX*8)

#define FETCH_RECORDS \
	FETCH_RECORD(0) \
	FETCH_RECORD(1) \
	FETCH_RECORD(2) \
	FETCH_RECORD(3) \
	FETCH_RECORD(4) \
	FETCH_RECORD(5) \
	FETCH_RECORD(6) \
	FETCH_RECORD(7)

// TRACE writes the end point of walker I of a group of eight in the ring to the trace.
#define TRACE(I) \
	MOVL (Walkers_Check+4*I)(AX), R12 \
	MOVL (Walkers_Candidate+4*I)(AX), CX \
	MOVL CX, (R15)(R12*1)

#define TRACES \
	LEAQ -8(DX), AX \
	ANDQ $(ring-1), AX \
	LEAQ (R8)(AX*4), AX \
	TRACE(0) \
	TRACE(1) \
	TRACE(2) \
	TRACE(3) \
	TRACE(4) \
	TRACE(5) \
	TRACE(6) \
	TRACE(7)

// strideAVX512 is Tables.StepAll without weights: a software pipeline over groups of eight walkers. Each round has five stages,
// which work on different groups, so that memory requests are issued long before their results are read:
//
//	1. Choose the edges of group BX.
//	2. Prefetch the edges of the group before it. (Loading single elements right after the vector store of stage 1 is slow.)
//	3. Prefetch the records of the group prefetchDistance walkers ahead.
//	4. Write the traces of the group that stage 5 handled in the previous round.
//	5. Read the end points of group DX, lag walkers before BX, and compact the walkers that continue.
//
// The records of the first walkers for the next step are prefetched as soon as stage 5 has kept them.
//	R9 vertices   R10 rows   R11 keys   R13 ended   R15 trace   R14 kept   kept8: kept one round ago   AX, R12, CX scratch
//	K4 the walkers of group DX that exist: all eight, except in the last group
//
// func strideAVX512(t *Tables, w *Walkers, n int, c *WalkerBatch, term uint64) (kept int)
TEXT ·strideAVX512(SB), NOSPLIT, $8-48
	GROUP(Tables_Indices)
	MULTIPLIERS
	VPBROADCASTQ R12, Z31
	VPBROADCASTQ R13, Z30
	MOVQ term+32(FP), AX
	VPBROADCASTQ AX, Z29
	MOVQ $const_maxDegree, AX
	VPBROADCASTQ AX, Z28
	MOVQ $const_Nowhere, AX
	VPBROADCASTD AX, Y27
	VPTERNLOGD $0xff, Y26, Y26, Y26
	MOVQ c+24(FP), DX
	MOVQ WalkerBatch_Threshold(DX), AX
	DECQ AX
	VPBROADCASTD AX, Y25
	MOVQ WalkerBatch_Rows(DX), AX
	SHLQ $6, AX
	VPBROADCASTD AX, Y24
	MOVQ WalkerBatch_Key(DX), R11
	MOVQ WalkerBatch_Vertex(DX), R9
	MOVQ WalkerBatch_Row(DX), R10
	MOVQ WalkerBatch_Trace(DX), R15
	MOVQ WalkerBatch_Ended(DX), R13
	LEAQ 7(CX), DX           // the lag, or all walkers if they are fewer
	ANDQ $~7, DX
	MOVQ $const_lag, AX
	CMPQ DX, AX
	CMOVQGT AX, DX
	NEGQ DX
	XORQ R14, R14
	KXNORB K4, K4, K4
loop:
	// 1. Choose the edges of group BX.
	CMPQ BX, n+16(FP)
	JGE drawn
	VMOVDQU (R9)(BX*4), Y0
	KXNORB K1, K1, K1
	VPGATHERDQ (DI)(Y0*8), K1, Z1
	VPXORQ (R11)(BX*8), Z29, Z2
	WIDE_MIX(Z2, Z3)
	VPANDQ Z28, Z1, Z3       // d < 2^24, so word*d >> 32 fits in 64 bits: the index is its upper half, the fraction its lower
	VPSRLQ $const_degreeBits, Z1, Z1
	VPSRLQ $32, Z2, Z4
	VPMULUDQ Z3, Z2, Z2
	VPMULUDQ Z3, Z4, Z4
	VPSRLQ $32, Z2, Z2
	VPADDQ Z2, Z4, Z4
	VPSRLQ $32, Z4, Z2
	VPADDQ Z2, Z1, Z1
	VPMOVQD Z4, Y4
	MOVQ BX, AX
	ANDQ $(ring-1), AX
	VMOVDQU64 Z1, Walkers_Position(R8)(AX*8)
	VMOVDQU Y4, Walkers_Accept(R8)(AX*4)
drawn:
	// 2. Prefetch the edges of the group before it.
	LEAQ -8(BX), AX
	CMPQ AX, n+16(FP)
	JGE fetched
	ANDQ $(ring-1), AX
	LEAQ (R8)(AX*8), AX
	FETCH_EDGE(0)
	FETCH_EDGE(1)
	FETCH_EDGE(2)
	FETCH_EDGE(3)
	FETCH_EDGE(4)
	FETCH_EDGE(5)
	FETCH_EDGE(6)
	FETCH_EDGE(7)
fetched:
	// 3. Prefetch the records of a group ahead.
	LEAQ const_prefetchDistance(BX), CX
	CMPQ CX, n+16(FP)
	JGE look
	FETCH_RECORDS
look:
	TESTQ DX, DX
	JLT next
	JEQ first
	MOVQ kept8-8(SP), CX
	CMPQ CX, $const_prefetchDistance
	JGE trace
	FETCH_RECORDS
trace:
	// 4. Write the traces of the previous group.
	TRACES
first:
	MOVQ R14, kept8-8(SP)
	MOVQ n+16(FP), AX
	SUBQ DX, AX
	CMPQ AX, $8
	JLT last
eight:
	// 5. Read the end points of group DX, and compact.
	MOVQ DX, AX
	ANDQ $(ring-1), AX
	VMOVDQU64 Walkers_Position(R8)(AX*8), Z0
	VMOVDQU Walkers_Accept(R8)(AX*4), Y2
	KMOVB K4, K1
	VPGATHERQD (SI)(Z0*4), K1, Y1
	VMOVDQU (R10)(DX*4), Y3
	VMOVDQU64 (R11)(DX*8), Z4
	VMOVDQU Y1, Walkers_Candidate(R8)(AX*4)
	VPSLLD $6, Y3, Y5
	VPBLENDMD Y5, Y24, K4, Y5 // walkers after the last one write to the spare row
	VMOVDQU Y5, Walkers_Check(R8)(AX*4)
	VPCMPEQD Y26, Y1, K4, K2 // at a sink
	VPCMPUD $6, Y25, Y2, K4, K3
	KANDNB K3, K2, K3        // continues
	KXORB K3, K4, K5         // ends
	VPCOMPRESSQ.Z Z4, K3, Z4 // compress in registers: with a memory destination it takes many times as long
	VPCOMPRESSD.Z Y1, K3, Y1
	VPCOMPRESSD.Z Y3, K3, Y5
	VPORD Y27, Y3, K2, Y3
	VPCOMPRESSD.Z Y3, K5, Y3
	VMOVDQU64 Z4, (R11)(R14*8)
	VMOVDQU Y1, (R9)(R14*4)
	VMOVDQU Y5, (R10)(R14*4)
	MOVQ DX, AX
	SUBQ R14, AX
	VMOVDQU Y3, (R13)(AX*4)
	KMOVB K3, AX
	POPCNTL AX, AX
	ADDQ AX, R14
next:
	ADDQ $8, BX
	ADDQ $8, DX
	CMPQ DX, n+16(FP)
	JLT loop
	TRACES
	MOVQ kept8-8(SP), CX
	CMPQ CX, $const_prefetchDistance
	JGE done
	FETCH_RECORDS
done:
	VZEROUPPER
	MOVQ R14, kept+40(FP)
	RET
last:
	XORL R12, R12
	BTSL AX, R12
	DECL R12
	KMOVB R12, K4
	JMP eight
