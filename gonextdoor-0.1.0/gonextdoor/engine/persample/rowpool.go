package persample

import (
	"sync"

	"gonextdoor/gonextdoor/app"
)

// rowPool keeps the memory of rows of earlier runs. Without it, a short run would spend more time on allocation than on its
// samples. The garbage collector frees rows that stay unused.
var rowPool sync.Pool

// pooledRow returns an empty row, with memory of an earlier run if there is any.
func pooledRow() app.Row {
	if r, ok := rowPool.Get().(*app.Row); ok {
		return r.Reset(0)
	}
	return app.Row{}
}

// recycle puts the memory of a row into the pool. The caller must not use the row afterwards.
func recycle(row app.Row) {
	if cap(row.Vertices) > 0 {
		row.Watch = nil
		rowPool.Put(&row)
	}
}
