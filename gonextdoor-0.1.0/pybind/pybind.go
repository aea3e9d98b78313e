// Package pybind contains the functions that gopy exports to Python. Arguments are scalars, strings, int64 handles and
// addresses; a result is one scalar or string, and an error. There is no logic here: each function looks up its objects and
// calls the facade.
//
// Three rules avoid leaks and crashes that were seen with gopy 0.4.10. Every function returns (T, error). No function takes
// or returns slices, maps, structs or interfaces. Every function begins with defer guard(&err).
//
// Threads: Python releases the GIL during a call, so that all functions may be called concurrently. Ownership: memory at an
// address belongs to the caller, who keeps it during the call. An object with a handle lives until its Drop function.
//
// The package is internal: only the extension module that gopy generates from it uses it.
package pybind

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
	"strings"
	"syscall"

	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// guard converts a panic to an error and prefixes every error with the kind that Python maps to a class: "ValueError|text",
// or "OSError|errno|text\x1fpath". It replaces invalid UTF-8, which a file name may contain and Python refuses.
func guard(err *error) {
	if e := recover(); e != nil {
		*err = fmt.Errorf("InternalError|%v\n%s", e, debug.Stack())
	} else if *err != nil {
		classify(err)
	}
	if *err != nil {
		*err = errors.New(strings.ToValidUTF8((*err).Error(), "\uFFFD"))
	}
}

// classify prefixes an error with its kind.
func classify(err *error) {
	var path *fs.PathError
	var errno syscall.Errno
	switch kind := refuse.KindOf(*err); {
	case kind != "":
		*err = fmt.Errorf("%s|%w", kind, *err)
	case errors.As(*err, &path) && errors.As(*err, &errno):
		text := errno.Error()
		if what, wrapped := strings.CutSuffix((*err).Error(), ": "+path.Error()); wrapped {
			text += "; " + what
		}
		*err = fmt.Errorf("OSError|%d|%s\x1f%s", int(errno), text, path.Path)
	case errors.As(*err, &errno):
		*err = fmt.Errorf("OSError|%d|%w", int(errno), *err)
	case errors.Is(*err, parallel.ErrPanic):
		*err = fmt.Errorf("InternalError|%w", *err)
	default:
		*err = fmt.Errorf("RuntimeError|%w", *err)
	}
}

// Abi returns the version of these functions. The Python package refuses an extension with another version.
func Abi() (n int64, err error) {
	defer guard(&err)
	return 1, nil
}
