package inflate

// order is the order in which the lengths of the code of code lengths stand in a block.
var order = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// fixed are the tables of blocks that bring no codes of their own.
var fixed = func() (t struct {
	lens  [lengthEntries]uint32
	dists [distanceEntries]uint32
}) {
	var lengths [288]uint8
	for i := range lengths {
		switch {
		case i < 144 || i >= 280:
			lengths[i] = 8
		case i < 256:
			lengths[i] = 9
		default:
			lengths[i] = 7
		}
	}
	var five [32]uint8
	for i := range five {
		five[i] = 5
	}
	if !build(t.lens[:], lengthBits, lengths[:], lengthBase[:]) || !build(t.dists[:], distanceBits, five[:], distanceBase[:]) {
		panic("the fixed codes are no codes")
	}
	return t
}()

// codes reads the codes of a block.
func (s *stream) codes() error {
	sizes, err := s.take(14)
	if err != nil {
		return err
	}
	numLengths, numDistances, numOrder := int(sizes&31)+257, int(sizes>>5&31)+1, int(sizes>>10)+4
	if numLengths > 286 || numDistances > 30 {
		return ErrCorrupt
	}
	var first [19]uint8
	for _, symbol := range order[:numOrder] {
		l, err := s.take(3)
		if err != nil {
			return err
		}
		first[symbol] = uint8(l)
	}
	var table [1 << 7]uint32
	if !build(table[:], 7, first[:], plainBase[:]) {
		return ErrCorrupt
	}
	var lengths [286 + 30]uint8
	if err := s.codeLengths(table[:], lengths[:numLengths+numDistances]); err != nil {
		return err
	}
	if !build(s.lens[:], lengthBits, lengths[:numLengths], lengthBase[:]) ||
		!build(s.dists[:], distanceBits, lengths[numLengths:numLengths+numDistances], distanceBase[:]) {
		return ErrCorrupt
	}
	return nil
}

// codeLengths reads the lengths of code words, which are written in a code of their own.
func (s *stream) codeLengths(table []uint32, lengths []uint8) error {
	for i := 0; i < len(lengths); {
		e, err := s.symbol(table, 7)
		if err != nil {
			return err
		}
		symbol := uint8(e >> 16)
		if symbol < 16 {
			lengths[i] = symbol
			i++
			continue
		}
		kind := [3]struct{ bits, least uint }{{2, 3}, {3, 3}, {7, 11}}[symbol-16]
		more, err := s.take(kind.bits)
		if err != nil {
			return err
		}
		again := int(kind.least) + int(more)
		if i+again > len(lengths) || symbol == 16 && i == 0 {
			return ErrCorrupt
		}
		for range again {
			if symbol == 16 {
				lengths[i] = lengths[i-1]
			}
			i++
		}
	}
	return nil
}
