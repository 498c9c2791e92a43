#include "sweep/messages.hpp"

#include <array>
#include <vector>

namespace dodona::sweep {

namespace {

/// A reply is three messages: number and lengths, text, fault. A rank sends the next one when it has been given a point, so
/// that those of one rank never mix.
enum Tag { kHeading = 1, kText, kFault, kPoint };

void send_text(const std::string& text, Tag tag) {
    MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, 0, tag, MPI_COMM_WORLD);
}

std::string text_from(int rank, std::int64_t length, Tag tag) {
    std::string text(static_cast<std::size_t>(length), '\0');
    MPI_Recv(text.data(), static_cast<int>(length), MPI_CHAR, rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return text;
}

}  // namespace

int rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int ranks() {
    int ranks = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks;
}

std::string told_to_all(const std::string& text) {
    auto length = static_cast<std::int64_t>(text.size());
    MPI_Bcast(&length, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    std::string all = text;
    all.resize(static_cast<std::size_t>(length));
    MPI_Bcast(all.data(), static_cast<int>(length), MPI_CHAR, 0, MPI_COMM_WORLD);
    return all;
}

void send(const Reply& reply) {
    const std::array<std::int64_t, 3> heading{reply.number, static_cast<std::int64_t>(reply.text.size()),
                                              static_cast<std::int64_t>(reply.fault.size())};
    MPI_Send(heading.data(), static_cast<int>(heading.size()), MPI_INT64_T, 0, kHeading, MPI_COMM_WORLD);
    send_text(reply.text, kText);
    send_text(reply.fault, kFault);
}

std::optional<Reply> received() {
    int arrived = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, kHeading, MPI_COMM_WORLD, &arrived, &status);
    if (arrived == 0) {
        return std::nullopt;
    }
    std::array<std::int64_t, 3> heading{};
    MPI_Recv(heading.data(), static_cast<int>(heading.size()), MPI_INT64_T, status.MPI_SOURCE, kHeading, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    Reply reply{.rank = status.MPI_SOURCE, .number = heading[0], .text = {}, .fault = {}};
    reply.text = text_from(reply.rank, heading[1], kText);
    reply.fault = text_from(reply.rank, heading[2], kFault);
    return reply;
}

void give(int rank, std::int64_t number) { MPI_Send(&number, 1, MPI_INT64_T, rank, kPoint, MPI_COMM_WORLD); }

std::int64_t given() {
    std::int64_t number = -1;
    MPI_Recv(&number, 1, MPI_INT64_T, 0, kPoint, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return number;
}

}  // namespace dodona::sweep
