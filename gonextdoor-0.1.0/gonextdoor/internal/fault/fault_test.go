package fault_test

import (
	"runtime"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/internal/fault"
	"gonextdoor/gonextdoor/parallel"
)

// machine returns the address of a function that reads 8 bytes at the address in its argument.
func machine(t *testing.T) uint64 {
	if !fault.Callable || runtime.GOARCH != "amd64" {
		t.Skip("the code is for amd64")
	}
	page, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE|syscall.PROT_EXEC, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { syscall.Munmap(page) })
	copy(page, "\x48\x8b\x07\xc3") // mov rax, [rdi]; ret
	return uint64(uintptr(unsafe.Pointer(&page[0])))
}

// Faults in called code are reported, repeatedly and on any thread; those in Go code stay panics.
func TestAFaultEndsTheCallAlone(t *testing.T) {
	read := machine(t)
	fault.Arm()
	fault.Arm()
	good := new(uint64)
	var threads sync.WaitGroup
	for range 4 {
		threads.Go(func() {
			for range 100 {
				if got := fault.Call(read, uintptr(unsafe.Pointer(good))); got != 0 {
					t.Errorf("a call without a fault gives %v", got)
				}
				if got := fault.Call(read, 16); got != syscall.SIGSEGV {
					t.Errorf("a read of nothing gives %v", got)
				}
				err := parallel.Do(1, func(int) error {
					var nothing *uint64
					*good = *nothing
					return nil
				})
				if err == nil {
					t.Error("Go's own fault is no error")
				}
			}
		})
	}
	threads.Wait()
}

// Reading a mapped file that was truncated is a SIGBUS.
func TestACutFile(t *testing.T) {
	read := machine(t)
	fault.Arm()
	file, err := syscall.Open(t.TempDir()+"/cut", syscall.O_RDWR|syscall.O_CREAT, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(file)
	if err := syscall.Ftruncate(file, 8192); err != nil {
		t.Fatal(err)
	}
	page, err := syscall.Mmap(file, 0, 8192, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(page)
	at := uintptr(unsafe.Pointer(&page[4096]))
	if got := fault.Call(read, at); got != 0 {
		t.Errorf("got %v", got)
	}
	if err := syscall.Ftruncate(file, 0); err != nil {
		t.Fatal(err)
	}
	if got := fault.Call(read, at); got != syscall.SIGBUS {
		t.Errorf("got %v, expected SIGBUS", got)
	}
}
