package file

import (
	"fmt"
	"math"
)

// attributes are the weights, times and labels of edges. Those that are not read are nil.
type attributes struct {
	weights []float64
	times   []int64
	labels  []int32
}

// attributeArenas hold the attributes that one worker has parsed.
type attributeArenas struct {
	weights arena[float64]
	times   arena[int64]
	labels  arena[int32]
}

// Reserve returns buffers for the attributes of up to n edges. Keep then sets how many are kept.
func (a *attributeArenas) Reserve(l *layout, n int) (to attributes, err error) {
	if l.weight >= 0 {
		if to.weights, err = a.weights.Reserve(n); err != nil {
			return to, err
		}
	}
	if l.time >= 0 {
		if to.times, err = a.times.Reserve(n); err != nil {
			return to, err
		}
	}
	if l.label >= 0 {
		to.labels, err = a.labels.Reserve(n)
	}
	return to, err
}

// Keep keeps the attributes of the first n edges of the last reservation, and returns them.
func (a *attributeArenas) Keep(made attributes, n int) attributes {
	if made.weights != nil {
		a.weights.Keep(n)
		made.weights = made.weights[:n]
	}
	if made.times != nil {
		a.times.Keep(n)
		made.times = made.times[:n]
	}
	if made.labels != nil {
		a.labels.Keep(n)
		made.labels = made.labels[:n]
	}
	return made
}

// Free returns the memory of all attributes.
func (a *attributeArenas) Free() {
	a.weights.Free()
	a.times.Free()
	a.labels.Free()
}

// read parses the attributes of an edge from its cells, or returns their fault.
func (a *attributes) read(edge int, c *cells) (why string) {
	if a.weights != nil {
		if a.weights[edge], why = number(c.weight); why != "" {
			return why
		}
	}
	if a.times != nil {
		if a.times[edge], why = attribute(c.time, roleTime, math.MinInt64, math.MaxInt64); why != "" {
			return why
		}
	}
	if a.labels != nil {
		var label int64
		label, why = attribute(c.label, roleLabel, math.MinInt32, math.MaxInt32)
		a.labels[edge] = int32(label)
	}
	return why
}

// attribute parses an integer attribute from least to most, or returns why it is not one.
func attribute(field []byte, r role, least, most int64) (int64, string) {
	v, why := integer(field)
	if why != "" || v < least || v > most {
		bits := 64
		if most == math.MaxInt32 {
			bits = 32
		}
		return 0, fmt.Sprintf("the %s %q is not an integer of %d bits; %s=False reads the edges without %ss", r, shortened(field), bits, r, r)
	}
	return v, ""
}
