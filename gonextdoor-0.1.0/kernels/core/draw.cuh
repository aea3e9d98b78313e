// Random words: the twin of package rng, function by function. A word is a hash of a key and a slot, so it is computed
// without state, in any order and by any thread. docs/reproducibility.md specifies the functions.
#pragma once
#include "core/device.cuh"

namespace nd {

// Slots of a step, as in package rng: attempts below MaxTries are proposals, MaxTries is the scan after them, HookTry
// the first word of hooks, PoolTry the selection of a pool vertex.
constexpr u64 Gamma = 0x9E3779B97F4A7C15ull;
constexpr u32 MaxTries = 128;
constexpr u32 HookTry = 192, PoolTry = 224;
constexpr u64 HookSlot = 1ull << 40;  // the first slot of hooks if each walker has a derived key
constexpr u32 UserWords = 32;         // words of a hook per choice

// mix is the finalizer of SplitMix64.
ND_FN u64 mix(u64 x) {
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ x >> 27) * 0x94D049BB133111EBull;
  return x ^ x >> 31;
}

// key_of returns the key of an id in a stream, word_of the word of a key at a slot, slot_of the slot of an attempt in a
// step.
ND_FN u64 key_of(u64 stream, u64 id) { return mix(stream ^ id * Gamma); }
ND_FN u64 word_of(u64 key, u64 slot) { return mix(key ^ (slot + 1) * Gamma); }
ND_FN u64 slot_of(u64 step, u64 attempt) { return step << 8 | attempt; }
// derived_key returns the key that is derived from a key, a slot and an id: rng.Key.Stream(slot).Key(id).
ND_FN u64 derived_key(u64 key, u64 slot, u64 id) { return key_of(word_of(key, slot), id); }

// Below is a word as an index below n, and a 32-bit fraction that is independent of the index.
struct Below {
  u64 index;
  u32 fraction;
};

// below splits a word, by one 128-bit product. The fraction's bits are those after the index in word*n / 2^64.
ND_FN Below below(u64 word, u64 n) { return {high_product(word, n), (u32)(word * n >> 32)}; }
// Below32 is the same for n below 2^32, with half the multiplications.
struct Below32 {
  u32 index, fraction;
};
ND_FN Below32 below(u64 word, u32 n) {
  u64 low = (u64)(u32)word * n, high = (word >> 32) * n + (low >> 32);
  return {(u32)(high >> 32), (u32)high};
}
// second returns 32 further bits of a word whose fraction is used up.
ND_FN u32 second(u64 word) { return (u32)(word * Gamma >> 32); }

}  // namespace nd
