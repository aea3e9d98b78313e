// Package file reads graphs from text files (SNAP, csv, tsv, Matrix Market, each plain, gzip or zstd) and stores graphs in
// folders of .npy arrays, which are mapped, not loaded.
//
// Text passes through four stages: a source (file and decompression) is cut into blocks at line ends, workers parse blocks
// into columns, a numbering assigns numbers to the vertices, and build.FromEdges builds the rows. Workers take blocks from
// the source under a lock: a worker that has parsed its block decompresses the next one. Two threads thus decompress and
// parse at the same time, and one thread needs no queue.
//
// It is not internal because pybind, outside gonextdoor/, imports it.
package file
