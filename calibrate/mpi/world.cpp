#include "calibrate/mpi/world.hpp"

#include <algorithm>
#include <array>

namespace dodona::calibrate {

namespace {

/// Of each rank, the least rank that it shares memory with.
std::vector<int> first_neighbours(int rank, int size) {
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    const Communicator shared(node);
    int first = rank;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, shared.get());
    std::vector<int> all(static_cast<std::size_t>(size));
    MPI_Allgather(&first, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
    return all;
}

std::vector<std::string> processor_names(int size) {
    using Name = std::array<char, MPI_MAX_PROCESSOR_NAME>;
    Name own{};
    int length = 0;
    MPI_Get_processor_name(own.data(), &length);
    std::vector<Name> all(static_cast<std::size_t>(size));
    MPI_Allgather(own.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, all.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR,
                  MPI_COMM_WORLD);
    std::vector<std::string> names;
    for (const Name& name : all) {
        names.emplace_back(name.begin(), std::find(name.begin(), name.end(), '\0'));
    }
    return names;
}

}  // namespace

Communicator::~Communicator() {
    if (member()) {
        MPI_Comm_free(&comm_);
    }
}

int Communicator::rank() const {
    int rank = 0;
    MPI_Comm_rank(comm_, &rank);
    return rank;
}

int Communicator::size() const {
    int size = 0;
    MPI_Comm_size(comm_, &size);
    return size;
}

Mpi::Mpi(int& argc, char**& argv) {
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
}

Mpi::~Mpi() { MPI_Finalize(); }

World::World() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    const std::vector<int> first = first_neighbours(rank_, size_);
    const std::vector<std::string> names = processor_names(size_);
    for (int rank = 0; rank < size_; ++rank) {
        const auto place = static_cast<std::size_t>(rank);
        auto host = std::find_if(hosts_.begin(), hosts_.end(),
                                 [&](const Host& known) { return known.ranks.front() == first[place]; });
        if (host == hosts_.end()) {
            host = hosts_.insert(hosts_.end(), Host{names[place], {}});
        }
        host->ranks.push_back(rank);
    }
}

Communicator World::split(int colour, int key) const {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, colour, key, &comm);
    return Communicator(comm);
}

}  // namespace dodona::calibrate
