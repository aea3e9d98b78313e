#include "textflag.h"

// func PrefetchRecords(base unsafe.Pointer, v []uint32)
TEXT ·PrefetchRecords(SB), NOSPLIT, $0-32
	MOVQ base+0(FP), DI
	MOVQ v_base+8(FP), SI
	MOVQ v_len+16(FP), CX
	LEAQ (SI)(CX*4), CX
	CMPQ SI, CX
	JGE  done
loop:
	MOVLQSX (SI), AX
	PREFETCHT1 (DI)(AX*8)
	ADDQ $4, SI
	CMPQ SI, CX
	JLT  loop
done:
	RET

// func PrefetchIndices(indices *uint32, positions []uint64)
TEXT ·PrefetchIndices(SB), NOSPLIT, $0-32
	MOVQ indices+0(FP), DI
	MOVQ positions_base+8(FP), SI
	MOVQ positions_len+16(FP), CX
	LEAQ (SI)(CX*8), CX
	CMPQ SI, CX
	JGE  done
loop:
	MOVQ (SI), AX
	PREFETCHT1 (DI)(AX*4)
	ADDQ $8, SI
	CMPQ SI, CX
	JLT  loop
done:
	RET

// func PrefetchWords(words *uint64, positions []uint64)
TEXT ·PrefetchWords(SB), NOSPLIT, $0-32
	MOVQ words+0(FP), DI
	MOVQ positions_base+8(FP), SI
	MOVQ positions_len+16(FP), CX
	LEAQ (SI)(CX*8), CX
	CMPQ SI, CX
	JGE  done
loop:
	MOVQ (SI), AX
	PREFETCHT1 (DI)(AX*8)
	ADDQ $8, SI
	CMPQ SI, CX
	JLT  loop
done:
	RET

// func PrefetchSlots(slots unsafe.Pointer, positions []uint64)
TEXT ·PrefetchSlots(SB), NOSPLIT, $0-32
	MOVQ slots+0(FP), DI
	MOVQ positions_base+8(FP), SI
	MOVQ positions_len+16(FP), CX
	LEAQ (SI)(CX*8), CX
	CMPQ SI, CX
	JGE  done
loop:
	MOVQ (SI), AX
	SHLQ $4, AX
	PREFETCHT1 (DI)(AX*1)
	ADDQ $8, SI
	CMPQ SI, CX
	JLT  loop
done:
	RET

// func Gather(indices *uint32, positions []uint64, v *uint32)
TEXT ·Gather(SB), NOSPLIT, $0-40
	MOVQ indices+0(FP), DI
	MOVQ positions_base+8(FP), SI
	MOVQ positions_len+16(FP), CX
	MOVQ v+32(FP), R8
	XORQ BX, BX
	CMPQ BX, CX
	JGE  done
loop:
	MOVQ (SI)(BX*8), DX
	MOVL (DI)(DX*4), AX
	MOVL AX, (R8)(BX*4)
	INCQ BX
	CMPQ BX, CX
	JLT  loop
done:
	RET

// func GatherDense(indices, ids *uint32, positions []uint64, v *int64)
TEXT ·GatherDense(SB), NOSPLIT, $0-48
	MOVQ indices+0(FP), DI
	MOVQ ids+8(FP), R9
	MOVQ positions_base+16(FP), SI
	MOVQ positions_len+24(FP), CX
	MOVQ v+40(FP), R8
	XORQ BX, BX
	CMPQ BX, CX
	JGE  done
loop:
	MOVQ (SI)(BX*8), DX
	MOVL (DI)(DX*4), AX
	MOVQ AX, (R8)(BX*8)
	PREFETCHT1 (R9)(AX*4)
	INCQ BX
	CMPQ BX, CX
	JLT  loop
done:
	RET

// func GatherHash(indices *uint32, slots *uint64, positions []uint64, v *int64, shift uint64)
TEXT ·GatherHash(SB), NOSPLIT, $0-56
	MOVQ indices+0(FP), DI
	MOVQ slots+8(FP), R9
	MOVQ positions_base+16(FP), SI
	MOVQ positions_len+24(FP), R11
	MOVQ v+40(FP), R8
	MOVQ shift+48(FP), CX
	MOVQ $0x9E3779B97F4A7C15, R12
	XORQ BX, BX
	CMPQ BX, R11
	JGE  done
loop:
	MOVQ  (SI)(BX*8), DX
	MOVL  (DI)(DX*4), AX
	MOVQ  AX, (R8)(BX*8)
	IMULQ R12, AX
	SHRQ  CX, AX
	PREFETCHT1 (R9)(AX*8)
	INCQ  BX
	CMPQ  BX, R11
	JLT   loop
done:
	RET

// func Number(ids *uint32, v []int64, nodes *uint32, count uint64) uint64
TEXT ·Number(SB), NOSPLIT, $0-56
	MOVQ ids+0(FP), DI
	MOVQ v_base+8(FP), SI
	MOVQ v_len+16(FP), CX
	MOVQ nodes+32(FP), R9
	MOVQ count+40(FP), AX
	LEAQ (SI)(CX*8), CX
	CMPQ SI, CX
	JGE  done
loop:
	MOVQ (SI), DX             // u
	MOVL (DI)(DX*4), R10      // entry = ids[u]
	MOVL DX, (R9)(AX*4)       // nodes[count] = u, overwritten later unless u is new
	LEAQ 1(AX), R11
	XORQ R12, R12
	TESTL R10, R10
	SETEQ R12                 // 1 if new
	CMOVLEQ R11, R10          // entry = count+1 if new
	ADDQ R12, AX
	MOVL R10, (DI)(DX*4)
	DECQ R10
	MOVQ R10, (SI)
	ADDQ $8, SI
	CMPQ SI, CX
	JLT  loop
done:
	MOVQ AX, ret+48(FP)
	RET

// func Forget(ids *uint32, nodes []uint32)
TEXT ·Forget(SB), NOSPLIT, $0-32
	MOVQ ids+0(FP), DI
	MOVQ nodes_base+8(FP), SI
	MOVQ nodes_len+16(FP), CX
	LEAQ (SI)(CX*4), CX
	LEAQ -128(CX), DX        // the last 32 nodes have no node 32 ahead to prefetch for
	XORL R8, R8
ahead:
	CMPQ SI, DX
	JGE  rest
	MOVL 128(SI), AX
	PREFETCHT1 (DI)(AX*4)
	MOVL (SI), AX
	MOVL R8, (DI)(AX*4)
	ADDQ $4, SI
	JMP  ahead
rest:
	CMPQ SI, CX
	JGE  done
	MOVL (SI), AX
	MOVL R8, (DI)(AX*4)
	ADDQ $4, SI
	JMP  rest
done:
	RET
