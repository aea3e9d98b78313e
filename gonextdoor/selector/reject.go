package selector

// MaxTries is how often Reject proposes before it gives up to an exact scan. It is part of the law.
const MaxTries = 128

// Reject proposes until a proposal is accepted, and after MaxTries refusals scans instead: an exact choice either way,
// since the tries are independent. It is
//
//	for t := range MaxTries { if i, ok := try(t); ok { return i } }; return scan()
//
// try proposes a candidate and says whether it is accepted, with probability bias(i)/bound.
func Reject(try func(t uint64) (i int64, ok bool), scan func() int64) int64 {
	for t := uint64(0); t < MaxTries; t++ {
		if i, ok := try(t); ok {
			return i
		}
	}
	return scan()
}
