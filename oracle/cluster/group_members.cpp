#include "cluster/group_members.hpp"

namespace dodona::cluster {

std::int64_t member_index(const Group& group, std::int64_t rank) {
    std::int64_t index = 0;
    std::int64_t inner = 1;
    for (const Group::Stride& stride : group.strides) {
        index += inner * (rank / stride.stride % stride.size);
        inner *= stride.size;
    }
    return index;
}

std::int64_t member(const Group& group, std::int64_t rank, std::int64_t index) {
    for (const Group::Stride& stride : group.strides) {
        rank += stride.stride * (index % stride.size - rank / stride.stride % stride.size);
        index /= stride.size;
    }
    return rank;
}

std::vector<std::int64_t> members(const Group& group, std::int64_t rank) {
    std::vector<std::int64_t> all;
    for (std::int64_t index = 0; index < group.size(); ++index) {
        all.push_back(member(group, rank, index));
    }
    return all;
}

}  // namespace dodona::cluster
