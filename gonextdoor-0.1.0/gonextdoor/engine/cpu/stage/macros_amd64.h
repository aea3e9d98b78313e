// Macros that the stages share. Registers, unless a stage documents others:
//	DI records of the vertices   SI Indices, or the alias slots
//	R8 the walkers               CX number of walkers         BX index of the current walker

// GROUP loads the arguments that all stages have.
#define GROUP(TABLE) \
	MOVQ t+0(FP), AX \
	MOVQ Tables_Records(AX), DI \
	MOVQ TABLE(AX), SI \
	MOVQ w+8(FP), R8 \
	MOVQ n+16(FP), CX \
	XORQ BX, BX

// MULTIPLIERS loads the multipliers of rng.Mix.
#define MULTIPLIERS \
	MOVQ $const_mul1, R12 \
	MOVQ $const_mul2, R13

// DX = rng.Mix(DX)
#define MIX \
	MOVQ DX, AX \
	SHRQ $30, AX \
	XORQ AX, DX \
	IMULQ R12, DX \
	MOVQ DX, AX \
	SHRQ $27, AX \
	XORQ AX, DX \
	IMULQ R13, DX \
	MOVQ DX, AX \
	SHRQ $31, AX \
	XORQ AX, DX

// R10 = the record of the vertex of walker BX
#define RECORD \
	MOVLQSX Walkers_Vertex(R8)(BX*4), AX \
	MOVQ (DI)(AX*8), R10

// DX = the position that word DX selects in the row of record R10, stored in Position; AX = the low 64 bits of the product
#define BELOW \
	MOVQ R10, AX \
	ANDL $const_maxDegree, AX \
	MULQ DX \
	SHRQ $const_degreeBits, R10 \
	ADDQ R10, DX \
	MOVQ DX, Walkers_Position(R8)(BX*8)

#define PREFETCH_INDEX \
	PREFETCHT1 (SI)(DX*4)

#define PREFETCH_SLOT \
	SHLQ $4, DX \
	PREFETCHT1 (SI)(DX*1)

// AX = the end point of the choice of walker BX, sign-extended. Overwrites DX, and for slots R14 and R15.
#define END_INDEX \
	MOVQ Walkers_Position(R8)(BX*8), DX \
	MOVLQSX (SI)(DX*4), AX

#define END_SLOT \
	MOVQ Walkers_Position(R8)(BX*8), DX \
	SHLQ $4, DX \
	MOVLQSX (SI)(DX*1), AX \
	MOVLQSX 4(SI)(DX*1), R14 \
	MOVL Walkers_Fraction(R8)(BX*4), R15 \
	CMPL R15, 8(SI)(DX*1) \
	CMOVQCC R14, AX

#define NEXT(LOOP) \
	INCQ BX \
	CMPQ BX, CX \
	JLT LOOP

// X = rng.Mix of eight words. Overwrites T. Z31 and Z30 hold the multipliers.
#define WIDE_MIX(X, T) \
	VPSRLQ  $30, X, T \
	VPXORQ  T, X, X \
	VPMULLQ Z31, X, X \
	VPSRLQ  $27, X, T \
	VPXORQ  T, X, X \
	VPMULLQ Z30, X, X \
	VPSRLQ  $31, X, T \
	VPXORQ  T, X, X
