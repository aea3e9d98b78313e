package resident

import (
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
)

// fillTemporal uploads the rows of a view in order of time. They were built on the host with the view.
func fillTemporal(b *builder, at []uintptr) error {
	rows := index.TemporalRowsOf(b.graph)
	if int64(len(rows.Edges)) != b.edges() {
		return refuse.Device("the layout %v is for views with rows in order of time", Temporal)
	}
	return b.upload(
		hostArray{at[0], address(rows.Edges), deviceQuad * b.edges()},
		hostArray{at[1], address(rows.Places), deviceWord * b.edges()},
	)
}

// fillDecay uploads the sums of the decaying weights of a view.
func fillDecay(b *builder, at []uintptr) error {
	sums := index.TemporalRowsOf(b.graph).Sums
	if int64(len(sums)) != b.edges() {
		return refuse.Device("the layout %v is for views with weights that decay with time", Decay)
	}
	return b.upload(hostArray{at[0], address(sums), deviceLong * b.edges()})
}
