// Kernels that check a GPU at its first use: that it computes the random words of the reproducibility contract, and
// that parameters have the same layout as in Go.
#include "core/args.cuh"
#include "core/draw.cuh"

// Words is the parameter of kernel words.
struct Words {
  const nd::u64* coordinates;  // four per word: stream, id, step, attempt
  nd::u64* out;
  nd::u64 count;
};

// words computes `count` random words.
ND_KERNEL(words, Words) {
  for (nd::u64 i = nd::thread_of_grid(); i < a.count; i += nd::threads_of_grid()) {
    const nd::u64* c = a.coordinates + 4 * i;
    a.out[i] = nd::word_of(nd::key_of(c[0], c[1]), nd::slot_of(c[2], c[3]));
  }
}

// layout writes the offset of a late field of each struct of Walk, and the size of Walk, in bytes.
ND_KERNEL(layout, nd::Walk) {
  if (nd::thread_of_grid() != 0) return;
  const char* start = (const char*)&a;
  a.counts[0] = (const char*)&a.g.mirrored - start;
  a.counts[1] = (const char*)&a.b.stream - start;
  a.counts[2] = (const char*)&a.t.end - start;
  a.counts[3] = (const char*)&a.counts - start;
  a.counts[4] = sizeof(nd::Walk);
}
