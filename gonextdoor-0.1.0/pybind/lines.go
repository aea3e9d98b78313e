package pybind

import (
	"gonextdoor/gonextdoor/file"
	"gonextdoor/gonextdoor/graph"
)

// WriteLines writes samples as text, one line each, to an open file. values are count integers of size bytes (4 or 8);
// sample i is values[offsets[i]:offsets[i+1]], or has width of them if offsets is 0. Names are ints, or text of textBytes
// and its offsets, one element per vertex; all 0: numbers. codec is "", "gzip" or "zstd". The job counts vertices.
func WriteLines(fd int64, codec string, values uintptr, size int64, count int64, offsets uintptr, rows int64, width int64,
	ints uintptr, text uintptr, textBytes int64, textOffsets uintptr, vertices int64, threads int64, job uintptr,
) (n int64, err error) {
	defer guard(&err)
	names := graph.Names{Ints: view[int64](ints, vertices), Text: view[byte](text, textBytes)}
	if textOffsets != 0 {
		names.Offsets = view[uint64](textOffsets, vertices+1)
	}
	at := view[int64](offsets, rows+1)
	if size == 8 {
		l := file.Lines[int64]{Vertices: view[int64](values, count), Offsets: at, Rows: int(rows), Width: int(width), Names: names}
		return rows, file.WriteLines(int(fd), codec, l, int(threads), jobAt(job))
	}
	l := file.Lines[int32]{Vertices: view[int32](values, count), Offsets: at, Rows: int(rows), Width: int(width), Names: names}
	return rows, file.WriteLines(int(fd), codec, l, int(threads), jobAt(job))
}
