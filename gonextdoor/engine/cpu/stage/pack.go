package stage

import "unsafe"

// Packing is a piece of traces on its way into a ragged result.
type Packing struct {
	Rows     unsafe.Pointer // of Traces
	Width    uint64         // of a row
	First    uint64         // place of a sample's first step in its row
	Longest  uint64         // steps of a sample whose row surely has no next
	Roots    unsafe.Pointer
	Samples  int
	Offsets  unsafe.Pointer // sample 0's
	Vertices unsafe.Pointer // of the whole result
	End      int            // vertex behind the piece's last
}

// Packed is how many steps Pack copies at once, needed or not: lengths cannot be foretold, copies can.
const Packed = 16

// Pack writes samples from i on, the first of them at vertex base, until one that must be written with more care: one
// with more than Longest or Packed steps, or one so near the end of the piece that copying too much would leave the
// piece. It gives that one's number and base. It is
//
//	for ; i < Samples && base+1+Packed <= End; i++ {
//		steps := Rows[i][0] - i*Width - First
//		if steps > min(Packed, Longest) { break }
//		Offsets[i], Vertices[base] = base, Roots[i]
//		copy(Vertices[base+1:], Rows[i][First:][:steps])
//		base += 1 + steps
//	}
func (t *Tables) Pack(p *Packing, i, base int) (int, int) {
	if t.assembly {
		return pack(p, i, base, min(Packed, p.Longest))
	}
	return i, base
}
