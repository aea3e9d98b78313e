package stage

import "unsafe"

// Lay writes samples one behind the other: a root, and the first leg of its trace. It is
//
//	for i := range roots {
//		offsets[i], out[base] = base, roots[i]
//		copy(out[base+1:], rows[i*TraceWidth:][:TraceWidth])
//		base += 1 + lengths[i]
//	}
//	return base
//
// Rows are copied whole, lengths cannot be foretold: the samples behind lie over what is too much. Out must have
// TraceWidth places behind the last root.
func (t *Tables) Lay(out []uint32, offsets []int64, roots, lengths, rows []uint32, base int) int {
	if n := len(roots); t.wide && n > 0 {
		_, _, _ = offsets[n-1], lengths[n-1], rows[n*TraceWidth-1]
		return layWide(
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

// copyRow copies a row by words, since a call to copy takes longer.
func copyRow(out, row *uint32) {
	to, from := (*[TraceWidth / 2]uint64)(unsafe.Pointer(out)), (*[TraceWidth / 2]uint64)(unsafe.Pointer(row))
	to[0], to[1], to[2], to[3] = from[0], from[1], from[2], from[3]
	to[4], to[5], to[6], to[7] = from[4], from[5], from[6], from[7]
}
