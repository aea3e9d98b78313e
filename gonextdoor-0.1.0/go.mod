module gonextdoor

go 1.26

tool github.com/go-python/gopy

require (
	github.com/go-python/gopy v0.4.10
	github.com/klauspost/compress v1.18.0
	github.com/kshedden/gonpy v0.0.0-20210519231815-fa3c8dd8e59b
	golang.org/x/sys v0.37.0
	gorgonia.org/cu v0.9.6
)

require (
	github.com/gonuts/commander v0.1.0 // indirect
	github.com/gonuts/flag v0.1.0 // indirect
	github.com/google/uuid v1.1.1 // indirect
	github.com/pkg/errors v0.9.1 // indirect
	golang.org/x/mod v0.29.0 // indirect
	golang.org/x/sync v0.17.0 // indirect
	golang.org/x/tools v0.38.0 // indirect
)
