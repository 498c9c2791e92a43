// What compression leaves to send, and what its kernels take.
//
//   top-k       k = density * elements, each with its value (4 bytes) and index (4 bytes)
//   int8, fp8   1 byte an element + 4 bytes a block;  int4 1/2 byte;  1-bit 1/8 byte
//
// Kernels move, in bytes of device memory, for d bytes that become c:
//
//   quantised   read d, write c; then read c, write d
//   top-k       passes * d of the selection + d for mean and maximum; write c; read what arrives
//
// and with error feedback the residual, as large as d, is read and written once more.
// Source: Shi et al., arXiv:2010.10458 (MSTopK: a binary search over thresholds between mean and maximum); Aji and
// Heafield, arXiv:1704.05021, and Seide et al., Interspeech 2014, for error feedback; Wang et al., arXiv:2306.10209
// (ZeRO++) for block quantisation. Four passes of the exact selection: 32-bit keys, 8 bits a pass.
// Not modelled: what a lossy exchange costs in steps.
#pragma once

#include "base/quantity.hpp"
#include "exchange/exchange.hpp"

namespace dodona::exchange {

/// Elements of a dense buffer and their bytes.
struct Buffer {
    double elements = 0;
    Bytes bytes;
};

/// The same buffer as it is sent by one worker.
Bytes compressed(const Compression& compression, const Buffer& buffer);

/// Bytes of device memory that the kernels move for one buffer, those of error feedback among them.
Bytes kernel_traffic(const Compression& compression, const Buffer& buffer);

/// Those of error feedback; zero without it.
Bytes feedback_traffic(const Compression& compression, const Buffer& buffer);

}  // namespace dodona::exchange
