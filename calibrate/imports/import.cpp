#include "calibrate/imports/import.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "calibrate/imports/collective_name.hpp"
#include "calibrate/imports/import_builder.hpp"
#include "calibrate/imports/kineto.hpp"
#include "calibrate/imports/merge.hpp"
#include "calibrate/imports/nccl_tests.hpp"
#include "calibrate/imports/nccl_topology.hpp"
#include "calibrate/imports/nvbandwidth.hpp"
#include "calibrate/imports/osu.hpp"
#include "calibrate/imports/site.hpp"
#include "calibrate/imports/topo_matrix.hpp"
#include "traces/byte_stream.hpp"
#include "traces/kineto_timeline.hpp"

namespace dodona::calibrate {

namespace {

/// Formats of JSON, recognised by the start of the file. Traces are not here: they are read as streams.
struct JsonFormat {
    bool (*is)(std::string_view start);
    void (*read)(const std::string& text, ImportBuilder& into);
};
constexpr std::array kJsonFormats{
    JsonFormat{is_nvbandwidth, read_nvbandwidth},
    JsonFormat{is_nccl_tests_json, read_nccl_tests_json},
};

/// Formats of text. A log may hold several: each takes its own.
struct TextFormat {
    bool (*is)(const LogText& text);
    void (*read)(const LogText& text, ImportBuilder& into);
};
constexpr std::array kTextFormats{
    TextFormat{is_nccl_tests, read_nccl_tests},
    TextFormat{is_osu, read_osu},
    TextFormat{is_topo_matrix, read_topo_matrix},
    TextFormat{is_ibstat, read_ibstat},
    TextFormat{is_lspci, read_lspci},
    TextFormat{is_slurm_topology, read_slurm_topology},
};

[[noreturn]] void fail_unknown(const Location& where) {
    fail(where, "not a format that can be imported",
         "known are nccl-tests and rccl-tests (text, JSON), OSU micro-benchmarks, traces of the PyTorch profiler, "
         "nvbandwidth -j, nvidia-smi topo -m, topologies of NCCL (XML), ibstat, lspci, and topology.conf of Slurm");
}

void check_options(const ImportOptions& options) {
    if (!options.collective.empty() && program_of(options.collective) == nullptr) {
        fail({}, fmt::format("--collective: \"{}\" is no collective", options.collective),
             fmt::format("known are {}", known_collectives()));
    }
    for (const auto& [name, value] :
         {std::pair{"--ranks", options.ranks}, std::pair{"--ranks-per-node", options.ranks_per_node}}) {
        if (value.value_or(1) < 1) {
            fail({}, fmt::format("{}: {} is not a number of ranks", name, *value));
        }
    }
    if (options.buffer.value_or(1_B) <= Bytes{}) {
        fail({}, "--buffer: must be a size above 0");
    }
}

/// Lists are no JSON of these formats; "[1,0]<stdout>:" starts the line of a log.
bool is_json(const std::string& start) {
    const std::size_t first = start.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    return first != std::string::npos && start[first] == '{';
}

bool is_measurement(const Record& record) { return std::holds_alternative<Measurement>(record.what); }

class Importer {
public:
    explicit Importer(ImportOptions options) : options_(std::move(options)) {
        check_options(options_);
        options_.date = options_.date.empty() ? date_now() : options_.date;
    }

    void file(const std::string& path) {
        const std::string name = std::filesystem::path(path).filename().string();
        traces::ByteStream bytes(path, name);
        ImportBuilder builder(options_, name);
        if (is_json(bytes.start())) {
            json(bytes, builder);
        } else {
            text(bytes, builder);
        }
        add(builder);
    }

    Imported finish() {
        if (!traces_.empty()) {
            ImportBuilder builder(options_, sources());
            import_collectives(traces_, builder);
            add(builder);
        }
        if (std::none_of(all_.records.begin(), all_.records.end(), is_measurement) && all_.topologies.empty()) {
            std::vector<Diagnostic> faults = all_.notes;
            for (Diagnostic& fault : faults) {
                fault.severity = Severity::error;
            }
            if (faults.empty()) {
                faults.push_back({Severity::error,
                                  {},
                                  "the files hold no measurement and no topology",
                                  "a site is described by nvidia-smi topo -m of a node; ibstat, lspci and "
                                  "topology.conf add to it"});
            }
            throw InputError(std::move(faults));
        }
        require_one_device();
        for (Topology& topology : all_.topologies) {
            topology = completed(std::move(topology), all_.site);
        }
        all_.notes.insert(all_.notes.end(), assumptions_.begin(), assumptions_.end());
        all_.records = merged(all_.records);
        return std::move(all_);
    }

private:
    void json(traces::ByteStream& bytes, ImportBuilder& builder) {
        const auto* format = found_in(kJsonFormats, [&](const JsonFormat& f) { return f.is(bytes.start()); });
        if (format != nullptr) {
            format->read(bytes.text(), builder);
        } else if (traces::is_kineto(bytes.start())) {
            trace(bytes, builder);
        } else {
            fail_unknown(bytes.whole());
        }
    }

    void trace(traces::ByteStream& bytes, ImportBuilder& builder) {
        try {
            traces_.push_back(read_kineto(bytes.stream(), bytes.whole()));
        } catch (const InputError&) {
            bytes.check();  // a file that is not whole is no JSON either
            throw;
        }
        bytes.check();
        import_kernels(traces_.back(), builder);
        traces_.back().kernels = {};
        if (traces_.back().communications.empty() && !builder.measured()) {
            builder.note(bytes.whole(), "no kernel of a GPU, copy or collective in the trace",
                         "profile with ProfilerActivity.CUDA");
        }
    }

    void text(traces::ByteStream& bytes, ImportBuilder& builder) {
        const std::string all = bytes.text();
        if (is_nccl_topology(all)) {
            read_nccl_topology(all, builder);
            return;
        }
        const LogText log(all, builder.file());
        bool known = false;
        for (const TextFormat& format : kTextFormats) {
            if (format.is(log)) {
                format.read(log, builder);
                known = true;
            }
        }
        if (!known) {
            fail_unknown(log.whole());
        }
    }

    [[nodiscard]] std::string sources() const {
        auto names = mapped<std::string>(traces_, &KinetoTrace::file);
        constexpr std::size_t kMax = 3;
        const std::size_t more = names.size() > kMax ? names.size() - kMax : 0;
        names.resize(names.size() - more);
        return join(names) + (more > 0 ? fmt::format(" and {} more", more) : "");
    }

    void add(ImportBuilder& builder) {
        Imported one = builder.finish();
        std::move(one.records.begin(), one.records.end(), std::back_inserter(all_.records));
        std::move(one.topologies.begin(), one.topologies.end(), std::back_inserter(all_.topologies));
        std::move(one.notes.begin(), one.notes.end(), std::back_inserter(all_.notes));
        std::move(one.site.adapters.begin(), one.site.adapters.end(), std::back_inserter(all_.site.adapters));
        all_.site.device = one.site.device.empty() ? all_.site.device : one.site.device;
        all_.site.nodes = std::max(all_.site.nodes, one.site.nodes);
        const std::vector<Diagnostic>& assumed = builder.assumptions();
        assumptions_.insert(assumptions_.end(), assumed.begin(), assumed.end());
    }

    /// Times of different devices are never merged.
    void require_one_device() const {
        std::set<std::string> devices;
        for (const Record& record : all_.records) {
            if (const auto* environment = std::get_if<Environment>(&record.what)) {
                const auto device = environment->facts.find("device");
                if (device != environment->facts.end()) {
                    devices.insert(device->second);
                }
            }
        }
        if (devices.size() > 1) {
            const std::vector<std::string> names(devices.begin(), devices.end());
            fail({}, fmt::format("the files are of several devices: {}", join(names)),
                 "import the files of one machine at a time");
        }
    }

    ImportOptions options_;
    std::vector<KinetoTrace> traces_;
    Imported all_;
    std::vector<Diagnostic> assumptions_;
};

}  // namespace

Imported import_file(const std::string& path, const ImportOptions& options) {
    return import_files(std::span(&path, 1), options);
}

Imported import_files(std::span<const std::string> paths, const ImportOptions& options) {
    Importer importer(options);
    std::vector<Diagnostic> faults;
    for (const std::string& path : paths) {
        try {
            importer.file(path);
        } catch (const InputError& error) {
            faults.insert(faults.end(), error.diagnostics().begin(), error.diagnostics().end());
        }
    }
    if (!faults.empty()) {
        throw InputError(std::move(faults));
    }
    return importer.finish();
}

}  // namespace dodona::calibrate
