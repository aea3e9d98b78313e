package inflate

import "math/bits"

// A table leads from the next bits of the stream to a symbol. Its entries are
//
//	bits 0-7:   bits that the code word and its extra bits take together
//	bits 8-15:  bits that the code word takes; of a link, bits that index the second table
//	bits 16-30: the literal, the least length or distance, or the place of the second table
//	bit 31:     a literal
//
// An entry of 0 is no code word. Two marks tell the rest apart.
const (
	literal = 1 << 31
	link    = 1 << 7 // in bits 0-7: a second table takes over
	end     = 1 << 6 // in bits 0-7: the end of the block
)

const (
	lengthBits   = 11 // that index the first table of literals and lengths
	distanceBits = 8
	longestWord  = 15
	// The most entries that tables need, second tables included; from zlib's enough.c, for 288 symbols and 11 bits, and
	// for 32 symbols and 8 bits.
	lengthEntries   = 2400
	distanceEntries = 512
)

// base are the symbols of an alphabet as entries, but for the lengths of their code words.
var lengthBase, distanceBase, plainBase = bases()

func bases() (lengths [288]uint32, distances [32]uint32, plain [19]uint32) {
	for i := range 256 {
		lengths[i] = literal | uint32(i)<<16
	}
	lengths[256] = end
	least := uint32(3)
	for i := range 28 {
		extra := uint32(max(i/4-1, 0))
		lengths[257+i] = least<<16 | extra
		least += 1 << extra
	}
	lengths[285] = 258 << 16
	least = 1
	for i := range 30 {
		extra := uint32(max(i/2-1, 0))
		distances[i] = least<<16 | extra
		least += 1 << extra
	}
	for i := range plain {
		plain[i] = uint32(i) << 16
	}
	return lengths, distances, plain
}

// build fills a table with a canonical code: lengths has the length of each symbol's word, 0 for none. It gives false
// for lengths that are no code. As in zlib, the one code that may be incomplete has a single word of one bit, or none.
func build(table []uint32, indexBits uint, lengths []uint8, base []uint32) bool {
	var count [longestWord + 1]int
	for _, l := range lengths {
		count[l]++
	}
	count[0] = 0
	left, longest := 1, 0
	for l := 1; l <= longestWord; l++ {
		left = left<<1 - count[l]
		if left < 0 {
			return false
		}
		if count[l] > 0 {
			longest = l
		}
	}
	if left > 0 && longest > 1 {
		return false
	}
	clear(table)
	return fill(table, indexBits, lengths, base, &count)
}

// fill enters all words in their order: by length, then by symbol. Each is the one before and one, with zeros behind.
func fill(table []uint32, indexBits uint, lengths []uint8, base []uint32, count *[longestWord + 1]int) bool {
	var sorted [288]uint16
	var at [longestWord + 2]int
	for l := 1; l <= longestWord; l++ {
		at[l+1] = at[l] + count[l]
	}
	words := at[longestWord+1]
	for symbol, l := range lengths {
		if l > 0 {
			sorted[at[l]] = uint16(symbol)
			at[l]++
		}
	}
	free := 1 << indexBits // where the next second table goes
	next, length := uint32(0), uint(0)
	for _, symbol := range sorted[:words] {
		l := uint(lengths[symbol])
		next <<= l - length
		length = l
		word := uint(bits.Reverse16(uint16(next)) >> (16 - l))
		next++
		entry := (base[symbol] + uint32(l)) | uint32(l)<<8
		if base[symbol] == 0 && symbol > 0 {
			entry = 0 // lengths 286 and 287 and distances 30 and 31 do not exist
		}
		if l <= indexBits {
			for i := word; i < 1<<indexBits; i += 1 << l {
				table[i] = entry
			}
			count[l]--
			continue
		}
		first := &table[word&(1<<indexBits-1)]
		if *first == 0 {
			more := secondBits(indexBits, l, count)
			if free+1<<more > len(table) {
				return false
			}
			*first = uint32(free)<<16 | uint32(more)<<8 | link
			free += 1 << more
		}
		count[l]--
		second, more := int(*first>>16), *first>>8&0xf
		if entry != 0 {
			entry -= uint32(indexBits) | uint32(indexBits)<<8 // the first table's bits are gone by then
		}
		for i := word >> indexBits; i < 1<<more; i += 1 << (l - indexBits) {
			table[second+int(i)] = entry
		}
	}
	return true
}

// secondBits gives how many bits index a second table whose shortest word has so many bits: those of the next words that
// fill it. count has the words that are left.
func secondBits(indexBits, shortest uint, count *[longestWord + 1]int) uint {
	more := shortest - indexBits
	room := 1 << more
	for l := shortest; l < longestWord; l++ {
		room -= count[l]
		if room <= 0 {
			break
		}
		more++
		room <<= 1
	}
	return more
}
