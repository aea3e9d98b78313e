package gonextdoor

import "gonextdoor/gonextdoor/feature"

// Features returns a store of rows of rowBytes bytes each: those of the parts, in their order.
func Features(parts []feature.Part, rowBytes int64) (feature.Store, error) {
	return feature.New(parts, rowBytes)
}
