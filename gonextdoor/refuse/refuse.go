// Package refuse makes the errors by which the library turns bad input away.
//
// Every refusal names the argument, the value and what was expected. Its Kind travels across the Python boundary and
// decides which Python class is raised there.
//
// It is internal to this module and may change; the import table in arch_test.go restricts its users, so no folder named
// internal is needed.
package refuse

import (
	"errors"
	"fmt"
)

// Kind is the class of a refusal, named as the Python exception that it becomes.
type Kind string

// The kinds of refusals.
const (
	KindValue        Kind = "ValueError"
	KindType         Kind = "TypeError"
	KindIndex        Kind = "IndexError"
	KindMemory       Kind = "MemoryError"
	KindFormat       Kind = "FormatError"  // gonextdoor.FormatError, a ValueError: a file that cannot be read
	KindDevice       Kind = "DeviceError"  // gonextdoor.DeviceError, a RuntimeError: the GPU
	KindRuntime      Kind = "RuntimeError" // work that would not end
	KindZeroDivision Kind = "ZeroDivisionError"
	KindInterrupted  Kind = "KeyboardInterrupt" // the caller asked a long call to stop
)

// Refusal is an error with a kind.
type Refusal struct {
	Kind Kind
	Text string
	Err  error // what lies under it, or nil
}

// Error returns the message.
func (r *Refusal) Error() string { return r.Text }

// Unwrap gives what lies under the refusal.
func (r *Refusal) Unwrap() error { return r.Err }

func refusal(k Kind, format string, args []any) error {
	err := fmt.Errorf(format, args...)
	return &Refusal{Kind: k, Text: err.Error(), Err: errors.Unwrap(err)}
}

// Value refuses an argument whose value is wrong.
func Value(format string, args ...any) error { return refusal(KindValue, format, args) }

// Type refuses an argument of the wrong type.
func Type(format string, args ...any) error { return refusal(KindType, format, args) }

// Index refuses a vertex or edge that the graph does not have.
func Index(format string, args ...any) error { return refusal(KindIndex, format, args) }

// Memory refuses work that needs more memory than the machine has.
func Memory(format string, args ...any) error { return refusal(KindMemory, format, args) }

// Format refuses a file that is not what it should be.
func Format(format string, args ...any) error { return refusal(KindFormat, format, args) }

// Device refuses work that a GPU, its driver or its memory cannot do.
func Device(format string, args ...any) error { return refusal(KindDevice, format, args) }

// ErrInterrupted is what a long call returns when its job was stopped.
var ErrInterrupted error = &Refusal{Kind: KindInterrupted, Text: "stopped by the caller"}

// KindOf gives the kind of the first refusal in err's chain, or "" if there is none.
func KindOf(err error) Kind {
	var r *Refusal
	if errors.As(err, &r) {
		return r.Kind
	}
	return ""
}
