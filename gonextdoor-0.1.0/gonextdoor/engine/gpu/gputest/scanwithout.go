package gputest

import (
	"fmt"
	"slices"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
	"gonextdoor/kernels/testkernels"
)

// ScanChoice is a choice of K candidates by 64-bit biases that sum to less than 2^64. Pick j uses the word of the
// key at slot From+j.
type ScanChoice struct {
	Key     rng.Key
	From, K uint64
	Biases  []uint64
}

// ScanForm is a form of the choice: ScanForm of kernels/testkernels/scanwithout.cuh.
type ScanForm uint64

// The forms.
const (
	Without         ScanForm = iota // without replacement, by the form that is chosen
	ByRegion                        // without replacement, by region search if registers suffice
	ByTree                          // without replacement, by a tree of sums
	WithReplacement                 // with replacement
	Racing                          // without replacement, by selector.Race
	Strided                         // draws with replacement that are not repeated, at most 2*k of them, with a strided bitmap
	Contiguous                      // the same with a contiguous bitmap
	ScanForms                       // their number
)

// ScanGroups are the numbers of threads that make a choice together, each with a kernel.
var ScanGroups = []int{1, 2, 4, 8, 16, 32, 128}

// picks returns the picks of the definition.
func (c ScanChoice) picks(form ScanForm) (picks []uint64) {
	switch form {
	case Racing:
		return selector.Race(c.Key, c.K, c.Biases, nil)
	case Strided, Contiguous:
		return c.distinct()
	}
	left := slices.Clone(c.Biases)
	bias := func(i int) uint64 { return left[i] }
	for j := range c.K {
		i := selector.Scan(c.Key.Word(c.From+j), len(left), bias)
		if i < 0 {
			break
		}
		picks = append(picks, uint64(i))
		if form != WithReplacement {
			left[i] = 0
		}
	}
	return picks
}

// distinct returns the first K different draws with replacement, fewer if the attempts do not suffice.
func (c ScanChoice) distinct() (picks []uint64) {
	for at := range 2 * c.K {
		if uint64(len(picks)) == c.K {
			break
		}
		i := selector.Scan(c.Key.Word(c.From+at), len(c.Biases), func(i int) uint64 { return c.Biases[i] })
		if i >= 0 && !slices.Contains(picks, uint64(i)) {
			picks = append(picks, uint64(i))
		}
	}
	return picks
}

// CheckScans makes choices on the device by groups of `threads` threads, and compares them with the picks of the definition.
//
// Errors: a choice differs; the device's errors.
func CheckScans(d *cuda.Device, form ScanForm, choices []ScanChoice, want [][]uint64, threads int) error {
	got, err := scanWithout(d, form, threads, choices)
	if err != nil {
		return err
	}
	for i, c := range choices {
		if !slices.Equal(got[i], want[i]) {
			return fmt.Errorf("form %d, %d threads: %d of %d candidates from word %d: picks %v, want %v", form, threads, c.K, len(c.Biases), c.From, got[i], want[i])
		}
	}
	return nil
}

// ScanPicks returns the picks of the definition.
func ScanPicks(form ScanForm, choices []ScanChoice) (picks [][]uint64) {
	for _, c := range choices {
		picks = append(picks, c.picks(form))
	}
	return picks
}

// scanArrays are choices in the arrays that the kernels read.
type scanArrays struct {
	keys, slots, begins, biases []uint64
	takes                       []uint32
	capacity, candidates        uint64 // the largest numbers of picks and of candidates
}

func arraysOf(choices []ScanChoice) (a scanArrays) {
	a.capacity = 1
	for _, c := range choices {
		a.capacity, a.candidates = max(a.capacity, c.K), max(a.candidates, uint64(len(c.Biases)))
		a.keys, a.slots, a.begins = append(a.keys, uint64(c.Key)), append(a.slots, c.From), append(a.begins, uint64(len(a.biases)))
		a.biases, a.takes = append(a.biases, c.Biases...), append(a.takes, uint32(c.K))
	}
	a.begins = append(a.begins, uint64(len(a.biases)))
	a.biases = append(a.biases, 0) // never empty
	return a
}

// scanWithout runs a kernel of kernels/testkernels/scanwithout.cuh and returns its picks.
func scanWithout(d *cuda.Device, form ScanForm, threads int, choices []ScanChoice) (picks [][]uint64, err error) {
	const blocks = 3
	in, n := arraysOf(choices), uint64(len(choices))
	words := in.candidates + in.candidates/16 + 8 // for sum_tree_words, and for a bitmap after the sums
	a := testkernels.Scans{Count: n, Capacity: in.capacity, Words: words, Form: uint64(form)}
	out := make([]uint32, n*(in.capacity+1)) // picks, got
	err = d.Do(func() error {
		m, s, err := Load(d, "scanwithout")
		if err != nil {
			return err
		}
		f, err := m.Function(fmt.Sprintf("scan_without_%d", threads))
		if err != nil {
			return err
		}
		for _, to := range []struct {
			at    *uint64
			from  unsafe.Pointer
			bytes int64
		}{
			{&a.Keys, unsafe.Pointer(&in.keys[0]), int64(8 * n)},
			{&a.Slots, unsafe.Pointer(&in.slots[0]), int64(8 * n)},
			{&a.Begins, unsafe.Pointer(&in.begins[0]), int64(8 * (n + 1))},
			{&a.Biases, unsafe.Pointer(&in.biases[0]), int64(8 * len(in.biases))},
			{&a.Takes, unsafe.Pointer(&in.takes[0]), int64(4 * n)},
			{&a.Memory, nil, int64(8*words) * int64(blocks*Threads/threads)},
			{&a.Picks, nil, int64(4 * len(out))},
		} {
			memory, err := d.Alloc(to.bytes, s)
			if err != nil {
				return err
			}
			defer d.Free(memory, s)
			if *to.at = uint64(memory.Address); to.from == nil {
				continue
			}
			if err := d.CopyIn(memory.Address, to.from, to.bytes, s); err != nil {
				return err
			}
		}
		a.Got = a.Picks + 4*n*in.capacity
		if err := f.Launch(cuda.Grid{Blocks: blocks, Threads: Threads}, s, unsafe.Pointer(&a), unsafe.Sizeof(a)); err != nil {
			return err
		}
		if err := d.CopyOut(unsafe.Pointer(&out[0]), uintptr(a.Picks), int64(4*len(out)), s); err != nil {
			return err
		}
		return s.Synchronize()
	})
	if err != nil {
		return nil, err
	}
	return picksOf(out, in.capacity, choices)
}

// picksOf returns the picks of all choices from the array of the kernel, in which their numbers follow the picks.
func picksOf(out []uint32, capacity uint64, choices []ScanChoice) (picks [][]uint64, err error) {
	for i, c := range choices {
		count := uint64(out[uint64(len(choices))*capacity+uint64(i)])
		if count > capacity {
			return nil, fmt.Errorf("choice %d has %d picks of %d", i, count, c.K)
		}
		var of []uint64
		for _, p := range out[uint64(i)*capacity:][:count] {
			of = append(of, uint64(p))
		}
		picks = append(picks, of)
	}
	return picks, nil
}

// scanBiases return the bias of candidate i of n, with a random word for each candidate.
var scanBiases = []func(i, n, word uint64) uint64{
	func(_, _, _ uint64) uint64 { return 1 },
	func(_, _, word uint64) uint64 { return word % 4 },
	func(_, n, word uint64) uint64 { return word / (n + 1) },
	func(i, n, word uint64) uint64 {
		if i == n/2 {
			return 1 << 63
		}
		return word >> 40
	},
	func(i, _, word uint64) uint64 { return word >> 14 >> (i % 50) },
	func(i, n, _ uint64) uint64 {
		if i+2 >= n {
			return 3
		}
		return 0
	},
	func(_, _, _ uint64) uint64 { return 0 },
}

// ScanCorpus returns choices with awkward biases: zeros, equal ones, sums near 2^64, one candidate or none, at least as
// many picks as candidates, and numbers of candidates next to those of a level of the tree. It has one in `share` of the
// longer choices.
func ScanCorpus(share uint64) (choices []ScanChoice) {
	at := uint64(0)
	for _, n := range []uint64{0, 1, 2, 3, 7, 31, 32, 33, 64, 65, 127, 500, 1023, 1024, 1025, 1400} {
		for _, k := range []uint64{0, 1, 2, 5, 31, 64, 129, n, n + 1} {
			for of, kind := range scanBiases {
				if at++; n > 65 && at%share != 0 || k > n+1 && n > 3 {
					continue
				}
				key := rng.NewStream(n, rng.Choices).Key(k<<8 | uint64(of))
				c := ScanChoice{Key: key, From: at % 3 * 1000, K: k}
				for i := range n {
					c.Biases = append(c.Biases, kind(i, n, key.Word(1<<32+i)))
				}
				choices = append(choices, c)
			}
		}
	}
	return choices
}
