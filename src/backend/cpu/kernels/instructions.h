// Instructions that operators on vectors do not express: for each instruction set, a header that defines
//
// - kRegisters: the number of vector registers;
// - fused(a, b, c): a b + c, rounded once if there is an instruction for it;
// - multiply_words(a, b): the products of the low halves of all lanes, as unsigned numbers;
// - float_control(), set_float_control(control): the control register of the processor's floating-point unit,
//   in which kFlushToZero are the bits that make denormal operands and results count as zero;
// - number_at(from): a float of a row, which is multiplied with all floats of a vector, as a Number;
// - add_product(sum, vector, number): sum + vector * number, fused like operators on vectors;
// - factor_at(from): a word of a row, which is multiplied with all words of weights, as a Factor;
// - dot_pairs(sum, weights, row): sum + the products of the two bf16 of each word;
// - dot_quads(sum, weights, row): sum + the products of the four bytes of each word. Those of a row are
//   signed; they are a Factor or a word for each. Those of weights are signed and xored with kFlip: if it is
//   0x80, they are unsigned and 128 too large. If kSumsPairs, the sums of the first two products and of the
//   others must fit into 16 bits;
// - lanes_set(x): a bit for each lane that is not zero.
#pragma once

#if defined(__AVX512F__)
#include "backend/cpu/kernels/instructions/avx512.h"
#elif defined(__AVX2__)
#include "backend/cpu/kernels/instructions/avx2.h"
#elif defined(__SSE4_1__)
#include "backend/cpu/kernels/instructions/sse4_1.h"
#else
#include "backend/cpu/kernels/instructions/neon.h"
#endif
