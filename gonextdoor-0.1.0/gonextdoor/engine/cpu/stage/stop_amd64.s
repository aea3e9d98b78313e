#include "go_asm.h"
#include "textflag.h"
#include "macros_amd64.h"

// STOP is Tables.Stop. Whether a walk stops is unpredictable, so there is no branch on it: each walker is written both to the
// next place of the walkers that continue and of those that end, and only one of the two counts advances.
//	DI the batch   R9 kept   R10 ended   R12 Threshold - 1, so that the carry of one comparison means "continues"
#define STOP(TABLE, END) \
	GROUP(TABLE) \
	MOVQ c+24(FP), DI \
	MOVQ WalkerBatch_Threshold(DI), R12 \
	DECQ R12 \
	XORQ R9, R9 \
	XORQ R10, R10 \
loop: \
	END \
	MOVL Walkers_Accept(R8)(BX*4), R15 \
	CMPQ R12, R15 \
	SBBQ R14, R14 \
	CMPL AX, $-1 \
	SBBQ R11, R11 \
	ANDQ R11, R14 \
	MOVQ WalkerBatch_Row(DI), DX \
	MOVL (DX)(BX*4), R15 \
	MOVQ R15, DX \
	SHLQ $6, DX \
	ADDQ WalkerBatch_Trace(DI), DX \
	MOVL AX, (DX) \
	MOVQ WalkerBatch_KeptVertex(DI), DX \
	MOVL AX, (DX)(R9*4) \
	MOVQ WalkerBatch_Key(DI), DX \
	MOVQ (DX)(BX*8), AX \
	MOVQ WalkerBatch_KeptKey(DI), DX \
	MOVQ AX, (DX)(R9*8) \
	MOVQ WalkerBatch_KeptRow(DI), DX \
	MOVL R15, (DX)(R9*4) \
	INCQ R11 \
	SHLQ $31, R11 \
	ORQ R11, R15 \
	MOVQ WalkerBatch_Ended(DI), DX \
	MOVL R15, (DX)(R10*4) \
	SUBQ R14, R9 \
	LEAQ 1(R10)(R14*1), R10 \
	NEXT(loop) \
	MOVQ R9, kept+32(FP) \
	RET

// func stopIndex(t *Tables, w *Walkers, n int, c *WalkerBatch) (kept int)
TEXT ·stopIndex(SB), NOSPLIT, $0-40
	STOP(Tables_Indices, END_INDEX)

// func stopSlot(t *Tables, w *Walkers, n int, c *WalkerBatch) (kept int)
TEXT ·stopSlot(SB), NOSPLIT, $0-40
	STOP(Tables_Slots, END_SLOT)
