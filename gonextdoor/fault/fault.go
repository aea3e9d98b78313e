// Package fault turns faults of memory in compiled hooks into errors. Reading a mapped file that was cut is a SIGBUS, and
// reading at an offset out of a file that was changed may be a SIGSEGV. In Go code and in its assembly the runtime makes
// a panic of both (debug.SetPanicOnFault); in machine code that C calls it would end the process.
//
// Arm installs a handler for both signals over the runtime's. During Call the handler jumps back to Call, which is safe
// because hooks neither allocate, lock nor call back. Every other fault is passed on to the handler it would have had.
//
// It is internal to this module and may change; the import table in arch_test.go restricts its users, so no folder named
// internal is needed.
package fault

import "sync"

var arming sync.Mutex

// Arm makes sure that the handler is installed and the first to be asked: Python's faulthandler may have been enabled
// since. It costs two system calls.
func Arm() {
	arming.Lock()
	defer arming.Unlock()
	arm()
}
