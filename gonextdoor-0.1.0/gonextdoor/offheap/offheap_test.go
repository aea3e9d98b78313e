package offheap

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/refuse"
)

func TestMakeIsZeroedAlignedAndCounted(t *testing.T) {
	live, before := Live(), Used()
	for _, n := range []int{1, 1000, hugePage / 8, hugePage/8 + 1, 3 * hugePage / 8} {
		s, err := Make[uint64](n)
		if err != nil {
			t.Fatal(err)
		}
		if len(s) != n || Live() != live+1 || Used() < before+int64(8*n) || Used() >= before+int64(8*n+page) {
			t.Fatalf("n = %d: len %d, live %d (was %d), used %d", n, len(s), Live(), live, Used()-before)
		}
		if 8*n >= hugePage && uintptr(unsafe.Pointer(&s[0]))%hugePage != 0 {
			t.Errorf("n = %d: not on a huge page", n)
		}
		for i := range s {
			if s[i] != 0 {
				t.Fatalf("element %d is %d", i, s[i])
			}
			s[i] = ^uint64(0)
		}
		Free(s)
	}
	if Live() != live || Used() != before {
		t.Fatalf("live %d, expected %d; used %d, expected %d", Live(), live, Used(), before)
	}
}

func TestEmptyAndImpossibleArrays(t *testing.T) {
	live := Live()
	s, err := Make[uint32](0)
	if err != nil || s == nil || len(s) != 0 {
		t.Fatalf("%v %v", s, err)
	}
	Free(s)
	Free[uint32](nil)
	for _, n := range []int{-1, 1 << 50, 1 << 62} {
		if _, err := Make[uint64](n); refuse.KindOf(err) != refuse.KindMemory {
			t.Errorf("Make(%d): error %v", n, err)
		}
		if _, err := MakeSlack[uint64](1, n); refuse.KindOf(err) != refuse.KindMemory {
			t.Errorf("MakeSlack(1, %d): error %v", n, err)
		}
	}
	if FreeAt(12345) || Live() != live {
		t.Error("an address that is no array's was freed")
	}
}

func TestFreeTwice(t *testing.T) {
	s, _ := Make[uint8](100)
	at := uintptr(unsafe.Pointer(&s[0]))
	if !FreeAt(at) || FreeAt(at) {
		t.Error("the first FreeAt must give true, the second false")
	}
}

func TestPeakAndTrim(t *testing.T) {
	ResetPeak()
	before := Used()
	s, err := MakeSlack[uint32](4*hugePage/4, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range s {
		s[i] = uint32(i)
	}
	at := &s[0]
	s = Trim(s, 1000)
	if Peak()-before != int64(4*hugePage+page) || Used()-before != int64(page) {
		t.Errorf("peak %d, used %d", Peak()-before, Used()-before)
	}
	if &s[0] != at || len(s) != 1000 || cap(s) != 1000 || s[999] != 999 {
		t.Errorf("trimmed to len %d cap %d", len(s), cap(s))
	}
	if s = Trim(s, 2000); len(s) != 1000 {
		t.Error("Trim made an array longer")
	}
	Free(s)
	if ResetPeak(); Peak() != before {
		t.Errorf("peak %d after Free, expected %d", Peak(), before)
	}
}

// On pages of 64 KiB, as some aarch64 kernels have, Trim releases whole pages after the kept elements and nothing else.
func TestLargePages(t *testing.T) {
	defer func(bytes int) { page = bytes }(page)
	page = 64 << 10
	t.Run("peak and trim", TestPeakAndTrim)
	t.Run("zeroed, aligned and counted", TestMakeIsZeroedAlignedAndCounted)
	s, err := Make[uint32](hugePage)
	if err != nil {
		t.Fatal(err)
	}
	defer Free(s)
	whole := s
	for i := range s {
		s[i] = 1
	}
	const n = 20_000 // 80,000 bytes: two pages
	if s = Trim(s, n); len(s) != n {
		t.Fatalf("Trim left %d elements, expected %d", len(s), n)
	}
	for i, x := range whole {
		if kept := i < 2*page/4; kept && x != 1 || !kept && x != 0 {
			t.Fatalf("element %d is %d after Trim to %d elements on pages of %d bytes", i, x, n, page)
		}
	}
}

func TestCheckNamesTheFigure(t *testing.T) {
	if err := Check(1); err != nil {
		t.Error(err)
	}
	err := Check(1 << 60)
	if refuse.KindOf(err) != refuse.KindMemory || !strings.Contains(err.Error(), "1152921504.6 GB needed") {
		t.Errorf("error %v", err)
	}
	if a := Available(); a < 1<<20 {
		t.Errorf("%d bytes available", a)
	}
}

func TestPoolReuse(t *testing.T) {
	live := Live()
	p := &Pool{Keep: 1 << 20}
	a, err := p.Lend(100_000)
	if err != nil {
		t.Fatal(err)
	}
	if p.Out() != 1 || !p.Return(uintptr(a)) || p.Out() != 0 {
		t.Error("a block was not taken back")
	}
	if p.Return(uintptr(a)) {
		t.Error("a block came back twice")
	}
	b, _ := p.Lend(120_000) // of the same class
	c, _ := p.Lend(120_000)
	if a != b || b == c {
		t.Error("the block that came back was not lent again, or lent twice")
	}
	if p.Return(uintptr(a) + 1) {
		t.Error("an address inside a block was taken for a block")
	}
	p.Return(uintptr(b))
	p.Return(uintptr(c))
	FreeAt(uintptr(b))
	FreeAt(uintptr(c))
	if Live() != live {
		t.Errorf("%d arrays live, expected %d", Live(), live)
	}
}

func TestPoolKeepsNoMoreThanKeep(t *testing.T) {
	live := Live()
	p := &Pool{Keep: 4096}
	small, _ := p.Lend(1)
	big, err := p.Lend(5 << 20)
	if err != nil {
		t.Fatal(err)
	}
	p.Return(uintptr(small))
	p.Return(uintptr(big))
	if Live() != live+1 {
		t.Errorf("%d blocks kept, expected the small one alone", Live()-live)
	}
	FreeAt(uintptr(small))
	if _, err := p.Lend(1 << 60); refuse.KindOf(err) != refuse.KindMemory {
		t.Errorf("error %v", err)
	}
}

// A block that was lent while Keep was smaller than its class is not lent again as a block of the whole class.
func TestPoolKeepsCapacities(t *testing.T) {
	live := Live()
	p := &Pool{Keep: 1 << 20}
	for _, size := range []int64{5 << 20, 1<<22 + 1, 8 << 20} {
		first, err := p.Lend(size)
		if err != nil {
			t.Fatal(err)
		}
		p.KeepMore(64 << 20)
		p.Return(uintptr(first))
		second, err := p.Lend(8 << 20)
		if err != nil {
			t.Fatal(err)
		}
		if mapped := mapped(second); mapped < 8<<20 {
			t.Errorf("a block of %d bytes was lent as one of %d: %d bytes are mapped", size, 8<<20, mapped)
		}
		p.Return(uintptr(second))
		p.Keep = 1 << 20
	}
	p.release()
	if Live() != live || p.kept != 0 {
		t.Errorf("%d arrays live, expected %d; %d bytes counted as kept", Live(), live, p.kept)
	}
}

// Goroutines that lend and return blocks while Keep changes write to every byte of their blocks and to no others.
func TestPoolConcurrently(t *testing.T) {
	live := Live()
	p := &Pool{Keep: 1 << 16}
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(worker)))
			for range 200 {
				size := 1 + r.Int64N(1<<(10+r.IntN(10)))
				block, err := p.Lend(size)
				if err != nil {
					t.Error(err)
					return
				}
				if mapped := mapped(block); mapped < size {
					t.Errorf("%d of %d bytes are mapped", mapped, size)
					return
				}
				b := unsafe.Slice((*byte)(block), size)
				for i := range b {
					b[i] = byte(worker)
				}
				p.KeepMore(1 << (14 + r.IntN(8)))
				if i := bytes.IndexFunc(b, func(x rune) bool { return x != rune(worker) }); i >= 0 {
					t.Errorf("byte %d of a block of worker %d was written by another", i, worker)
				}
				if !p.Return(uintptr(block)) {
					t.Error("a lent block was not accepted")
				}
			}
		})
	}
	group.Wait()
	p.release()
	if Live() != live || p.Out() != 0 || p.kept != 0 {
		t.Errorf("%d arrays live, expected %d; %d lent, %d bytes kept", Live(), live, p.Out(), p.kept)
	}
}

// mapped returns the bytes that may be written from the address of a block on.
func mapped(block unsafe.Pointer) int64 {
	mu.Lock()
	defer mu.Unlock()
	return regions[uintptr(block)].used
}

// release frees the blocks that the pool keeps.
func (p *Pool) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for class, list := range p.free {
		for _, block := range list {
			FreeAt(uintptr(block))
			p.kept -= 1 << class
		}
		p.free[class] = nil
	}
}

// A growth of the Go heap beyond the available memory is refused, and small growths are not checked.
func TestCheckHeap(t *testing.T) {
	for _, bytes := range []int64{0, 1, 4<<20 - 1} {
		if err := CheckHeap(bytes); err != nil {
			t.Error(err)
		}
	}
	if err := CheckHeap(1 << 60); Available() >= 0 && refuse.KindOf(err) != refuse.KindMemory {
		t.Errorf("got %v", err)
	}
}

// Room keeps the elements, does not move an array that has the capacity, and returns zeroed memory.
func TestRoom(t *testing.T) {
	for _, n := range []int{0, 1, 1000, checkHeap, 3 * checkHeap} {
		s := []uint32{7, 8, 9}
		grown, err := Room(s, n)
		if err != nil {
			t.Fatal(err)
		}
		if len(grown) != 3 || cap(grown) < 3+n || grown[0] != 7 || grown[2] != 9 {
			t.Fatalf("n = %d: got %v with capacity %d", n, grown[:3], cap(grown))
		}
		for i, x := range grown[3 : 3+n] {
			if x != 0 {
				t.Fatalf("n = %d: element %d is %d", n, i, x)
			}
		}
		again, err := Room(grown, cap(grown)-3)
		if err != nil || &again[0] != &grown[0] {
			t.Errorf("n = %d: an array with enough capacity was moved (%v)", n, err)
		}
	}
	if heap.pages != 0 || heap.addresses != 0 {
		t.Errorf("%d bytes and %d addresses are still granted", heap.pages, heap.addresses)
	}
}

// A refusal leaves the array unchanged.
func TestRoomRefuses(t *testing.T) {
	for _, n := range []int{-1, 1 << 46, 1 << 60, math.MaxInt} {
		s, err := Room([]uint64{5}, n)
		if n < 0 {
			if err != nil || len(s) != 1 {
				t.Errorf("n = %d: %v", n, err)
			}
			continue
		}
		if Available() < 0 && n < 1<<60 {
			continue
		}
		if refuse.KindOf(err) != refuse.KindMemory || len(s) != 1 || s[0] != 5 {
			t.Errorf("n = %d: %v, error %v", n, s, err)
		}
	}
}

// Memory that was granted to one thread is not granted to another before it is allocated.
func TestGrantsAreSummed(t *testing.T) {
	left := HeapLeft()
	if left < 4*arena {
		t.Skip("little memory is available")
	}
	most := left / 4 * 3
	if err := grant(most); err != nil {
		t.Fatal(err)
	}
	if err := grant(most); refuse.KindOf(err) != refuse.KindMemory {
		t.Errorf("granted twice: %v", err)
	}
	settle(most)
	heap.fresh = nil
}

// Growths too small to be checked one by one are checked together.
func TestSmallGrowthsAreCounted(t *testing.T) {
	heap.small.Store(0)
	for range checkEvery/checkHeap - 1 {
		if _, err := Room[byte](nil, checkHeap/2-1); err != nil {
			t.Fatal(err)
		}
	}
	before := heap.small.Load()
	if before == 0 || before >= checkEvery {
		t.Fatalf("%d bytes counted", before)
	}
	for heap.small.Load() >= before {
		if _, err := Room[byte](nil, checkHeap/2-1); err != nil {
			t.Fatal(err)
		}
	}
	if len(heap.fresh) == 0 {
		t.Error("the growths were not checked")
	}
}
