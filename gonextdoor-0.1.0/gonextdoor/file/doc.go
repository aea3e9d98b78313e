// Package file reads graphs from text files (SNAP, csv, tsv, Matrix Market, each plain, gzip or zstd) and stores graphs in
// folders of .npy arrays, which are mapped, not loaded.
//
// Reading text has five stages:
//  1. source opens the file and decompresses it.
//  2. sniffer reads the first lines and determines the layout: delimiter, header, and what each column holds.
//  3. blocks cuts the text at line ends, and the workers of a parser turn each block into a part: arrays of ids and attributes.
//  4. A numbering (integer ids) or a dictionary (text ids) assigns the vertices 0, 1, 2, ...
//  5. build.FromEdges builds the rows.
//
// Workers take blocks from the source under a lock: a worker that has parsed its block decompresses the next one. Two
// threads thus decompress and parse at the same time, and one thread needs no queue. Parts are accepted in the order of the
// file, so the graph and the first error do not depend on the number of threads.
//
// The files form no circle, in three groups: text, from line and layout to parser, parse and read; folders, from arrays and
// recordfile to folder, open, save and writer; partitioned and heterogeneous graphs, whose records and writers use both.
//
// The parts are outside the Go heap (offheap) and are freed before Read returns. A graph that was read owns its arrays; a
// graph of a folder owns its mappings. Both are freed by Graph.Close.
package file
