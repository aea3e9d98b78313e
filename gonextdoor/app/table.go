package app

import (
	"encoding/json"
	"errors"
	"strings"

	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/refuse"
)

// Apps is the table of apps by name: a new app is one file and one line here.
var Apps = map[string]func() App{
	"DeepWalk":   func() App { return new(DeepWalk) },
	"PPR":        func() App { return new(PPR) },
	"Node2Vec":   func() App { return new(Node2Vec) },
	"KHop":       func() App { return new(KHop) },
	"Layer":      func() App { return new(Layer) },
	"MVS":        func() App { return new(MVS) },
	"FastGCN":    func() App { return new(FastGCN) },
	"LADIES":     func() App { return new(LADIES) },
	"Neighbor":   func() App { return new(Neighbor) },
	"Snowball":   func() App { return new(Snowball) },
	"ForestFire": func() App { return new(ForestFire) },
	"RandomNode": func() App { return new(RandomNode) },
	"RandomEdge": func() App { return new(RandomEdge) },
	"ClusterGCN": func() App { return new(ClusterGCN) },
	"GraphSAINT": func() App { return new(GraphSAINT) },

	"Walk":                 func() App { return new(Walk) },
	"MetropolisHastings":   func() App { return new(MetropolisHastings) },
	"Jump":                 func() App { return new(Jump) },
	"Restart":              func() App { return new(Restart) },
	"MultiIndependent":     func() App { return new(MultiIndependent) },
	"MultiDimensionalWalk": func() App { return new(MultiDimensionalWalk) },
	"MetaPath":             func() App { return new(MetaPath) },

	"App": func() App { return &Custom{Reads: hook.Everything} },
}

// Parse makes an app from its name and its parameters in JSON, as {"length": 80, "weighted": "auto"}.
func Parse(name, params string) (App, error) {
	make, ok := Apps[name]
	if !ok {
		return nil, refuse.Value("app = %q: no such app", name)
	}
	a := make()
	d := json.NewDecoder(strings.NewReader(params))
	d.DisallowUnknownFields()
	if err := d.Decode(a); err != nil {
		var r *refuse.Refusal
		if errors.As(err, &r) {
			return nil, err
		}
		return nil, refuse.Type("%s: parameters %s: %v", name, params, err)
	}
	return a, a.Check()
}
