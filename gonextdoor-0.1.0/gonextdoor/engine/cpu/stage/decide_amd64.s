#include "go_asm.h"
#include "textflag.h"
#include "macros_amd64.h"

// DECIDE is Tables.Decide. No branch depends on a walker, because the outcomes are unpredictable.
//	R9 the SecondOrder    R13 checks
//	AX the candidate      DX the previous vertex, then all ones if Accept < High
//	R14 Accept            R15 Back, Low or always    R12 all ones if accepted for sure    R11 1 unless the candidate is previous
#define DECIDE(TABLE, END) \
	GROUP(TABLE) \
	MOVQ r+24(FP), R9 \
	XORQ R13, R13 \
loop: \
	END \
	PREFETCHT1 (DI)(AX*8) \
	MOVL AX, Walkers_Candidate(R8)(BX*4) \
	MOVL Walkers_Previous(R8)(BX*4), DX \
	MOVL Walkers_Accept(R8)(BX*4), R14 \
	MOVQ SecondOrder_Low(R9), R15 \
	XORL R11, R11 \
	CMPL DX, AX \
	SETNE R11 \
	CMOVQEQ SecondOrder_Back(R9), R15 \
	CMPL AX, $-1 \
	CMOVQEQ SecondOrder_always(R9), R15 \
	CMPL DX, $-1 \
	CMOVQEQ SecondOrder_always(R9), R15 \
	CMPQ R14, SecondOrder_High(R9) \
	SBBQ DX, DX \
	CMPQ R14, R15 \
	SBBQ R12, R12 \
	ANDQ R11, DX \
	MOVQ R12, R14 \
	NOTQ R14 \
	ANDQ R14, DX \
	NEGQ R12 \
	MOVL BX, Walkers_Check(R8)(R13*4) \
	ADDQ DX, R13 \
	ANDL SecondOrder_Away(R9), DX \
	ORL R12, DX \
	MOVL DX, Walkers_Accepted(R8)(BX*4) \
	NEXT(loop) \
	MOVQ R13, checks+32(FP) \
	RET

// func decideIndex(t *Tables, w *Walkers, n int, r *SecondOrder) (checks int)
TEXT ·decideIndex(SB), NOSPLIT, $0-40
	DECIDE(Tables_Indices, END_INDEX)

// func decideSlot(t *Tables, w *Walkers, n int, r *SecondOrder) (checks int)
TEXT ·decideSlot(SB), NOSPLIT, $0-40
	DECIDE(Tables_Slots, END_SLOT)

// advance is Tables.Advance without branches on a walker.
//	R9 vertices of the result    R10 End.Term    R14 End.Last    R12 Step    R13 Gamma    R11 events
//
// func advance(w *Walkers, n int, e *End) (events int)
TEXT ·advance(SB), NOSPLIT, $0-32
	MOVQ w+0(FP), R8
	MOVQ n+8(FP), CX
	MOVQ e+16(FP), AX
	MOVQ End_Vertices(AX), R9
	MOVQ End_Term(AX), R10
	XORQ R11, R11
	XORQ BX, BX
	MOVQ $const_Step, R12
	MOVQ $const_gamma, R13
	MOVQ End_Last(AX), R14
loop:
	MOVL Walkers_Candidate(R8)(BX*4), AX
	MOVQ Walkers_Out(R8)(BX*8), DX
	MOVL AX, (R9)(DX*4)
	MOVL Walkers_Accepted(R8)(BX*4), SI
	ADDQ SI, DX
	MOVQ DX, Walkers_Out(R8)(BX*8)
	MOVL Walkers_Vertex(R8)(BX*4), DX
	MOVL Walkers_Previous(R8)(BX*4), DI
	TESTL SI, SI
	CMOVLNE DX, DI
	CMOVLNE AX, DX
	MOVL DI, Walkers_Previous(R8)(BX*4)
	MOVL DX, Walkers_Vertex(R8)(BX*4)
	MOVQ Walkers_Term(R8)(BX*8), AX
	MOVQ Walkers_Next(R8)(BX*8), DX
	LEAQ (AX)(R13*1), AX
	CMOVQNE DX, AX
	LEAQ (DX)(R12*1), DI
	CMOVQNE DI, DX
	MOVQ AX, Walkers_Term(R8)(BX*8)
	MOVQ DX, Walkers_Next(R8)(BX*8)
	SUBQ AX, DX
	XORL SI, SI
	CMPQ DX, R14
	SETEQ SI
	XORL DI, DI
	CMPQ AX, R10
	SETEQ DI
	ORL DI, SI
	MOVL BX, Walkers_Event(R8)(R11*4)
	ADDQ SI, R11
	NEXT(loop)
	MOVQ R11, events+24(FP)
	RET
