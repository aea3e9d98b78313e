#include "go_asm.h"
#include "textflag.h"
#include "law_amd64.h"

// R9 the trace, R10 alive, R11 -1 unless at None, R12 the threshold less 1, so that the carry of one comparison means
// "goes on", R13 Last; full is counted in its result's place. A full row is rare and
// branches; whether a walk stops cannot be foretold, so a walker is always written to the next place of those that go
// on, and the place is kept or not.
#define STOP(TABLE, END) \
	GROUP(TABLE) \
	MOVQ tr+24(FP), AX \
	MOVQ Traces_Vertices(AX), R9 \
	MOVQ Traces_Threshold(AX), R12 \
	DECQ R12 \
	MOVL Traces_Last(AX), R13 \
	XORQ R10, R10 \
	MOVQ R10, full+40(FP) \
loop: \
	END \
	PREFETCHT1 (DI)(AX*8) \
	MOVL Walkers_Row(R8)(BX*4), DX \
	MOVL Walkers_Accept(R8)(BX*4), R15 \
	MOVL AX, (R9)(DX*4) \
	CMPL AX, $-1 \
	SBBQ R11, R11 \
	MOVL R13, R14 \
	NOTL R14 \
	ANDL DX, R14 \
	SUBL R11, DX \
	MOVL DX, (R9)(R14*4) \
	TESTL DX, R13 \
	JZ full \
either: \
	MOVL DX, Walkers_Row(R8)(R10*4) \
	MOVL AX, Walkers_Vertex(R8)(R10*4) \
	MOVQ Walkers_Key(R8)(BX*8), DX \
	MOVQ DX, Walkers_Key(R8)(R10*8) \
	MOVQ $const_Step, DX \
	ADDQ Walkers_Term(R8)(BX*8), DX \
	MOVQ DX, Walkers_Term(R8)(R10*8) \
	CMPQ R12, R15 \
	SBBQ DX, DX \
	ANDQ R11, DX \
	SUBQ DX, R10 \
next: \
	NEXT(loop) \
	MOVQ R10, alive+32(FP) \
	RET \
full: \
	CMPQ R12, R15 \
	JCC either \
	TESTL R11, R11 \
	JZ either \
	MOVQ full+40(FP), R14 \
	MOVL DX, Walkers_FullRow(R8)(R14*4) \
	MOVL AX, Walkers_FullVertex(R8)(R14*4) \
	MOVQ Walkers_Key(R8)(BX*8), DX \
	MOVQ DX, Walkers_FullKey(R8)(R14*8) \
	MOVQ $const_Step, DX \
	ADDQ Walkers_Term(R8)(BX*8), DX \
	MOVQ DX, Walkers_FullTerm(R8)(R14*8) \
	INCQ R14 \
	MOVQ R14, full+40(FP) \
	JMP next

// func stopIndex(t *Tables, w *Walkers, n int, tr *Traces) (alive, full int)
TEXT ·stopIndex(SB), NOSPLIT, $0-48
	STOP(Tables_Indices, END_INDEX)

// func stopSlot(t *Tables, w *Walkers, n int, tr *Traces) (alive, full int)
TEXT ·stopSlot(SB), NOSPLIT, $0-48
	STOP(Tables_Slots, END_SLOT)
