// Sums of what compression leaves, with error feedback where the exchange has it.
//
//   quantised      each worker sends each part in codes to its owner; owners sum, and send their sum in codes to all
//   all-gather     k values and indices of each worker round a ring; all sum them in the order of workers
//   tree           pairs merge and keep the largest k; what a merge drops stays with who merged (gTop-k); then a broadcast
//   hierarchical   dense reduce-scatter in a node, all-gather of k values of each part between nodes, all-gather in a node
//
// Source: Wang et al., arXiv:2306.10209 (ZeRO++), for two stages of codes; Shi et al., arXiv:1901.04359 (gTop-k), whose
// workers put back what did not become global; Shi et al., arXiv:2010.10458 (HiTopKComm).
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>

#include "base/check.hpp"
#include "calibrate/compression/quantisation.hpp"
#include "calibrate/compression/selection.hpp"
#include "lab/replicas/party.hpp"

namespace dodona::calibrate {

namespace {

using exchange::Compression;
using Packed = std::vector<std::uint8_t>;

/// Values in codes, and what they stand for: the residual keeps the difference.
class Coder {
public:
    explicit Coder(Party& party)
        : residual_(party.residual),
          format_(code_format(party.exchange.compression.kind)),
          block_(static_cast<std::size_t>(party.exchange.compression.block)) {}

    [[nodiscard]] Packed packed(std::span<const float> values) const {
        Packed codes(bytes(values.size()));
        quantise(format_, values, block_, codes);
        return codes;
    }
    [[nodiscard]] Packed empty(std::size_t elements) const { return Packed(bytes(elements)); }
    [[nodiscard]] std::vector<float> values(const Packed& codes, std::size_t count) const {
        std::vector<float> values(count);
        dequantise(format_, codes, block_, values);
        return values;
    }
    /// Of values that have what was left of before.
    Packed packed_and_kept(std::span<const float> values, Part range) {
        Packed codes = packed(values);
        residual_.keep(values, this->values(codes, values.size()), range);
        return codes;
    }

private:
    [[nodiscard]] std::size_t bytes(std::size_t elements) const { return packed_bytes(format_, elements, block_); }

    Residual& residual_;
    CodeFormat format_;
    std::size_t block_;
};

/// Elements of a vector, ascending.
struct Sparse {
    std::vector<float> values;
    std::vector<std::uint32_t> indices;
};

constexpr std::size_t kSparseBytes = sizeof(float) + sizeof(std::uint32_t);

Packed packed(const Sparse& sparse) {
    Packed bytes(sparse.values.size() * kSparseBytes);
    std::memcpy(bytes.data(), sparse.values.data(), sparse.values.size() * sizeof(float));
    std::memcpy(bytes.data() + sparse.values.size() * sizeof(float), sparse.indices.data(),
                sparse.indices.size() * sizeof(std::uint32_t));
    return bytes;
}

Sparse unpacked(const Packed& bytes) {
    const std::size_t count = bytes.size() / kSparseBytes;
    Sparse sparse{std::vector<float>(count), std::vector<std::uint32_t>(count)};
    std::memcpy(sparse.values.data(), bytes.data(), count * sizeof(float));
    std::memcpy(sparse.indices.data(), bytes.data() + count * sizeof(float), count * sizeof(std::uint32_t));
    return sparse;
}

std::size_t kept_of(const Compression& how, std::size_t elements) {
    const double kept = std::round(how.density * static_cast<double>(elements));
    return std::min(elements, static_cast<std::size_t>(std::max(1.0, kept)));
}

Sparse chosen(const Compression& how, std::span<const float> values, std::size_t k) {
    Sparse sparse{{},
                  how.selection == exchange::Selection::exact
                      ? largest_exactly(values, k)
                      : largest_by_threshold(values, k, static_cast<int>(how.passes))};
    for (const std::uint32_t index : sparse.indices) {
        sparse.values.push_back(values[index]);
    }
    return sparse;
}

void add_to(std::span<float> sum, const Sparse& sparse) {
    for (std::size_t i = 0; i < sparse.values.size(); ++i) {
        sum[sparse.indices[i]] += sparse.values[i];
    }
}

/// The largest of a worker's values, of which the residual keeps the rest.
Sparse chosen_and_kept(Party& party, std::span<float> values, Part range) {
    party.residual.add_to(values, range);
    Sparse sparse = chosen(party.exchange.compression, values, kept_of(party.exchange.compression, values.size()));
    party.residual.count_sent(sparse.values.size());
    std::vector<float> sent(values.size(), 0.0F);
    add_to(sent, sparse);
    party.residual.keep(values, sent, range);
    return sparse;
}

/// The messages of all on a ring, by place; all have as many bytes.
std::vector<Packed> gathered(Messenger& messenger, const Ring& ring, Packed own) {
    const std::size_t p = ring.size();
    std::vector<Packed> all(p, Packed(own.size()));
    all[ring.place] = std::move(own);
    for (std::size_t step = 0; step + 1 < p; ++step) {
        messenger.swap<std::uint8_t>(all[(ring.place + p - step) % p], ring.after(1),
                                     all[(ring.place + 2 * p - 1 - step) % p], ring.before(1));
    }
    return all;
}

/// The largest k of two workers' elements; the others are entered in the residual. Indices are of `range`.
Sparse merged(const Sparse& a, const Sparse& b, std::size_t k, Residual& residual, Part range) {
    std::map<std::uint32_t, float> sums;
    for (const Sparse* one : {&a, &b}) {
        for (std::size_t i = 0; i < one->values.size(); ++i) {
            sums[one->indices[i]] += one->values[i];
        }
    }
    Sparse all;
    for (const auto& [index, value] : sums) {
        all.indices.push_back(index);
        all.values.push_back(value);
    }
    Sparse kept;
    const std::vector<std::uint32_t> largest = largest_exactly(all.values, std::min(k, all.values.size()));
    for (std::size_t i = 0; i < all.values.size(); ++i) {
        if (std::binary_search(largest.begin(), largest.end(), static_cast<std::uint32_t>(i))) {
            kept.indices.push_back(all.indices[i]);
            kept.values.push_back(all.values[i]);
        } else {
            residual.keep_dropped(range.first + all.indices[i], all.values[i]);
        }
    }
    return kept;
}

}  // namespace

void by_quantised_sum(Party& party, Part range) {
    Coder coder(party);
    const Ring ring = party.all_workers();
    const std::size_t n = ring.size();
    const std::span<float> values = party.replica.payload_of(range);
    party.residual.add_to(values, range);
    std::vector<Packed> out(n);
    std::vector<Packed> in(n);
    for (std::size_t place = 0; place < n; ++place) {
        const Part part = part_of(range, place, n);
        out[place] = coder.packed_and_kept(party.replica.payload_of(part), part);
    }
    const Part own = part_of(range, ring.place, n);
    in[ring.place] = out[ring.place];
    for (std::size_t ahead = 1; ahead < n; ++ahead) {
        const auto to = static_cast<std::size_t>(ring.after(ahead));
        const auto from = static_cast<std::size_t>(ring.before(ahead));
        in[from] = coder.empty(own.count);
        party.messenger.swap<std::uint8_t>(out[to], static_cast<int>(to), in[from], static_cast<int>(from));
    }
    std::vector<float> sum(own.count, 0.0F);
    for (const Packed& codes : in) {
        const std::vector<float> arrived = coder.values(codes, own.count);
        for (std::size_t i = 0; i < sum.size(); ++i) {
            sum[i] += arrived[i];
        }
    }
    party.owned.add_to(sum, own);
    Packed codes = coder.packed(sum);
    party.owned.keep(sum, coder.values(codes, own.count), own);
    for (std::size_t ahead = 1; ahead < n; ++ahead) {
        const auto to = static_cast<std::size_t>(ring.after(ahead));
        const auto from = static_cast<std::size_t>(ring.before(ahead));
        const Part part = part_of(range, from, n);
        in[from] = coder.empty(part.count);
        party.messenger.swap<std::uint8_t>(codes, static_cast<int>(to), in[from], static_cast<int>(from));
    }
    in[ring.place] = std::move(codes);
    for (std::size_t place = 0; place < n; ++place) {
        const Part part = part_of(range, place, n);
        party.replica.apply(part, coder.values(in[place], part.count), n);
    }
}

void by_sparse_all_gather(Party& party, Part range) {
    const Sparse own = chosen_and_kept(party, party.replica.payload_of(range), range);
    std::vector<float> sum(range.count, 0.0F);
    for (const Packed& bytes : gathered(party.messenger, party.all_workers(), packed(own))) {
        add_to(sum, unpacked(bytes));
    }
    party.replica.apply(range, sum, party.workers);
}

/// Worker w merges what w + d has, for d = 1, 2, 4 ...; worker 0 tells the others the same way back.
void by_sparse_tree(Party& party, Part range) {
    const std::size_t k = kept_of(party.exchange.compression, range.count);
    Sparse own = chosen_and_kept(party, party.replica.payload_of(range), range);
    const std::size_t rank = party.rank();
    Packed arrived(k * kSparseBytes);
    std::size_t top = std::bit_ceil(party.workers);  // the distance to whom it sent
    for (std::size_t distance = 1; distance < party.workers; distance *= 2) {
        if (rank % (2 * distance) != 0) {
            const Packed bytes = packed(own);
            party.messenger.send<std::uint8_t>(bytes, static_cast<int>(rank - distance));
            party.messenger.wait();
            top = distance;
            break;
        }
        if (rank + distance < party.workers) {
            party.messenger.receive(std::span(arrived), static_cast<int>(rank + distance));
            party.messenger.wait();
            own = merged(own, unpacked(arrived), k, party.residual, range);
        }
    }
    if (rank != 0) {
        party.messenger.receive(std::span(arrived), static_cast<int>(rank - top));
        party.messenger.wait();
    } else {
        arrived = packed(own);
    }
    for (std::size_t distance = top / 2; distance > 0; distance /= 2) {
        if (rank + distance < party.workers) {
            party.messenger.send<std::uint8_t>(arrived, static_cast<int>(rank + distance));
            party.messenger.wait();
        }
    }
    std::vector<float> sum(range.count, 0.0F);
    add_to(sum, unpacked(arrived));
    party.replica.apply(range, sum, party.workers);
}

void by_sparse_hierarchy(Party& party, Part range) {
    const std::size_t g = party.per_node;
    const std::size_t nodes = party.workers / g;
    const std::size_t place = party.rank() % g;
    const Ring node = party.ring(party.rank() - place, g);
    const Ring peers = party.ring(place, nodes, g);
    const std::span<float> values = party.replica.payload_of(range);
    ring_reduce_scatter(party.messenger, node, values);
    const Part own = part_of(range, place, g);
    const Sparse chosen = chosen_and_kept(party, party.replica.payload_of(own), own);
    const std::vector<Packed> of_nodes = gathered(party.messenger, peers, packed(chosen));
    Packed joined;
    for (const Packed& bytes : of_nodes) {
        joined.insert(joined.end(), bytes.begin(), bytes.end());
    }
    std::vector<float> sum(range.count, 0.0F);
    const std::vector<Packed> of_parts = gathered(party.messenger, node, joined);
    for (std::size_t p = 0; p < g; ++p) {
        const Part part = part_of(range, p, g);
        const std::size_t each = kept_of(party.exchange.compression, part.count) * kSparseBytes;
        for (std::size_t from = 0; from < nodes; ++from) {
            const auto first = of_parts[p].begin() + static_cast<std::ptrdiff_t>(from * each);
            add_to(std::span(sum).subspan(part.first - range.first, part.count),
                   unpacked(Packed(first, first + static_cast<std::ptrdiff_t>(each))));
        }
    }
    party.replica.apply(range, sum, party.workers);
}

}  // namespace dodona::calibrate
