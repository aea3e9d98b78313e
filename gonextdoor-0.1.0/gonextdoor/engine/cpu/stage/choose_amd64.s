#include "go_asm.h"
#include "textflag.h"
#include "macros_amd64.h"

// func chooseIndex(t *Tables, w *Walkers, n int, term uint64)
TEXT ·chooseIndex(SB), NOSPLIT, $0-32
	GROUP(Tables_Indices)
	MULTIPLIERS
	MOVQ term+24(FP), R11
loop:
	RECORD
	MOVQ Walkers_Key(R8)(BX*8), DX
	XORQ R11, DX
	MIX
	BELOW
	PREFETCH_INDEX
	NEXT(loop)
	RET

// func chooseSlot(t *Tables, w *Walkers, n int, term uint64)
TEXT ·chooseSlot(SB), NOSPLIT, $0-32
	GROUP(Tables_Slots)
	MULTIPLIERS
	MOVQ term+24(FP), R11
loop:
	RECORD
	MOVQ Walkers_Key(R8)(BX*8), DX
	XORQ R11, DX
	MIX
	BELOW
	PREFETCH_SLOT
	SHRQ $32, AX
	MOVL AX, Walkers_Fraction(R8)(BX*4)
	NEXT(loop)
	RET

// func proposeIndex(t *Tables, w *Walkers, n int)
TEXT ·proposeIndex(SB), NOSPLIT, $0-24
	GROUP(Tables_Indices)
	MULTIPLIERS
loop:
	RECORD
	MOVQ Walkers_Key(R8)(BX*8), DX
	XORQ Walkers_Term(R8)(BX*8), DX
	MIX
	BELOW
	PREFETCH_INDEX
	SHRQ $32, AX
	MOVL AX, Walkers_Accept(R8)(BX*4)
	NEXT(loop)
	RET

// func proposeSlot(t *Tables, w *Walkers, n int)
TEXT ·proposeSlot(SB), NOSPLIT, $0-24
	GROUP(Tables_Slots)
	MULTIPLIERS
	MOVQ $const_gamma, R9
loop:
	RECORD
	MOVQ Walkers_Key(R8)(BX*8), DX
	XORQ Walkers_Term(R8)(BX*8), DX
	MIX
	MOVQ DX, R14
	BELOW
	PREFETCH_SLOT
	SHRQ $32, AX
	MOVL AX, Walkers_Fraction(R8)(BX*4)
	IMULQ R9, R14
	SHRQ $32, R14
	MOVL R14, Walkers_Accept(R8)(BX*4)
	NEXT(loop)
	RET

// FOLLOW moves a walker: it stores the end point of its edge in Vertex and in the result (R9), and prefetches its record. R11 is
// the stride of the result in bytes.
#define FOLLOW(END) \
	END \
	MOVL AX, Walkers_Vertex(R8)(BX*4) \
	MOVL AX, (R9) \
	PREFETCHT1 (DI)(AX*8) \
	ADDQ R11, R9

// func followIndex(t *Tables, w *Walkers, n int, out unsafe.Pointer, stride uintptr)
TEXT ·followIndex(SB), NOSPLIT, $0-40
	GROUP(Tables_Indices)
	MOVQ out+24(FP), R9
	MOVQ stride+32(FP), R11
loop:
	FOLLOW(END_INDEX)
	NEXT(loop)
	RET

// func followSlot(t *Tables, w *Walkers, n int, out unsafe.Pointer, stride uintptr)
TEXT ·followSlot(SB), NOSPLIT, $0-40
	GROUP(Tables_Slots)
	MOVQ out+24(FP), R9
	MOVQ stride+32(FP), R11
loop:
	FOLLOW(END_SLOT)
	NEXT(loop)
	RET
