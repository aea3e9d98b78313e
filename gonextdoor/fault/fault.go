// Package fault reports memory faults in compiled hooks. Reading a mapped file that was truncated raises SIGBUS. Using an
// offset from a file that was changed may raise SIGSEGV. The Go runtime converts both to a panic in Go code and assembly
// (debug.SetPanicOnFault), but in machine code called by C they would end the process.
//
// Arm installs a handler for both signals in place of the runtime's. During Call the handler jumps back to Call, which is
// safe because hooks do not allocate, lock or call back. Every other fault is passed to the previous handler.
//
// It is internal to this module and may change; the import table in arch_test.go restricts its users, so no folder named
// internal is needed.
package fault

import "sync"

var arming sync.Mutex

// Arm ensures that the handler is installed and is the first to be called: Python's faulthandler may have been enabled in
// the meantime. It costs two system calls. Threads may call it at once.
func Arm() {
	arming.Lock()
	defer arming.Unlock()
	arm()
}
