// Package index derives tables from a graph: alias tables, packed rows, sets of edges, rows ordered by label or time, and
// others.
//
// A function XOf(g, ...) returns a table, which it builds at the first call and caches with the graph until Graph.Close.
// Later calls cost an atomic load; drivers nevertheless read a table once per call, not once per choice. Options bound the
// building only. A view shares the tables that do not depend on biases with its graph. All functions may be called from
// several goroutines.
package index
