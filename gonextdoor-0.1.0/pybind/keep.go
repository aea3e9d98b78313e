package pybind

// Only code that gopy generates imports this package; naming it here keeps it in go.mod and in a vendor folder.
import _ "github.com/go-python/gopy/gopyh"
