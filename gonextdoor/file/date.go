package file

import (
	"bytes"
	"fmt"
	"time"
)

// dateUnit is the unit of times that are read from text: microseconds, as pandas and Polars read dates.
const dateUnit = "us"

// date parses a date of ISO 8601, with or without a time of day and an offset from UTC, and returns the microseconds since
// 1970-01-01 UTC, or why it is none. Without an offset it is UTC.
func date(field []byte) (int64, string) {
	const faultDate = "the time %q is not a date of ISO 8601, such as 2024-05-01 or 2024-05-01T12:30:00Z; time=False reads the edges without times"
	refused := func() (int64, string) { return 0, fmt.Sprintf(faultDate, shortened(field)) }
	// 1. The day.
	f := field
	negative := len(f) > 0 && f[0] == '-'
	if negative {
		return refused()
	}
	year, f, ok := digitsOf(f, 4)
	if !ok || len(f) == 0 || f[0] != '-' {
		return refused()
	}
	month, f, ok := digitsOf(f[1:], 2)
	if !ok || month < 1 || month > 12 {
		return refused()
	}
	day := 1
	if len(f) > 0 && f[0] == '-' {
		if day, f, ok = digitsOf(f[1:], 2); !ok || day < 1 || day > time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day() {
			return refused()
		}
	}
	micros := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Unix() * 1e6
	if len(f) == 0 {
		return micros, ""
	}
	// 2. The time of day.
	if f[0] != 'T' && f[0] != 't' && f[0] != ' ' {
		return refused()
	}
	f = f[1:]
	clock := [3]int{}
	for i := range clock {
		if i > 0 {
			if len(f) == 0 || f[0] != ':' {
				break
			}
			f = f[1:]
		}
		if clock[i], f, ok = digitsOf(f, 2); !ok || clock[i] > []int{23, 59, 59}[i] {
			return refused()
		}
	}
	micros += int64(clock[0]*3600+clock[1]*60+clock[2]) * 1e6
	if len(f) > 0 && (f[0] == '.' || f[0] == ',') {
		f = f[1:]
		scale, n := int64(100_000), 0
		for ; n < len(f) && f[n] >= '0' && f[n] <= '9'; n++ {
			if scale == 0 && f[n] != '0' {
				return 0, fmt.Sprintf("the time %q has parts of a microsecond, which are not kept: read the column with pandas", shortened(field))
			}
			micros += int64(f[n]-'0') * scale
			scale /= 10
		}
		if f = f[n:]; n == 0 {
			return refused()
		}
	}
	// 3. The offset from UTC.
	f = bytes.TrimPrefix(f, []byte{' '})
	switch {
	case len(f) == 0, string(f) == "Z", string(f) == "z", string(f) == "UTC":
		return micros, ""
	case f[0] != '+' && f[0] != '-':
		return refused()
	}
	sign := int64(1)
	if f[0] == '-' {
		sign = -1
	}
	hours, f, ok := digitsOf(f[1:], 2)
	minutes := 0
	if ok && len(f) > 0 {
		minutes, f, ok = digitsOf(bytes.TrimPrefix(f, []byte{':'}), 2)
	}
	if !ok || len(f) > 0 || hours > 23 || minutes > 59 {
		return refused()
	}
	return micros - sign*int64(hours*3600+minutes*60)*1e6, ""
}

// digitsOf takes a number of n digits from the beginning of f.
func digitsOf(f []byte, n int) (v int, rest []byte, ok bool) {
	if len(f) < n {
		return 0, f, false
	}
	for _, c := range f[:n] {
		if c < '0' || c > '9' {
			return 0, f, false
		}
		v = 10*v + int(c-'0')
	}
	return v, f[n:], true
}

// isDate reports whether a field is a date.
func isDate(f string) bool {
	_, why := date([]byte(f))
	return why == ""
}
