#include "go_asm.h"
#include "textflag.h"
#include "macros_amd64.h"

// BATCH loads the arguments of draw: R9 the vertices, R11 the keys, R15 the term.
#define BATCH \
	MOVQ c+24(FP), AX \
	MOVQ WalkerBatch_Key(AX), R11 \
	MOVQ WalkerBatch_Vertex(AX), R9 \
	MOVQ term+32(FP), R15

// WORD computes for walker BX: R10 = the record of its vertex, DX = its random word.
#define WORD \
	MOVLQSX (R9)(BX*4), AX \
	MOVQ (DI)(AX*8), R10 \
	MOVQ (R11)(BX*8), DX \
	XORQ R15, DX \
	MIX

// func drawIndex(t *Tables, w *Walkers, n int, c *WalkerBatch, term uint64)
TEXT ·drawIndex(SB), NOSPLIT, $0-40
	GROUP(Tables_Indices)
	MULTIPLIERS
	BATCH
loop:
	WORD
	BELOW
	PREFETCH_INDEX
	SHRQ $32, AX
	MOVL AX, Walkers_Accept(R8)(BX*4)
	NEXT(loop)
	RET

// func drawSlot(t *Tables, w *Walkers, n int, c *WalkerBatch, term uint64)
TEXT ·drawSlot(SB), NOSPLIT, $0-40
	GROUP(Tables_Slots)
	MULTIPLIERS
	BATCH
loop:
	WORD
	MOVQ DX, R14
	BELOW
	PREFETCH_SLOT
	SHRQ $32, AX
	MOVL AX, Walkers_Fraction(R8)(BX*4)
	MOVQ $const_gamma, DX
	IMULQ DX, R14
	SHRQ $32, R14
	MOVL R14, Walkers_Accept(R8)(BX*4)
	NEXT(loop)
	RET
