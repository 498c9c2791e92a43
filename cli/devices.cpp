// `dodona devices`: the devices that come with dodona, or one of them with the machines that have it.
#include "cli/commands.hpp"

#include "cli/files.hpp"
#include "cli/listing.hpp"
#include "reports/collect/device_report.hpp"

namespace dodona::cli {

namespace {

cluster::Device read_device(const std::string& name) { return library().device(name, {}); }

/// The built-in machines with this device; none of those that only stand for published runs.
reports::Document shown_device(const cluster::Device& device) {
    std::vector<cluster::Cluster> machines;
    for (const std::string& name : library().clusters()) {
        cluster::Cluster machine = read_machine(name);
        if (machine.device.name == device.name && !machine.of_published_runs) {
            machines.push_back(std::move(machine));
        }
    }
    return reports::device_document(device, machines);
}

int run_devices(Arguments& arguments) {
    return run_listing<cluster::Device>(arguments, {.kind = files::NameOf::device,
                                                    .plural = "devices",
                                                    .names = library().devices(),
                                                    .read = read_device,
                                                    .one = shown_device,
                                                    .all = reports::devices_document,
                                                    .facts = reports::device_facts,
                                                    .size = [](const cluster::Device& device, SizeOf what) {
                                                        return what == SizeOf::memory ? device.memory.in(unit::byte)
                                                                                      : 0;
                                                    }});
}

}  // namespace

Command devices_command() {
    return {.name = "devices",
            .summary = "the GPUs and other devices that come with dodona, or one of them",
            .positionals = listing_positionals(Names::devices),
            .options = output_options(),
            .examples = "Examples:\n  dodona devices\n  dodona devices rtx-4090\n  dodona devices nvidia 24gb",
            .run = run_devices};
}

}  // namespace dodona::cli
