// Package fault reports memory faults in compiled hooks. Reading a mapped file that was truncated raises SIGBUS. Using an
// offset from a file that was changed may raise SIGSEGV. The Go runtime converts both to a panic in Go code and assembly
// (debug.SetPanicOnFault), but in machine code called by C they would end the process.
//
// Arm installs a handler for both signals in place of the runtime's. During Call the handler jumps back to Call, which is
// safe because hooks do not allocate, lock or call back. Every other fault is passed to the previous handler.
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
