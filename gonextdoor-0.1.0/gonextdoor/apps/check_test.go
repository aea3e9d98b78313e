package apps

import "testing"

func TestKHopBoundsTheWholeTree(t *testing.T) {
	for _, c := range []struct {
		fanouts []int
		fits    bool
	}{
		{nil, true},
		{[]int{1<<28 - 1}, true},
		{[]int{1 << 28}, false},
		{[]int{1 << 14, 1 << 14}, false},
		{[]int{1 << 14, 1<<14 - 2}, true},
		{[]int{1 << 62, 1 << 62}, false},
		{[]int{0}, false},
		{[]int{3, -1}, false},
	} {
		if err := (&KHop{Fanouts: c.fanouts}).Check(); (err == nil) != c.fits {
			t.Errorf("fanouts %v: %v", c.fanouts, err)
		}
	}
}

func TestNode2VecNamesTheFirstBadParameter(t *testing.T) {
	for range 20 {
		err := (&Node2Vec{P: -1, Q: -2, Length: 1}).Check()
		if err == nil || err.Error() != "p = -1: expected a positive number" {
			t.Fatal(err)
		}
	}
}
