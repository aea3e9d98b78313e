package file

import (
	"bytes"
	"fmt"
	"slices"
	"time"
)

// dateUnit is the unit of times that are read from text: microseconds, as pandas and Polars read dates.
const dateUnit = "us"

// date parses a date of ISO 8601, with or without a time of day and an offset from UTC, and returns the microseconds since
// 1970-01-01 UTC, or why it is none. Without an offset it is UTC.
func date(field []byte) (int64, string) {
	days, rest, ok := dayOf(field)
	if !ok {
		return noDate(field)
	}
	if len(rest) == 0 {
		return days, ""
	}
	if rest[0] != 'T' && rest[0] != 't' && rest[0] != ' ' {
		return noDate(field)
	}
	clock, rest, ok := clockOf(rest[1:])
	if !ok {
		return noDate(field)
	}
	part, rest, ok := fractionOf(rest)
	if !ok {
		return noDate(field)
	}
	if part < 0 {
		return 0, fmt.Sprintf("the time %q has parts of a microsecond, which are not kept: read the column with pandas", shortened(field))
	}
	offset, ok := offsetOf(bytes.TrimPrefix(rest, []byte{' '}))
	if !ok {
		return noDate(field)
	}
	return days + clock + part - offset, ""
}

// noDate returns why a field is no date.
func noDate(field []byte) (int64, string) {
	return 0, fmt.Sprintf("the time %q is not a date of ISO 8601, such as 2024-05-01 or 2024-05-01T12:30:00Z; time=False reads the edges without times",
		shortened(field))
}

// dayOf takes a year and a month, and a day if there is one, and returns its begin.
func dayOf(f []byte) (micros int64, rest []byte, ok bool) {
	year, f, ok := digitsOf(f, 4)
	if !ok || len(f) == 0 || f[0] != '-' {
		return 0, f, false
	}
	month, f, ok := digitsOf(f[1:], 2)
	if !ok || month < 1 || month > 12 {
		return 0, f, false
	}
	day := 1
	if len(f) > 0 && f[0] == '-' {
		last := time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
		if day, f, ok = digitsOf(f[1:], 2); !ok || day < 1 || day > last {
			return 0, f, false
		}
	}
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Unix() * 1e6, f, true
}

// clockOf takes hours, and minutes and seconds if there are any.
func clockOf(f []byte) (micros int64, rest []byte, ok bool) {
	clock := [3]int{}
	for i := range clock {
		if i > 0 {
			if len(f) == 0 || f[0] != ':' {
				break
			}
			f = f[1:]
		}
		if clock[i], f, ok = digitsOf(f, 2); !ok || clock[i] > []int{23, 59, 59}[i] {
			return 0, f, false
		}
	}
	return int64(clock[0]*3600+clock[1]*60+clock[2]) * 1e6, f, true
}

// fractionOf takes a fraction of a second, if there is one; it is -1 if it is not a whole number of microseconds.
func fractionOf(f []byte) (micros int64, rest []byte, ok bool) {
	if len(f) == 0 || f[0] != '.' && f[0] != ',' {
		return 0, f, true
	}
	f = f[1:]
	scale, n := int64(100_000), 0
	for ; n < len(f) && f[n] >= '0' && f[n] <= '9'; n++ {
		if scale == 0 && f[n] != '0' {
			return -1, f, true
		}
		micros += int64(f[n]-'0') * scale
		scale /= 10
	}
	return micros, f[n:], n > 0
}

// offsetOf returns the offset from UTC, which is all of f.
func offsetOf(f []byte) (micros int64, ok bool) {
	if len(f) == 0 || slices.Contains([]string{"Z", "z", "UTC"}, string(f)) {
		return 0, true
	}
	if f[0] != '+' && f[0] != '-' {
		return 0, false
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
	return sign * int64(hours*3600+minutes*60) * 1e6, ok && len(f) == 0 && hours <= 23 && minutes <= 59
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
