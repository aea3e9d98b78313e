"""The boundary to the Go core: calls, memory, long calls, checks of arguments, files. Imports nothing above itself."""
