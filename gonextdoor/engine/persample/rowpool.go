package persample

import (
	"sync"

	"gonextdoor/gonextdoor/app"
)

// rowPool holds the memory of rows of finished runs: a short run would spend more time on allocation than on its samples.
// The garbage collector frees rows that stay unused.
var rowPool sync.Pool

// pooledRow returns an empty row, with memory of an earlier run if there is any.
func pooledRow() app.Row {
	if r, ok := rowPool.Get().(*app.Row); ok {
		return r.Reset(0)
	}
	return app.Row{}
}

// recycle puts a row's memory in the pool. The caller gives the row up.
func recycle(row app.Row) {
	if cap(row.Vertices) > 0 {
		row.Watch = nil
		rowPool.Put(&row)
	}
}
