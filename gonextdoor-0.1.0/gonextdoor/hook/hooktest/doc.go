// Package hooktest has compiled hooks for tests. Without cgo it is empty.
package hooktest
