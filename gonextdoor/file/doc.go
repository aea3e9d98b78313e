// Package file reads graphs from files that others wrote (SNAP text, csv, tsv, Matrix Market, each plain, gzip or zstd)
// and keeps graphs in folders of .npy arrays that are mapped, not loaded.
//
// Text goes through four opts: a source (file and decompression) is cut into blocks at line ends, workers parse blocks
// into columns, an order gives the vertices their numbers, and build.FromEdges builds the rows. Workers take blocks
// from the source themselves, under a lock: whoever has parsed his block inflates the next, so that both go on at once
// with two threads and nothing is handed over with one.
package file
