package file

import (
	"strconv"
	"unicode"
	"unicode/utf8"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// blockVertices is the approximate number of vertices that a worker formats and compresses at a time. It is independent of
// the number of threads, and so are the compressed bytes.
const blockVertices = 1 << 16

// Lines is a set of samples to write as text: one line per sample, with the names of its vertices separated by single
// spaces. Missing vertices (-1) are omitted. It borrows all arrays.
type Lines[T int32 | int64] struct {
	Vertices []T
	Offsets  []int64     // sample i is Vertices[Offsets[i]:Offsets[i+1]]; nil: every sample has Width vertices
	Rows     int         // number of samples
	Width    int         // vertices per sample, if Offsets is nil
	Names    graph.Names // zero: vertices are written as their numbers
}

// WriteLines writes the samples to an open file, compressed with "gzip" or "zstd", or not at all (""). It formats and
// compresses blocks of samples in parallel and writes them in order; the bytes do not depend on the number of threads
// (all if < 1). The job counts vertices. gzip files have one member per block, zstd files one frame.
//
// It returns a ValueError if a name is empty or contains white space, and a system error if the file cannot be written.
func WriteLines[T int32 | int64](fd int, codec string, l Lines[T], threads int, j *job.Job) error {
	// Names may be in a mapped file; Do turns a fault, if the file was cut, into an error.
	if err := parallel.Do(1, func(int) error { return l.check() }); err != nil {
		return err
	}
	to, err := newDescriptor(fd, j)
	if err != nil {
		return err
	}
	threads = parallel.Threads(threads)
	p, err := newPacker(codec, to, threads)
	if err != nil {
		return err
	}
	step := max(1, blockVertices*l.Rows/max(1, len(l.Vertices)))
	texts := make([][]byte, threads)
	turns := newTurns()
	// ForWorker gets no job: a block that it skipped would leave the later blocks waiting. Each block checks the job instead.
	err = parallel.ForWorker(nil, threads, l.Rows, step, func(worker, lo, hi int) error {
		finished := false
		defer func() {
			if !finished {
				turns.abandon()
			}
		}()
		if err := j.Err(); err != nil {
			return err
		}
		text := l.appendRows(texts[worker][:0], lo, hi)
		texts[worker] = text
		packed, err := p.pack(worker, text)
		if err != nil {
			return err
		}
		if err := turns.run(lo/step, func() error { return p.write(packed) }); err != nil {
			return err
		}
		j.Add(l.end(hi) - l.end(lo))
		finished = true
		return nil
	})
	return p.close(err)
}

// end returns the number of vertices before a row.
func (l *Lines[T]) end(row int) int64 {
	if l.Offsets == nil {
		return int64(row) * int64(l.Width)
	}
	return l.Offsets[row]
}

// appendRows appends the lines of rows lo to hi-1.
func (l *Lines[T]) appendRows(text []byte, lo, hi int) []byte {
	for row := lo; row < hi; row++ {
		start := len(text)
		for _, v := range l.Vertices[l.end(row):l.end(row+1)] {
			if v < 0 {
				continue
			}
			switch {
			case l.Names.Ints != nil:
				text = strconv.AppendInt(text, l.Names.Ints[v], 10)
			case l.Names.Offsets != nil:
				text = append(text, l.Names.Text[l.Names.Offsets[v]:l.Names.Offsets[v+1]]...)
			default:
				text = strconv.AppendInt(text, int64(v), 10)
			}
			text = append(text, ' ')
		}
		if len(text) > start {
			text[len(text)-1] = '\n' // replaces the last space
		} else {
			text = append(text, '\n')
		}
	}
	return text
}

// check rejects rows outside the arrays, and names that could not be read back from a line.
func (l *Lines[T]) check() error {
	if l.Offsets != nil && len(l.Offsets) != l.Rows+1 || l.end(l.Rows) != int64(len(l.Vertices)) {
		return refuse.Value("%d rows of %d vertices do not fit together", l.Rows, len(l.Vertices))
	}
	names := l.Names
	for v := range max(0, len(names.Offsets)-1) {
		begin, end := names.Offsets[v], names.Offsets[v+1]
		if begin > end || end > uint64(len(names.Text)) {
			return refuse.Format("vertex_names: the offsets of name %d are damaged", v)
		}
		if name := names.Text[begin:end]; !isWord(name) {
			return refuse.Value("vertex_names[%d] = %s: a line of text is split at white space; "+
				"expected names without any (write .parquet or .npz instead)", v, escaped(name))
		}
	}
	return nil
}

// isWord reports whether Python's str.split() returns the name unchanged: it is not empty and has no white space.
func isWord(name []byte) bool {
	for i := 0; i < len(name); {
		if c := name[i]; c < utf8.RuneSelf {
			if c <= ' ' && (c == ' ' || c >= '\t' && c <= '\r' || c >= 0x1c) {
				return false
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(name[i:])
		if unicode.IsSpace(r) {
			return false
		}
		i += size
	}
	return len(name) > 0
}

// escaped returns a name in single quotes, as Python shows it, with control characters escaped.
func escaped(name []byte) string {
	q := strconv.Quote(string(name))
	return "'" + q[1:len(q)-1] + "'"
}
