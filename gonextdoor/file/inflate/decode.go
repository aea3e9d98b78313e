package inflate

import "encoding/binary"

// ahead is how many bytes of input one turn of the fast loop may use.
const ahead = 24

// decode decodes symbols until the block ends or the window is full.
func (s *stream) decode() error {
	for s.inside != nil && s.written <= fullAt {
		if s.filled-s.at < ahead {
			if err := s.refill(ahead); err != nil && s.count == 0 {
				return err
			}
		}
		step := s.slow
		if s.filled-s.at >= ahead {
			step = s.fast
		}
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// fast decodes while there is enough input that no symbol ends beyond it.
func (s *stream) fast() error {
	const lengthMask, distanceMask = 1<<lengthBits - 1, 1<<distanceBits - 1
	in, at, last := s.input, s.at, s.filled-ahead
	bits, count, w := s.bits, s.count, s.written
	window, lens, dists := s.window[:], &s.lens, &s.dists
	defer func() { s.at, s.bits, s.count, s.written = at, bits, count, w }()
	for at <= last && w <= fullAt {
		bits |= binary.LittleEndian.Uint64(in[at:]) << (count & 63)
		at += int((63 - count) >> 3)
		count |= 56
		e := lens[bits&lengthMask]
		if e&literal != 0 { // two literals and what follows them fit into 56 bits
			window[w] = byte(e >> 16)
			w++
			bits, count = bits>>(e&63), count-uint(e&63)
			e = lens[bits&lengthMask]
			if e&literal != 0 {
				window[w] = byte(e >> 16)
				w++
				bits, count = bits>>(e&63), count-uint(e&63)
				e = lens[bits&lengthMask]
			}
		}
		if e&link != 0 {
			bits, count = bits>>lengthBits, count-lengthBits
			e = lens[(e>>16+uint32(bits&(1<<(e>>8&15)-1)))%lengthEntries]
		}
		if e&literal != 0 {
			window[w] = byte(e >> 16)
			w++
			bits, count = bits>>(e&63), count-uint(e&63)
			continue
		}
		if e&end != 0 || e == 0 {
			bits, count = bits>>(e&63), count-uint(e&63)
			return s.over(e)
		}
		length := int(e>>16) + int(bits&(1<<(e&63)-1)>>(e>>8&63))
		bits, count = bits>>(e&63), count-uint(e&63)
		bits |= binary.LittleEndian.Uint64(in[at:]) << (count & 63)
		at += int((63 - count) >> 3)
		count |= 56
		d := dists[bits&distanceMask]
		if d&link != 0 {
			bits, count = bits>>distanceBits, count-distanceBits
			d = dists[(d>>16+uint32(bits&(1<<(d>>8&15)-1)))%distanceEntries]
		}
		distance := int(d>>16) + int(bits&(1<<(d&63)-1)>>(d>>8&63))
		bits, count = bits>>(d&63), count-uint(d&63)
		if d == 0 || distance > w-s.first {
			return ErrCorrupt
		}
		repeat(window, w, distance, length)
		w += length
	}
	return nil
}

// over ends the block, or refuses what is no code word.
func (s *stream) over(e uint32) error {
	if e == 0 {
		return ErrCorrupt
	}
	s.inside = nil
	return nil
}

// repeat copies length bytes from distance before w to w, and up to seven more behind them.
func repeat(window []byte, w, distance, length int) {
	from, to := window[w-distance:], window[w:w+length+7]
	if distance < 8 {
		for i := range length {
			to[i] = from[i]
		}
		return
	}
	for i := 0; i < length; i += 8 {
		binary.LittleEndian.PutUint64(to[i:], binary.LittleEndian.Uint64(from[i:]))
	}
}

// slow decodes one symbol, taking no bit more than it has: the input may end behind it.
func (s *stream) slow() error {
	e, err := s.symbol(s.lens[:], lengthBits)
	switch {
	case err != nil:
		return err
	case e&literal != 0:
		s.window[s.written] = byte(e >> 16)
		s.written++
		return nil
	case e&end != 0:
		return s.over(e)
	}
	more, err := s.take(extra(e))
	if err != nil {
		return err
	}
	length := int(e>>16) + int(more)
	if e, err = s.symbol(s.dists[:], distanceBits); err != nil {
		return err
	}
	if more, err = s.take(extra(e)); err != nil {
		return err
	}
	distance := int(e>>16) + int(more)
	if distance > s.written-s.first {
		return ErrCorrupt
	}
	repeat(s.window[:], s.written, distance, length)
	s.written += length
	return nil
}

// extra gives the number of bits behind a code word.
func extra(e uint32) uint { return uint(e&63 - e>>8&0xff) }

// symbol reads a code word and gives its entry.
func (s *stream) symbol(table []uint32, indexBits uint) (uint32, error) {
	for {
		e, used := table[s.bits&(1<<indexBits-1)], uint(0)
		if e&link != 0 {
			used = indexBits
			e = table[e>>16+uint32(s.bits>>indexBits&(1<<(e>>8&15)-1))]
		}
		n := used + uint(e>>8&0xff)
		switch {
		case e != 0 && n <= s.count:
			s.bits >>= n
			s.count -= n
			return e, nil
		case e == 0 && s.count >= longestWord:
			return 0, ErrCorrupt
		}
		if err := s.need(s.count + 1); err != nil {
			return 0, err
		}
	}
}
