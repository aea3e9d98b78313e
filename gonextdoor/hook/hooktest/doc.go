// Package hooktest has compiled hooks for tests; without cgo it is empty.
package hooktest
