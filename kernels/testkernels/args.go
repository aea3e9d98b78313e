package testkernels

// Generated from args.cuh by go test ./kernels -write. Fields of parameters have 8 bytes. A missing array has the address 0.

import "gonextdoor/kernels"

// Choices is the parameter of the kernels of testkernels/choices.cuh: count choices, of up to `capacity` picks each.
type Choices struct {
	G               kernels.Graph
	Keys            uint64 // of each choice
	Vertices        uint64 // the vertex whose row is chosen from, or the number of candidates
	Takes           uint64 // the picks wanted of each choice
	Picks           uint64 // those of choice i begin at i*capacity
	Got             uint64 // the number of picks of each choice
	Count, Capacity uint64
	Selector        uint64 // Selector of testkernels/choices.cuh
}

// Scans is the parameter of the kernels of testkernels/scanwithout.cuh: count choices by 64-bit biases.
type Scans struct {
	Keys                   uint64 // of each choice
	Slots                  uint64 // the slot of its first word
	Begins                 uint64 // its first candidate; then the end of all
	Biases                 uint64
	Takes                  uint64 // the picks wanted of each choice
	Memory                 uint64 // of all groups, `words` each
	Picks                  uint64 // those of choice i begin at i*capacity
	Got                    uint64 // the number of picks of each choice
	Count, Capacity, Words uint64
	Form                   uint64 // ScanForm of testkernels/scanwithout.cuh
}
