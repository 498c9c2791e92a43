// How large a checkpoint is in each format: the bytes of its tensors and what the format adds.
//
//   raw             nothing
//   safetensors     8 bytes, and a header in JSON that is padded to 8. Source: huggingface/safetensors, README, "Format"
//   npz             a local and a central header of zip and one of NumPy for each array, as numpy.savez writes them:
//                   local headers carry the sizes in 64 bits, central ones where they need to. Sources: PKWARE
//                   APPNOTE.TXT 6.3, sections 4.3.7 to 4.5.3; numpy.lib.format, version 1.0
//   npz-compressed  the same headers; the data times `ratio`
//   hdf5            data times `ratio`, which is 1 but for filters such as gzip, and 1,314 bytes a tensor, fitted to
//                   Keras' resnet50_weights_tf_dim_ordering_tf_kernels.h5: 102,967,424
//                   bytes, 25,636,712 numbers in 320 tensors. Of vgg16_weights_tf_dim_ordering_tf_kernels.h5,
//                   553,467,096 bytes, it is 5,128 bytes too much
//   pytorch         the headers of zip, 64 bytes of alignment and the pickle: 336 bytes a tensor, fitted to torchvision's
//                   resnet50-0676ba61.pth: 102,530,333 bytes, 25,610,152 numbers in 267 tensors
//   tensorflow      52 bytes in .data, as of the network of wushidonguc/distributed_ffn: 2,553,784 bytes, 638,433 numbers
//
// Not modelled: .index and .meta of TensorFlow, which describe the graph (2,343 and 970,279 bytes there); how weights
// compress, which only a measurement tells.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "cluster/checkpoint_format.hpp"

namespace dodona::reliability {

using cluster::CheckpointFormat;

struct StoredTensor {
    std::string name;
    std::vector<std::int64_t> extents;
    Bytes element;

    [[nodiscard]] double elements() const;
    [[nodiscard]] Bytes bytes() const { return elements() * element; }
};

/// Of all tensors, without what a format adds.
Bytes tensor_bytes(std::span<const StoredTensor> tensors);

/// Of one file with these tensors in this order. `ratio`: of formats that compress, bytes of data in the file over bytes
/// of tensors.
Bytes checkpoint_bytes(CheckpointFormat format, std::span<const StoredTensor> tensors, double ratio = 1);

/// Whether a format compresses, so that its size and its speed depend on the numbers.
bool compresses(CheckpointFormat format);

/// Whether it can: the formats that compress, and HDF5 with a filter (Chainer's save_hdf5: gzip of level 4).
bool may_compress(CheckpointFormat format);

/// The header of an array file of NumPy, padded to 64 bytes and ending in a line feed.
std::string npy_header(const std::vector<std::int64_t>& extents, std::string_view type);

}  // namespace dodona::reliability
