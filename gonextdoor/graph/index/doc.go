// Package index derives tables from a graph: alias tables, packed rows, sets of edges, rows ordered by label or time, and
// others.
//
// A function XOf(g, ...) returns a table, which it builds at the first call and caches with the graph until Graph.Close.
// Later calls cost an atomic load; drivers nevertheless read a table once per call, not once per choice. Options bound the
// building only. A view shares the tables that do not depend on biases with its graph. All functions may be called from
// several goroutines.
//
// It is not internal because it is the part of the graph API that the public packages app, selector and graph share with
// pybind, which is outside gonextdoor/ and imports it.
package index
