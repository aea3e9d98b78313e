// The operators of users' hooks whose semantics differ from C++, or are undefined there: integers wrap around, shift
// counts are taken modulo 64, division rounds down. Floating-point operators are those of C++; multiplications and
// additions are not fused (-fmad=false, -ffp-contract=off), so results equal the CPU's.
#pragma once
#include "core/device.cuh"

namespace nd {

ND_FN i64 plus(i64 a, i64 b) { return (i64)((u64)a + (u64)b); }
ND_FN i64 minus(i64 a, i64 b) { return (i64)((u64)a - (u64)b); }
ND_FN i64 times(i64 a, i64 b) { return (i64)((u64)a * (u64)b); }
ND_FN f64 plus(f64 a, f64 b) { return a + b; }
ND_FN f64 minus(f64 a, f64 b) { return a - b; }
ND_FN f64 times(f64 a, f64 b) { return a * b; }
ND_FN i64 negative(i64 a) { return (i64)(0 - (u64)a); }
ND_FN f64 negative(f64 a) { return -a; }
template <class T> ND_FN T magnitude(T a) { return a < 0 ? negative(a) : a; }
template <class T> ND_FN T least(T a, T b) { return b < a ? b : a; }
template <class T> ND_FN T greatest(T a, T b) { return b > a ? b : a; }
ND_FN i64 shifted_left(i64 a, i64 count) { return (i64)((u64)a << (count & 63)); }
ND_FN i64 shifted_right(i64 a, i64 count) { return a >> (count & 63); }

// quotient and remainder are Python's a // b and a % b, for b != 0. b = -1 is a separate case, since the hardware
// division may overflow.
ND_FN i64 quotient(i64 a, i64 b) {
  if (b == -1) return negative(a);
  i64 rest = a % b;
  return a / b - (rest != 0 && (rest ^ b) < 0);
}
ND_FN i64 remainder(i64 a, i64 b) {
  if (b == -1) return 0;
  i64 rest = a % b;
  return rest != 0 && (rest ^ b) < 0 ? rest + b : rest;
}

}  // namespace nd
