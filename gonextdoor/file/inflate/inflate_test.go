package inflate

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"testing/iotest"

	fast "github.com/klauspost/compress/gzip"
)

const cnr = "../../../../shared/data/cnr-2000.txt.gz"

// texts are contents with all kinds of symbols: literals, short and long matches, far and near, none at all.
func texts() map[string][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	noise, digits, steps := make([]byte, 300000), &bytes.Buffer{}, &bytes.Buffer{}
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	for i := range 30000 {
		fmt.Fprintf(digits, "%d\t%d\n", i/10, r.IntN(1000000))
	}
	for i := range 300 {
		steps.Write(bytes.Repeat(noise[i:i+i%40+1], 1+r.IntN(400)))
	}
	return map[string][]byte{
		"empty": {}, "one": {7}, "noise": noise, "digits": digits.Bytes(), "steps": steps.Bytes(), "zeros": make([]byte, 1<<20),
		"far": append(bytes.Clone(noise[:32768]), noise[:32768]...),
	}
}

func TestTexts(t *testing.T) {
	for name, text := range texts() {
		for level := gzip.HuffmanOnly; level <= gzip.BestCompression; level += 3 {
			var b bytes.Buffer
			z, _ := gzip.NewWriterLevel(&b, level)
			z.Name, z.Comment, z.Extra = "a", "b", []byte("cde")
			for i := 0; i < len(text); i += 50000 { // Flush leaves empty stored blocks
				z.Write(text[i:min(i+50000, len(text))])
				z.Flush()
			}
			z.Close()
			two := append(bytes.Clone(b.Bytes()), b.Bytes()...)
			for way, from := range map[string]io.Reader{
				"whole": bytes.NewReader(two), "bytes": iotest.OneByteReader(bytes.NewReader(two)), "with eof": iotest.DataErrReader(bytes.NewReader(two)),
			} {
				got, err := io.ReadAll(NewReader(from))
				if err != nil || !bytes.Equal(got, append(bytes.Clone(text), text...)) {
					t.Fatalf("%s, level %d, %s: %d bytes, %v", name, level, way, len(got), err)
				}
			}
		}
	}
}

func TestTruncatedAndDamaged(t *testing.T) {
	for name, text := range texts() {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write(text)
		z.Close()
		for i := 0; i < b.Len(); i += 1 + b.Len()/50 {
			got, err := io.ReadAll(NewReader(bytes.NewReader(b.Bytes()[:i])))
			if err != io.ErrUnexpectedEOF || !bytes.HasPrefix(text, got) {
				t.Fatalf("%s cut at %d: %d bytes, %v", name, i, len(got), err)
			}
			damaged := bytes.Clone(b.Bytes())
			damaged[i] ^= 0x10
			if _, err := io.ReadAll(NewReader(bytes.NewReader(damaged))); (err == nil) != sound(damaged) {
				t.Fatalf("%s damaged at %d: %v", name, i, err)
			}
		}
	}
}

// sound says whether compress/gzip reads data: a few bits, such as the time and padding, mean nothing.
func sound(data []byte) bool {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err == nil {
		_, err = io.Copy(io.Discard, r)
	}
	return err == nil
}

func TestErrorsOfTheSource(t *testing.T) {
	broken := errors.New("broken")
	if _, err := io.ReadAll(NewReader(iotest.ErrReader(broken))); err != broken {
		t.Error(err)
	}
}

// FuzzInflate compares with compress/flate: the same bytes, or an error where it has one.
func FuzzInflate(f *testing.F) {
	for _, text := range texts() {
		for level := flate.HuffmanOnly; level <= 9; level += 3 {
			var b bytes.Buffer
			z, _ := flate.NewWriter(&b, level)
			z.Write(text[:min(len(text), 3000)])
			z.Close()
			f.Add(b.Bytes())
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		want, wrong := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(data)), 1<<22))
		s := stream{from: bytes.NewReader(data), input: make([]byte, 64)}
		var got []byte
		var err error
		for err == nil && len(got) < 1<<22 {
			err = s.fill()
			got = append(got, s.window[s.given:s.written]...)
		}
		if (err == io.EOF || err == nil) != (wrong == nil) {
			t.Fatalf("error %v, expected %v", err, wrong)
		}
		if n := min(len(got), len(want)); !bytes.Equal(got[:n], want[:n]) || err == io.EOF && len(got) != len(want) && len(want) < 1<<22 {
			t.Fatalf("%d bytes, expected %d", len(got), len(want))
		}
	})
}

func BenchmarkReader(b *testing.B) {
	data, err := os.ReadFile(cnr)
	if err != nil {
		b.Skip(err)
	}
	into := make([]byte, 256<<10)
	for name, open := range map[string]func(io.Reader) (io.Reader, error){
		"here": func(r io.Reader) (io.Reader, error) { return NewReader(r), nil },
		"std":  func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		"fast": func(r io.Reader) (io.Reader, error) { return fast.NewReader(r) },
	} {
		b.Run(name, func(b *testing.B) {
			var before, after syscall.Rusage
			syscall.Getrusage(syscall.RUSAGE_SELF, &before)
			defer func() { // on a machine that others use too it tells more than the clock
				syscall.Getrusage(syscall.RUSAGE_SELF, &after)
				b.ReportMetric(float64(after.Utime.Nano()-before.Utime.Nano())/1e6/float64(b.N), "cpu-ms/op")
			}()
			for b.Loop() {
				r, err := open(bytes.NewReader(data))
				n := int64(0)
				for err == nil {
					var k int
					k, err = r.Read(into)
					n += int64(k)
				}
				if err != io.EOF {
					b.Fatal(err)
				}
				b.SetBytes(n)
			}
		})
	}
}
