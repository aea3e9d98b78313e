package induced

import "gonextdoor/gonextdoor/parallel"

// many finds the edges of n batches, of which each has one thread. After an error it takes back those that were found.
func many[T any, P interface {
	*T
	Return()
}](n, threads int, find func(i int) (T, error)) ([]T, error) {
	found := make([]T, n)
	err := parallel.For(nil, threads, n, 1, func(lo, hi int) (err error) {
		for i := lo; i < hi && err == nil; i++ {
			found[i], err = find(i)
		}
		return err
	})
	if err == nil {
		return found, nil
	}
	for i := range found {
		P(&found[i]).Return()
	}
	return nil, err
}
