// Checkpoints in memory as the bytes of files, and back.
//
//   raw             the numbers of all arrays, one array after the other; who reads it has to know their shapes
//   safetensors     huggingface/safetensors, README, "Format": length of a header, the header in JSON, the numbers
//   npz             an array file of NumPy (numpy.lib.format, version 1.0) for each array, in a zip archive as
//                   numpy.savez writes it: stored, headers with sizes in 64 bits (PKWARE APPNOTE.TXT 6.3)
//   npz-compressed  the same, deflated, as numpy.savez_compressed and Chainer's save_npz
//
// Numbers are little-endian and in fp32. The reader takes what the writer writes, and files that NumPy or safetensors
// wrote with fp32 arrays in C order; it checks every length against the file and the checksums of zip.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/storage/array.hpp"
#include "cluster/checkpoint_format.hpp"

namespace dodona::calibrate {

/// Whether checkpoints of this format can be written and read here.
bool can_encode(cluster::CheckpointFormat format);

/// The bytes of a file. The format can be encoded; names are distinct and free of quotes and control characters.
std::string encoded(cluster::CheckpointFormat format, std::span<const Array> arrays);

/// The arrays of a file, in its order. Raw files are cut as `shapes` say, whose numbers are not read; other formats do
/// not need them. Throws DamagedCheckpoint.
std::vector<Array> decoded(cluster::CheckpointFormat format, std::string_view file, std::span<const Array> shapes = {});

}  // namespace dodona::calibrate
