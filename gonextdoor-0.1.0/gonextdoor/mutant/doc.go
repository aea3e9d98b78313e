// Package mutant tests the tests: it breaks the samplers, one fault at a time, and checks that the tests detect each. All of
// it is in its tests:
//
//	go test -v -run Mutant ./gonextdoor/mutant
//
// prints which check killed which mutant. A mutant is a copy of an app's definition with one part replaced. The same copy
// with the correct part must pass the checks that kill the mutant.
package mutant
