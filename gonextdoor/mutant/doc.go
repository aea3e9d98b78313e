// Package mutant breaks the samplers on purpose, one fault at a time, and makes sure that the tests notice. All of it
// lies in its tests:
//
//	go test -v -run Mutant ./gonextdoor/mutant
//
// prints which check killed which mutant. Each mutant is a copy of an app's definition with one place left open for the
// fault; with the right thing put there it passes the very checks that kill the mutant.
//
// It is internal to the tests of this module; it is not in a folder named internal so that it is beside what it tests.
package mutant
