package selector

// MaxTries is the number of proposals of Reject before its exact scan. It is part of the reproducibility contract.
const MaxTries = 128

// Reject proposes candidates until one is accepted, and scans after MaxTries rejections. The choice is exact in both cases,
// because the tries are independent. It is
//
//	for t := range MaxTries { if i, ok := try(t); ok { return i } }; return scan()
//
// try proposes a candidate and reports whether it is accepted, with probability bias(i)/bound.
func Reject(try func(t uint64) (i int64, ok bool), scan func() int64) int64 {
	for t := uint64(0); t < MaxTries; t++ {
		if i, ok := try(t); ok {
			return i
		}
	}
	return scan()
}
