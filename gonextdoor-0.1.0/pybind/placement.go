package pybind

import (
	"encoding/json"

	"gonextdoor/gonextdoor"
	"gonextdoor/gonextdoor/graph"
)

// placement is the JSON of GraphPlace's arguments.
type placement struct {
	Devices []int `json:"devices"` // fewer than two: the graph is not split
	Bounds  []int `json:"bounds"`  // the first row of each part, and the number of vertices; nil: equal numbers of edges
}

// GraphPlace splits the rows of a graph over devices, or undoes that. spec has the devices and bounds as JSON.
func GraphPlace(handle int64, spec string, job uintptr) (known bool, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return false, err
	}
	var p placement
	if err := json.Unmarshal([]byte(spec), &p); err != nil {
		return false, err
	}
	return true, readMapped(g, func() error {
		return gonextdoor.Place(g, p.Devices, p.Bounds, graph.Options{Job: jobAt(job)})
	})
}

// GraphPlacement returns a gonextdoor.Placed as JSON, or an empty text if the graph is not split.
func GraphPlacement(handle int64) (text string, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return "", err
	}
	p, placed := gonextdoor.PlacementOf(g)
	if !placed {
		return "", nil
	}
	b, err := json.Marshal(p)
	return string(b), err
}

// GraphRowRanges returns the bounds of parts of a graph with equal numbers of edges, as JSON.
func GraphRowRanges(handle int64, parts int64) (text string, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return "", err
	}
	var bounds []int
	err = readMapped(g, func() error { bounds = g.RowRanges(int(parts)); return nil })
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(bounds)
	return string(b), err
}

// SamplerUnsplit returns why the devices of a sampler do not share a graph that does not fit one of them, or an empty text.
func SamplerUnsplit(sampler int64) (why string, err error) {
	defer guard(&err)
	s, err := samplers.get(sampler)
	if err != nil {
		return "", err
	}
	return s.Unsplit(), nil
}
