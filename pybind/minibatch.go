package pybind

import (
	"errors"
	"strings"

	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/refuse"
)

// MiniBatch draws the mini-batch of count vertices of a kind; see vertices. excluded are edge ids, int64. It lends one
// block and writes to facts: the block's address and its length in int64; where in it the nodes begin; and for each hop
// from the batch outwards, the numbers of its destinations and sources, and where its indptr, indices and edge ids begin.
func MiniBatch(graph int64, sampler int64, seed int64, batch uintptr, count int64, kind int64, excluded uintptr,
	excludedCount int64, facts uintptr, job uintptr,
) (hops int64, err error) {
	defer guard(&err)
	g, err := graphs.get(graph)
	if err != nil {
		return 0, err
	}
	m, err := minibatches.get(sampler)
	if err != nil {
		return 0, err
	}
	roots, err := vertices(g.Graph, "seed_nodes", batch, count, kind, 1)
	if err != nil {
		return 0, err
	}
	blocks, err := g.batches.Draw(m, uint64(seed), roots, view[int64](excluded, excludedCount), watched(job))
	if err != nil {
		return 0, argumentNames(err)
	}
	describe(blocks, view[int64](facts, int64(3+5*len(blocks.Hops))))
	return int64(len(blocks.Hops)), nil
}

func describe(b output.Blocks, facts []int64) {
	first := address(b.Arena)
	at := func(s []int64) int64 { return (address(s) - first) / 8 }
	facts = append(facts[:0], first, int64(len(b.Arena)), at(b.Nodes))
	for _, h := range b.Hops {
		facts = append(facts, int64(h.Destinations), int64(h.Sources), at(h.Indptr), at(h.Indices), at(h.EdgeIDs))
	}
}

// argumentNames gives a refusal the names that the arguments have in Python.
func argumentNames(err error) error {
	var r *refuse.Refusal
	if errors.As(err, &r) {
		for name, python := range map[string]string{"batch[": "seed_nodes[", "exclude[": "exclude_eids["} {
			if strings.HasPrefix(r.Text, name) {
				return &refuse.Refusal{Kind: r.Kind, Text: strings.ReplaceAll(r.Text, name, python), Err: r.Err}
			}
		}
	}
	return err
}
