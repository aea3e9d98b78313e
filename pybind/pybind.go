// Package pybind is the flat surface that gopy exports to Python: scalars, strings, int64 handles and addresses in; one
// scalar or string, and an error, out. It holds no logic: each function finds its objects and calls the facade.
//
// Rules, each of which prevents a leak or a crash seen with gopy 0.4.10: every function returns (T, error); none takes or
// gives slices, maps, structs or interfaces; each begins with defer guard(&err).
//
// It is internal: only the extension module that gopy generates from it uses it.
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

// guard turns a panic into an error and gives every error the kind that Python maps to a class: "ValueError|text", or
// "OSError|errno|text\x1fpath". Invalid UTF-8, as in names of files, is replaced, since Python refuses it.
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

// classify puts the kind before the text.
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

// Abi returns the version of the exported functions. Python refuses an extension of another version.
func Abi() (n int64, err error) {
	defer guard(&err)
	return 1, nil
}
