#include "calibrate/mpi/facts.hpp"

#include <sched.h>

#include <array>

#include "base/ranges.hpp"

namespace dodona::calibrate {

namespace {

/// Open MPI 4: what a message travels by, and where it stops being eager.
constexpr std::array kSettings{"pml", "btl", "btl_tcp_eager_limit", "btl_vader_eager_limit"};

constexpr const char* kForcing = "coll_tuned_use_dynamic_rules";

struct Forced {
    std::string_view collective;
    const char* setting;
};
constexpr std::array kForced{
    Forced{"all-reduce", "coll_tuned_allreduce_algorithm"}, Forced{"all-gather", "coll_tuned_allgather_algorithm"},
    Forced{"all-to-all", "coll_tuned_alltoall_algorithm"}, Forced{"broadcast", "coll_tuned_bcast_algorithm"},
    Forced{"reduce-scatter", "coll_tuned_reduce_scatter_block_algorithm"}};

class Tools {
public:
    Tools() {
        int provided = MPI_THREAD_SINGLE;
        usable_ = MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS;
    }
    Tools(const Tools&) = delete;
    Tools& operator=(const Tools&) = delete;
    ~Tools() {
        if (usable_) {
            MPI_T_finalize();
        }
    }
    [[nodiscard]] std::optional<std::string> setting(const char* name) const {
        int index = 0;
        MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
        int count = 0;
        if (!usable_ || MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
            MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS) {
            return std::nullopt;
        }
        auto value = read(index, handle, count);
        MPI_T_cvar_handle_free(&handle);
        return value;
    }

private:
    static std::optional<std::string> read(int index, MPI_T_cvar_handle handle, int count) {
        int verbosity = 0;
        MPI_Datatype type = MPI_DATATYPE_NULL;
        int binding = 0;
        int scope = 0;
        if (MPI_T_cvar_get_info(index, nullptr, nullptr, &verbosity, &type, nullptr, nullptr, nullptr, &binding,
                                &scope) != MPI_SUCCESS) {
            return std::nullopt;
        }
        if (type == MPI_CHAR) {
            std::string text(static_cast<std::size_t>(count) + 1, '\0');
            MPI_T_cvar_read(handle, text.data());
            text.resize(text.find('\0'));
            return text.empty() ? std::nullopt : std::optional(text);
        }
        long long value = 0;  // little-endian: the narrower types fill its low end
        int size = 0;
        MPI_Type_size(type, &size);
        if (count != 1 || size > static_cast<int>(sizeof value)) {
            return std::nullopt;
        }
        MPI_T_cvar_read(handle, &value);
        return std::to_string(value);
    }

    bool usable_ = false;
};

/// "Open MPI v4.1.4, package: ..." up to the comma.
std::string library() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    const std::string whole(text.data());
    return whole.substr(0, whole.find_first_of(",\n"));
}

int cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

}  // namespace

Environment environment_of(const World& world) {
    Environment environment;
    auto& facts = environment.facts;
    facts["ranks"] = std::to_string(world.size());
    facts["hosts"] = std::to_string(world.hosts().size());
    facts["ranks_per_host"] = std::to_string(world.hosts().front().ranks.size());
    facts["cores"] = std::to_string(cores());
    facts["mpi"] = library();
    const Tools tools;
    for (const char* name : kSettings) {
        if (const auto value = tools.setting(name)) {
            facts[name] = *value;
        }
    }
    return environment;
}

std::optional<std::string> forced_algorithm(std::string_view collective) {
    const Tools tools;
    const auto* found = found_in(kForced, &Forced::collective, collective);
    if (found == nullptr || tools.setting(kForcing).value_or("0") == "0") {
        return std::nullopt;
    }
    const auto number = tools.setting(found->setting);
    return number == "0" ? std::nullopt : number;
}

}  // namespace dodona::calibrate
