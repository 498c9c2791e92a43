// PyTorch's caching allocator, played: which segments a sequence of allocations takes from the driver.
//
//   size      requests are rounded up to 512 bytes
//   pools     up to 1 MiB from segments of 2 MiB; larger ones below 10 MiB from segments of 20 MiB; the others from
//             segments of their own size, rounded up to 2 MiB
//   choice    the smallest free block that is large enough, the one with the lowest address of equal ones
//   split     what a block has left over becomes a free block: from 512 bytes in the small pool, above 1 MiB in the
//             large one
//   free      a block joins the free blocks beside it in its segment; segments stay with the process
//   full      where the driver has no more, segments without a tensor go back to it
//
// With expandable segments a pool has one segment, which grows by pages of 2 MiB (small) or 20 MiB; free blocks anywhere
// in it join. Source: pytorch/pytorch, c10/cuda/CUDACachingAllocator.cpp (2.1 to 2.6), and docs/source/notes/cuda.rst.
// Not modelled: tensors that several streams use, max_split_size_mb, garbage_collection_threshold.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace dodona::play {

/// How segments are taken from the driver.
enum class Segments : std::uint8_t { fixed, expandable };

class CachingAllocator {
public:
    /// `capacity`: bytes that the driver can give.
    explicit CachingAllocator(Segments segments, std::int64_t capacity);

    using Tensor = std::int64_t;

    /// Returns a number for `free`; none if there is no memory for it. Domain: bytes >= 0.
    std::optional<Tensor> allocate(std::int64_t bytes);
    void free(Tensor tensor);

    /// Bytes, rounded as requests are; `most`: the largest so far.
    [[nodiscard]] std::int64_t allocated() const { return allocated_; }
    [[nodiscard]] std::int64_t reserved() const { return reserved_; }
    [[nodiscard]] std::int64_t most_allocated() const { return most_allocated_; }
    [[nodiscard]] std::int64_t most_reserved() const { return most_reserved_; }

private:
    enum Pool : std::uint8_t { small, large };
    struct Block {
        Pool pool = small;
        std::int64_t size = 0;
        bool free = true;
        bool first = true;  ///< of its segment
    };
    using Blocks = std::map<std::int64_t, Block>;  ///< by address
    using Sized = std::pair<std::int64_t, std::int64_t>;

    Blocks::iterator take_segment(Pool pool, std::int64_t bytes);
    Blocks::iterator grow(Pool pool, std::int64_t bytes);
    Blocks::iterator add_free(std::int64_t address, Block block);
    /// Joins a free block with the one after it.
    void join(Blocks::iterator block, Blocks::iterator next);
    void reserve(std::int64_t bytes);
    void release_unused();

    Segments segments_;
    std::int64_t capacity_;
    Blocks blocks_;
    std::array<std::set<Sized>, 2> free_;  ///< by pool: size and address
    std::array<std::int64_t, 2> next_{};   ///< by pool: address of what comes next
    std::int64_t allocated_ = 0;
    std::int64_t reserved_ = 0;
    std::int64_t most_allocated_ = 0;
    std::int64_t most_reserved_ = 0;
};

}  // namespace dodona::play
