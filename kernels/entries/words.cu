// What is checked of a GPU before anything else is: that it makes the law's words, and lays parameters out as Go does.
#include "core/args.cuh"
#include "core/draw.cuh"

struct Words {
  const nd::u64* coordinates;  // four for each word: stream, id, step, attempt
  nd::u64* out;
  nd::u64 count;
};

ND_KERNEL(words, Words) {
  for (nd::u64 i = nd::thread_of_grid(); i < a.count; i += nd::threads_of_grid()) {
    const nd::u64* c = a.coordinates + 4 * i;
    a.out[i] = nd::word_of(nd::key_of(c[0], c[1]), nd::slot_of(c[2], c[3]));
  }
}

// layout writes where the last field of each struct of parameters lies, and how long the whole is.
ND_KERNEL(layout, nd::Walk) {
  if (nd::thread_of_grid() != 0) return;
  const char* start = (const char*)&a;
  a.counts[0] = (const char*)&a.g.mirrored - start;
  a.counts[1] = (const char*)&a.b.stream - start;
  a.counts[2] = (const char*)&a.t.end - start;
  a.counts[3] = (const char*)&a.counts - start;
  a.counts[4] = sizeof(nd::Walk);
}
