package stage

import "unsafe"

// Compact writes samples to out without gaps: each is a root and the first row of its trace. It sets the offsets of the
// samples and returns the end of the last one. It is
//
//	for i := range roots {
//		offsets[i], out[base] = base, roots[i]
//		copy(out[base+1:], rows[i*TraceWidth:][:TraceWidth])
//		base += 1 + lengths[i]
//	}
//	return base
//
// It copies complete rows, because a branch on the length would be mispredicted; the next sample overwrites the excess. out
// needs TraceWidth elements after the last root.
func (t *Tables) Compact(out []uint32, offsets []int64, roots, lengths, rows []uint32, base int) int {
	if n := len(roots); t.avx512 && n > 0 {
		_, _, _ = offsets[n-1], lengths[n-1], rows[n*TraceWidth-1]
		return compactAVX512(
			unsafe.SliceData(out), unsafe.SliceData(offsets), unsafe.SliceData(roots), unsafe.SliceData(lengths),
			unsafe.SliceData(rows), n, base,
		)
	}
	for i, root := range roots {
		offsets[i], out[base] = int64(base), root
		copyRow(&out[base+1], &rows[i*TraceWidth])
		base += 1 + int(lengths[i])
	}
	return base
}

// copyRow copies a row of TraceWidth vertices in 8-byte words, which is faster than a call of copy.
func copyRow(out, row *uint32) {
	to, from := (*[TraceWidth / 2]uint64)(unsafe.Pointer(out)), (*[TraceWidth / 2]uint64)(unsafe.Pointer(row))
	to[0], to[1], to[2], to[3] = from[0], from[1], from[2], from[3]
	to[4], to[5], to[6], to[7] = from[4], from[5], from[6], from[7]
}
