#include "go_asm.h"
#include "textflag.h"
#include "macros_amd64.h"

// REGIONS_SINGLE computes the regions of a step if every share is 1: CX = near, DX = near + back.
//	AX number of edges of the previous vertex    R15 of the vertex    R9 the Outliers
#define REGIONS_SINGLE \
	XORL DX, DX \
	CMPQ AX, R15 \
	CMOVQCC DX, AX \
	MULQ Outliers_ShortNear(R9) \
	MOVL $0xffffffff, R14 \
	ADDQ R14, AX \
	ADCQ $0, DX \
	SHRQ $32, DX, AX \
	MOVQ AX, CX \
	MOVQ Outliers_single(R9), DX \
	TESTQ AX, AX \
	CMOVQNE Outliers_singleShort(R9), DX \
	ADDQ CX, DX

// REGIONS_REACH computes them by the Reach of the vertex. R14 is its largest share.
#define REGIONS_REACH \
	MOVLQSX Walkers_Vertex(R8)(BX*4), R14 \
	CMPQ R14, $-1 \
	CMOVQEQ Outliers_zero(R9), R14 \
	SHLQ $4, R14 \
	ADDQ Outliers_Reach(R9), R14 \
	MOVQ (R14), R14 \
	ANDQ $~63, R14 \
	MULQ R14 \
	MOVQ R15, CX \
	SHLQ $32, CX \
	CMPQ AX, CX \
	SBBQ CX, CX \
	ANDQ CX, AX \
	TESTQ DX, DX \
	CMOVQNE Outliers_zero(R9), AX \
	MULQ Outliers_ShortNear(R9) \
	ADDQ $-1, AX \
	ADCQ $0, DX \
	MOVQ DX, CX \
	MOVQ Outliers_Back(R9), AX \
	TESTQ CX, CX \
	CMOVQNE Outliers_ShortBack(R9), AX \
	MULQ R14 \
	ADDQ $-1, AX \
	ADCQ $0, DX \
	ADDQ CX, DX

// ACCEPT_FRACTION and ACCEPT_SECOND set AX, which is the fraction, to Accept. R14 is the word.
#define ACCEPT_FRACTION

#define ACCEPT_SECOND \
	MOVQ $const_gamma, AX \
	IMULQ R14, AX \
	SHRQ $32, AX

// APART is Tables.ProposeApart.
//	R9 the Outliers    R11 number of strays    R10 the record, then the position    R15 the number of edges
//	CX number of slots of Near, then zero if it is not, and all ones otherwise      DX the slot
#define APART(TABLE, REGIONS, ACCEPT, PREFETCH) \
	GROUP(TABLE) \
	MULTIPLIERS \
	MOVQ o+24(FP), R9 \
	XORQ R11, R11 \
loop: \
	RECORD \
	MOVQ R10, R15 \
	ANDL $const_maxDegree, R15 \
	MOVLQSX Walkers_Previous(R8)(BX*4), AX \
	MOVQ (DI)(AX*8), AX \
	ANDL $const_maxDegree, AX \
	REGIONS \
	CMPL Walkers_Previous(R8)(BX*4), $-1 \
	CMOVQEQ Outliers_zero(R9), DX \
	CMOVQEQ Outliers_zero(R9), CX \
	CMPQ R10, Outliers_nowhere(R9) \
	CMOVQEQ Outliers_zero(R9), DX \
	CMOVQEQ Outliers_zero(R9), CX \
	MOVQ x+32(FP), AX \
	MOVQ CX, Strays_Near(AX)(R11*8) \
	NEGQ CX \
	SBBQ CX, CX \
	NOTQ CX \
	LEAQ (DX)(R15*1), R14 \
	MOVQ Walkers_Key(R8)(BX*8), DX \
	XORQ Walkers_Term(R8)(BX*8), DX \
	MIX \
	MOVQ R14, AX \
	MOVQ DX, R14 \
	MULQ DX \
	SHRQ $32, AX \
	MOVL AX, Walkers_Fraction(R8)(BX*4) \
	ACCEPT \
	ANDL CX, AX \
	MOVL AX, Walkers_Accept(R8)(BX*4) \
	MOVQ x+32(FP), AX \
	SHRQ $const_degreeBits, R10 \
	ADDQ DX, R10 \
	SUBQ R15, DX \
	CMOVQCC Outliers_edges(R9), R10 \
	MOVL BX, Strays_Walker(AX)(R11*4) \
	MOVQ DX, Strays_Slot(AX)(R11*8) \
	SBBQ $-1, R11 \
	MOVQ R10, Walkers_Position(R8)(BX*8) \
	MOVQ R10, DX \
	PREFETCH \
	INCQ BX \
	CMPQ BX, n+16(FP) \
	JLT loop \
	MOVQ x+32(FP), AX \
	MOVQ R11, Strays_Count(AX) \
	RET

// func proposeApartIndex(t *Tables, w *Walkers, n int, o *Outliers, x *Strays)
TEXT ·proposeApartIndex(SB), NOSPLIT, $0-40
	APART(Tables_Indices, REGIONS_SINGLE, ACCEPT_FRACTION, PREFETCH_INDEX)

// func proposeApartSlot(t *Tables, w *Walkers, n int, o *Outliers, x *Strays)
TEXT ·proposeApartSlot(SB), NOSPLIT, $0-40
	APART(Tables_Slots, REGIONS_REACH, ACCEPT_SECOND, PREFETCH_SLOT)
