// Package hooktest has compiled hooks for tests. Without cgo it is empty.
//
// It is internal to the tests of this module; it is not in a folder named internal so that it is beside what it tests.
package hooktest
