// Package refuse constructs the errors that the library returns for bad input. Such an error is a Refusal. Its text names the
// argument, the value and the expectation; its Kind determines the class of the Python exception.
package refuse

import (
	"errors"
	"fmt"
)

// Kind is the class of a refusal: the name of the Python exception.
type Kind string

// The kinds of refusals.
const (
	KindValue        Kind = "ValueError"
	KindType         Kind = "TypeError"
	KindIndex        Kind = "IndexError"
	KindMemory       Kind = "MemoryError"
	KindFormat       Kind = "FormatError"  // gonextdoor.FormatError, a ValueError: a file that cannot be read
	KindDevice       Kind = "DeviceError"  // gonextdoor.DeviceError, a RuntimeError: the GPU
	KindRuntime      Kind = "RuntimeError" // a hook or sample that does not end
	KindZeroDivision Kind = "ZeroDivisionError"
	KindInterrupted  Kind = "KeyboardInterrupt" // the caller cancelled a long call
)

// Refusal is an error with a kind.
type Refusal struct {
	Kind Kind
	Text string
	Err  error // the cause, or nil
}

// Error returns the message.
func (r *Refusal) Error() string { return r.Text }

// Unwrap returns the cause of the refusal, or nil.
func (r *Refusal) Unwrap() error { return r.Err }

// refusal formats a refusal. An error that is wrapped by %w is its cause.
func refusal(k Kind, format string, args []any) error {
	err := fmt.Errorf(format, args...)
	return &Refusal{Kind: k, Text: err.Error(), Err: errors.Unwrap(err)}
}

// Value returns the error for an argument with an invalid value.
func Value(format string, args ...any) error { return refusal(KindValue, format, args) }

// Type returns the error for an argument of the wrong type.
func Type(format string, args ...any) error { return refusal(KindType, format, args) }

// Index returns the error for a vertex or edge that the graph does not have.
func Index(format string, args ...any) error { return refusal(KindIndex, format, args) }

// Memory returns the error for work that needs more memory than is available.
func Memory(format string, args ...any) error { return refusal(KindMemory, format, args) }

// Format returns the error for a file that cannot be read.
func Format(format string, args ...any) error { return refusal(KindFormat, format, args) }

// Device returns the error for work that a GPU, its driver or its memory cannot do.
func Device(format string, args ...any) error { return refusal(KindDevice, format, args) }

// ErrInterrupted is the error of a long call whose job was stopped.
var ErrInterrupted error = &Refusal{Kind: KindInterrupted, Text: "stopped by the caller"}

// KindOf returns the kind of the first refusal in the chain of err, or "" if there is none.
func KindOf(err error) Kind {
	var r *Refusal
	if errors.As(err, &r) {
		return r.Kind
	}
	return ""
}
