#include "go_asm.h"
#include "textflag.h"
#include "macros_amd64.h"

#define ring (const_lag+8)

// ASK_EDGE and ASK_RECORD prefetch for one of the eight walkers at a place.
#define ASK_EDGE(I) \
	MOVQ (Walkers_Position+8*I)(AX), R12 \
	PREFETCHT1 (SI)(R12*4)

#define ASK_RECORD(I) \
	MOVL (4*I)(R9)(CX*4), AX \
	PREFETCHT1 (DI)(AX*8)

#define ASK_RECORDS \
	ASK_RECORD(0) \
	ASK_RECORD(1) \
	ASK_RECORD(2) \
	ASK_RECORD(3) \
	ASK_RECORD(4) \
	ASK_RECORD(5) \
	ASK_RECORD(6) \
	ASK_RECORD(7)

// TRACE writes where one of the eight walkers at a place of the ring was led.
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

// func strideAVX512(t *Tables, w *Walkers, n int, c *WalkerBatch, term uint64) (kept int)
// Each turn draws for eight walkers, asks for the edges of the eight before (what was just stored by eights is slow to
// load by ones) and for the records of those some way ahead, looks where those lag before were led, and writes the traces
// of the turn before: so the requests for memory are as far apart as the work allows. The records of the first walkers
// are asked for as soon as they are kept. What waits lies in w, as in a ring.
//	R9 vertices   R10 rows   R11 keys   R13 ended   R15 the trace   AX, R12 at hand
//	BX the eight to draw for   DX the eight to look after   R14 kept   before: kept, a turn before
//	K4 those of the eight that there are
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
	CMPQ BX, n+16(FP)
	JGE drawn
	VMOVDQU (R9)(BX*4), Y0
	KXNORB K1, K1, K1
	VPGATHERDQ (DI)(Y0*8), K1, Z1
	VPXORQ (R11)(BX*8), Z29, Z2
	WIDE_MIX(Z2, Z3)
	VPANDQ Z28, Z1, Z3       // the degree d is below 2^24, so word*d >> 32 fits: the index above, the fraction below
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
	LEAQ -8(BX), AX
	CMPQ AX, n+16(FP)
	JGE asked
	ANDQ $(ring-1), AX
	LEAQ (R8)(AX*8), AX
	ASK_EDGE(0)
	ASK_EDGE(1)
	ASK_EDGE(2)
	ASK_EDGE(3)
	ASK_EDGE(4)
	ASK_EDGE(5)
	ASK_EDGE(6)
	ASK_EDGE(7)
asked:
	LEAQ const_ahead(BX), CX
	CMPQ CX, n+16(FP)
	JGE look
	ASK_RECORDS
look:
	TESTQ DX, DX
	JLT next
	JEQ first
	MOVQ before-8(SP), CX
	CMPQ CX, $const_ahead
	JGE trace
	ASK_RECORDS
trace:
	TRACES
first:
	MOVQ R14, before-8(SP)
	MOVQ n+16(FP), AX
	SUBQ DX, AX
	CMPQ AX, $8
	JLT last
eight:
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
	VPBLENDMD Y5, Y24, K4, Y5 // behind the last walker: the row behind the last
	VMOVDQU Y5, Walkers_Check(R8)(AX*4)
	VPCMPEQD Y26, Y1, K4, K2 // led nowhere
	VPCMPUD $6, Y25, Y2, K4, K3
	KANDNB K3, K2, K3        // walks on
	KXORB K3, K4, K5         // ends
	VPCOMPRESSQ.Z Z4, K3, Z4 // closed in registers: compressing into memory takes many times as long
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
	MOVQ before-8(SP), CX
	CMPQ CX, $const_ahead
	JGE done
	ASK_RECORDS
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
