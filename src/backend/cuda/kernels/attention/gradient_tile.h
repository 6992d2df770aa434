// Common parts of the gradients of queries and keys on the CUDA cores: 16 rows of a block's own side meet
// tiles of 32 rows of the other side (attention_tile.h).
#pragma once

#include "backend/cuda/kernels/attention/attention_backward.h"
#include "backend/cuda/kernels/attention/attention_tile.h"

namespace nmt::cuda {

struct GradientShared {
  OwnPiece own[2];
  PerRow d_scores[kWarps][kTileRows], weights[kWarps][kTileRows];
  TilePiece tile[2];
};

/// The products q k and d_o v for the warp's rows and the lane's row of a tile.
struct GradientProducts {
  PerRow scores, d_weights;
};

/// Multiplies own rows from `base` on with those of a tile, rows of the other side from `first` on. At the
/// end, shared memory contains the columns of the tile that begin at `piece`, out of the `width` columns from
/// `head_column` on.
template <class T>
__device__ GradientProducts multiply_sides(GradientShared& shared, const GradientSide<T>& own, int base,
                                           const GradientSide<T>& others, int first, int head_column,
                                           int width, int piece) {
  const int pieces = (width + kPiece - 1) / kPiece;
  GradientProducts products = {};
  for (int i = 1; i <= pieces; ++i) {
    const int begin = (piece / kPiece + i) % pieces * kPiece, column = head_column + begin;
    const int columns = min(kPiece, width - begin);
    __syncthreads();
    load_piece<kOwnRows>(shared.own[0], own.first, own.rows, base, column, columns);
    load_piece<kOwnRows>(shared.own[1], own.second, own.rows, base, column, columns);
    load_piece<kTileRows>(shared.tile[0], others.first, others.rows, first, column, columns);
    load_piece<kTileRows>(shared.tile[1], others.second, others.rows, first, column, columns);
    __syncthreads();
    add_product_transposed(products.scores, shared.own[0], shared.tile[0], columns);
    add_product_transposed(products.d_weights, shared.own[1], shared.tile[1], columns);
  }
  return products;
}

}  // namespace nmt::cuda
