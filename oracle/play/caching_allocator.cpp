#include "play/caching_allocator.hpp"

#include <algorithm>
#include <iterator>

namespace dodona::play {

namespace {

constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kRounded = 512;
constexpr std::int64_t kSmall = kMiB;               ///< the largest request of the small pool
constexpr std::int64_t kSmallSegment = 2 * kMiB;    ///< and the grain of large segments
constexpr std::int64_t kMiddleSegment = 20 * kMiB;  ///< of requests below ...
constexpr std::int64_t kMiddle = 10 * kMiB;
constexpr std::int64_t kPoolSpan = std::int64_t{1} << 60;  ///< addresses of a pool

std::int64_t rounded(std::int64_t bytes, std::int64_t grain) { return (bytes + grain - 1) / grain * grain; }

std::int64_t segment_size(std::int64_t bytes) {
    if (bytes <= kSmall) {
        return kSmallSegment;
    }
    return bytes < kMiddle ? kMiddleSegment : rounded(bytes, kSmallSegment);
}

}  // namespace

CachingAllocator::CachingAllocator(Segments segments, std::int64_t capacity)
    : segments_(segments), capacity_(capacity) {
    next_[large] = kPoolSpan;
}

std::optional<CachingAllocator::Tensor> CachingAllocator::allocate(std::int64_t bytes) {
    bytes = std::max(kRounded, rounded(bytes, kRounded));
    const Pool pool = bytes <= kSmall ? small : large;
    const auto best = free_[pool].lower_bound({bytes, 0});
    const auto block = best != free_[pool].end()      ? blocks_.find(best->second)
                       : segments_ == Segments::fixed ? take_segment(pool, bytes)
                                                      : grow(pool, bytes);
    if (block == blocks_.end()) {
        return {};
    }
    free_[pool].erase({block->second.size, block->first});
    block->second.free = false;
    const std::int64_t left = block->second.size - bytes;
    if (pool == small ? left >= kRounded : left > kSmall) {
        block->second.size = bytes;
        add_free(block->first + bytes, {.pool = pool, .size = left, .first = false});
    }
    allocated_ += block->second.size;
    most_allocated_ = std::max(most_allocated_, allocated_);
    return block->first;
}

void CachingAllocator::free(Tensor tensor) {
    auto block = blocks_.find(tensor);
    allocated_ -= block->second.size;
    block->second.free = true;
    free_[block->second.pool].insert({block->second.size, block->first});
    if (const auto next = std::next(block); next != blocks_.end() && next->second.free && !next->second.first) {
        join(block, next);
    }
    if (!block->second.first) {
        if (const auto before = std::prev(block); before->second.free) {
            join(before, block);
        }
    }
}

CachingAllocator::Blocks::iterator CachingAllocator::add_free(std::int64_t address, Block block) {
    free_[block.pool].insert({block.size, address});
    return blocks_.insert_or_assign(address, block).first;
}

void CachingAllocator::join(Blocks::iterator block, Blocks::iterator next) {
    auto& of_pool = free_[block->second.pool];
    of_pool.erase({block->second.size, block->first});
    of_pool.erase({next->second.size, next->first});
    block->second.size += next->second.size;
    of_pool.insert({block->second.size, block->first});
    blocks_.erase(next);
}

CachingAllocator::Blocks::iterator CachingAllocator::take_segment(Pool pool, std::int64_t bytes) {
    const std::int64_t size = segment_size(bytes);
    if (reserved_ + size > capacity_) {
        release_unused();
    }
    if (reserved_ + size > capacity_) {
        return blocks_.end();
    }
    reserve(size);
    const std::int64_t address = next_[pool];
    next_[pool] += size;
    return add_free(address, {.pool = pool, .size = size});
}

CachingAllocator::Blocks::iterator CachingAllocator::grow(Pool pool, std::int64_t bytes) {
    const std::int64_t page = pool == small ? kSmallSegment : kMiddleSegment;
    // What is free at the end of the segment is part of the block.
    auto last = blocks_.lower_bound(next_[pool]);
    const bool begun = last != blocks_.begin() && std::prev(last)->second.pool == pool;
    const std::int64_t there = begun && std::prev(last)->second.free ? std::prev(last)->second.size : 0;
    const std::int64_t size = rounded(bytes - there, page);
    if (reserved_ + size > capacity_) {
        return blocks_.end();
    }
    reserve(size);
    const std::int64_t address = next_[pool];
    next_[pool] += size;
    const auto added = add_free(address, {.pool = pool, .size = size, .first = !begun});
    if (there == 0) {
        return added;
    }
    const auto before = std::prev(added);
    join(before, added);
    return before;
}

void CachingAllocator::reserve(std::int64_t bytes) {
    reserved_ += bytes;
    most_reserved_ = std::max(most_reserved_, reserved_);
}

void CachingAllocator::release_unused() {
    for (auto block = blocks_.begin(); block != blocks_.end();) {
        const auto next = std::next(block);
        const bool whole = block->second.first && (next == blocks_.end() || next->second.first);
        if (whole && block->second.free) {
            free_[block->second.pool].erase({block->second.size, block->first});
            reserved_ -= block->second.size;
            blocks_.erase(block);
        }
        block = next;
    }
}

}  // namespace dodona::play
