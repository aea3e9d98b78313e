#include "textflag.h"

// sumLabelled compares four labels per round. X0 holds the label, X1 zeros, and X2 and X3 two sums each.
//
// func sumLabelled(labels *int32, biases *uint32, n int, label int32) uint64
TEXT ·sumLabelled(SB), NOSPLIT, $0-40
	MOVQ labels+0(FP), DI
	MOVQ biases+8(FP), SI
	MOVQ n+16(FP), CX
	MOVL label+24(FP), AX
	MOVQ AX, X0
	PSHUFD $0, X0, X0
	PXOR X1, X1
	PXOR X2, X2
	PXOR X3, X3
	TESTQ SI, SI
	JZ   count
sum:
	PREFETCHT0 512(DI)
	PREFETCHT0 512(SI)
	CMPQ CX, $16
	JL   four
	MOVOU 0(DI), X4
	PCMPEQL X0, X4
	MOVOU 0(SI), X5
	PAND X5, X4
	MOVO X4, X5
	PUNPCKLLQ X1, X4
	PUNPCKHLQ X1, X5
	PADDQ X4, X2
	PADDQ X5, X3
	MOVOU 16(DI), X6
	PCMPEQL X0, X6
	MOVOU 16(SI), X7
	PAND X7, X6
	MOVO X6, X7
	PUNPCKLLQ X1, X6
	PUNPCKHLQ X1, X7
	PADDQ X6, X2
	PADDQ X7, X3
	MOVOU 32(DI), X4
	PCMPEQL X0, X4
	MOVOU 32(SI), X5
	PAND X5, X4
	MOVO X4, X5
	PUNPCKLLQ X1, X4
	PUNPCKHLQ X1, X5
	PADDQ X4, X2
	PADDQ X5, X3
	MOVOU 48(DI), X6
	PCMPEQL X0, X6
	MOVOU 48(SI), X7
	PAND X7, X6
	MOVO X6, X7
	PUNPCKLLQ X1, X6
	PUNPCKHLQ X1, X7
	PADDQ X6, X2
	PADDQ X7, X3
	ADDQ $64, DI
	ADDQ $64, SI
	SUBQ $16, CX
	JNZ  sum
	JMP  done
four:
	MOVOU (DI), X4
	PCMPEQL X0, X4
	MOVOU (SI), X5
	PAND X5, X4
	MOVO X4, X5
	PUNPCKLLQ X1, X4
	PUNPCKHLQ X1, X5
	PADDQ X4, X2
	PADDQ X5, X3
	ADDQ $16, DI
	ADDQ $16, SI
	SUBQ $4, CX
	JNZ  four
	JMP  done
count:
	MOVOU (DI), X4
	PCMPEQL X0, X4
	PSUBL X4, X2
	ADDQ $16, DI
	SUBQ $4, CX
	JNZ  count
	MOVO X2, X3
	PUNPCKLLQ X1, X2
	PUNPCKHLQ X1, X3
done:
	PADDQ X3, X2
	PSHUFD $0xEE, X2, X3
	PADDQ X3, X2
	MOVQ X2, AX
	MOVQ AX, ret+32(FP)
	RET

// aboveLabelled adds up four edges per round, until their sum exceeds DX, the rest of r.
//
// func aboveLabelled(labels *int32, biases *uint32, n int, label int32, r uint64) (passed int, left uint64)
TEXT ·aboveLabelled(SB), NOSPLIT, $0-56
	MOVQ labels+0(FP), DI
	MOVQ biases+8(FP), SI
	MOVQ n+16(FP), CX
	MOVL label+24(FP), AX
	MOVQ r+32(FP), DX
	MOVQ AX, X0
	PSHUFD $0, X0, X0
	PXOR X1, X1
	PCMPEQL X6, X6
	PSRLL $31, X6
	XORQ BX, BX
next:
	CMPQ BX, CX
	JGE  out
	MOVOU (DI)(BX*4), X4
	PCMPEQL X0, X4
	MOVO X6, X5
	TESTQ SI, SI
	JZ   ones
	MOVOU (SI)(BX*4), X5
ones:
	PAND X5, X4
	MOVO X4, X5
	PUNPCKLLQ X1, X4
	PUNPCKHLQ X1, X5
	PADDQ X5, X4
	PSHUFD $0xEE, X4, X5
	PADDQ X5, X4
	MOVQ X4, AX
	CMPQ DX, AX
	JCS  out
	SUBQ AX, DX
	ADDQ $4, BX
	JMP  next
out:
	MOVQ BX, passed+40(FP)
	MOVQ DX, left+48(FP)
	RET
