// The random words of the law: the twin of package rng, function by function.
#pragma once
#include "core/device.cuh"

namespace nd {

constexpr u64 Gamma = 0x9E3779B97F4A7C15ull;
constexpr u32 MaxTries = 128;  // rng.Slot's place of the words behind the tries
constexpr u32 HookTry = 192, PoolTry = 224;
constexpr u64 HookSlot = 1ull << 40;
constexpr u32 UserWords = 32;

ND_FN u64 mix(u64 x) {
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ x >> 27) * 0x94D049BB133111EBull;
  return x ^ x >> 31;
}

ND_FN u64 key_of(u64 stream, u64 id) { return mix(stream ^ id * Gamma); }
ND_FN u64 word_of(u64 key, u64 slot) { return mix(key ^ (slot + 1) * Gamma); }
ND_FN u64 slot_of(u64 step, u64 attempt) { return step << 8 | attempt; }
// derived_key is the key that hangs under a slot: rng.Key.Stream(slot).Key(id).
ND_FN u64 derived_key(u64 key, u64 slot, u64 id) { return key_of(word_of(key, slot), id); }

// Below is a word as an index below n, and a 32-bit fraction that is independent of it.
struct Below { u64 index; u32 fraction; };
ND_FN Below below(u64 word, u64 n) { return {high_product(word, n), (u32)(word * n >> 32)}; }
// The same below 2^32, by half the multiplications.
struct Below32 { u32 index, fraction; };
ND_FN Below32 below(u64 word, u32 n) {
  u64 low = (u64)(u32)word * n, high = (word >> 32) * n + (low >> 32);
  return {(u32)(high >> 32), (u32)high};
}
ND_FN u32 second(u64 word) { return (u32)(word * Gamma >> 32); }

}  // namespace nd
