#include "go_asm.h"
#include "textflag.h"
#include "law_amd64.h"

// R9 the trace, R10 alive, R11 dead, R12 threshold, R13 Last; full is counted in its result's place. A full row is rare
// and branches; whether a walk stops cannot be foretold, so both outcomes are written and one of them is counted.
#define STOP(TABLE, END) \
	GROUP(TABLE) \
	MOVQ tr+24(FP), AX \
	MOVQ Traces_Vertices(AX), R9 \
	MOVQ Traces_Threshold(AX), R12 \
	MOVL Traces_Last(AX), R13 \
	XORQ R10, R10 \
	XORQ R11, R11 \
	MOVQ R10, full+48(FP) \
loop: \
	END \
	PREFETCHT1 (DI)(AX*8) \
	MOVL Walkers_Row(R8)(BX*4), DX \
	MOVL AX, (R9)(DX*4) \
	INCL DX \
	MOVL Walkers_Accept(R8)(BX*4), R15 \
	TESTL DX, R13 \
	JZ full \
either: \
	MOVL DX, Walkers_Event(R8)(R11*4) \
	MOVL DX, Walkers_Row(R8)(R10*4) \
	MOVL AX, Walkers_Vertex(R8)(R10*4) \
	MOVQ Walkers_Key(R8)(BX*8), DX \
	MOVQ DX, Walkers_Key(R8)(R10*8) \
	MOVQ $const_Step, DX \
	ADDQ Walkers_Term(R8)(BX*8), DX \
	MOVQ DX, Walkers_Term(R8)(R10*8) \
	CMPQ R15, R12 \
	SBBQ DX, DX \
	CMPL AX, $-1 \
	SBBQ AX, AX \
	NOTQ DX \
	ANDQ AX, DX \
	SUBQ DX, R10 \
	LEAQ 1(R11)(DX*1), R11 \
next: \
	NEXT(loop) \
	MOVQ R10, alive+32(FP) \
	MOVQ R11, dead+40(FP) \
	RET \
full: \
	CMPQ R15, R12 \
	JCS either \
	CMPL AX, $-1 \
	JEQ either \
	MOVQ full+48(FP), R14 \
	MOVL DX, Walkers_FullRow(R8)(R14*4) \
	MOVL AX, Walkers_FullVertex(R8)(R14*4) \
	MOVQ Walkers_Key(R8)(BX*8), DX \
	MOVQ DX, Walkers_FullKey(R8)(R14*8) \
	MOVQ $const_Step, DX \
	ADDQ Walkers_Term(R8)(BX*8), DX \
	MOVQ DX, Walkers_FullTerm(R8)(R14*8) \
	INCQ R14 \
	MOVQ R14, full+48(FP) \
	JMP next

// func stopIndex(t *Tables, w *Walkers, n int, tr *Traces) (alive, dead, full int)
TEXT ·stopIndex(SB), NOSPLIT, $0-56
	STOP(Tables_Indices, END_INDEX)

// func stopSlot(t *Tables, w *Walkers, n int, tr *Traces) (alive, dead, full int)
TEXT ·stopSlot(SB), NOSPLIT, $0-56
	STOP(Tables_Slots, END_SLOT)
