#include "files/logs/log_file.hpp"

#include "files/description_keys.hpp"
#include "files/read_description.hpp"

namespace dodona::files {

namespace {

constexpr const char* kLine = "Text that the line has elsewhere.";
constexpr const char* kAfter = "Text that the number comes after.";

}  // namespace

template <>
const Description& description<StepForm>() {
    static const Description described{
        .noun = "line of a step",
        .summary = "A line that the software prints for a step, or for a few.",
        .keys = {optional<&StepForm::line>("line", kLine), required<&StepForm::after>("after", kAfter),
                 required<&StepForm::is>("is", "What the number is.")},
        .one_line = true,
        .example = "{after: \"elapsed time per iteration (ms):\", is: milliseconds}",
        .defaults = default_of<StepForm>};
    return described;
}

template <>
const Description& description<MemoryForm>() {
    static const Description described{
        .noun = "line of memory",
        .summary = "A line about the memory of a device.",
        .keys = {optional<&MemoryForm::line>("line", kLine), required<&MemoryForm::after>("after", kAfter),
                 required<&MemoryForm::unit>("unit", "Bytes that a number of 1 is.", {.range = kPositive}),
                 required<&MemoryForm::is>("is", "What the number counts.")},
        .one_line = true,
        .example = "{after: \"MaxMemAllocated=\", unit: 1 GiB, is: allocated}",
        .defaults = default_of<MemoryForm>};
    return described;
}

template <>
const Description& description<PartForm>() {
    static const Description described{
        .noun = "line of a part",
        .summary = "A line with the milliseconds of a part of the step above it, on the fastest and the slowest rank.",
        .keys = {required<&PartForm::after>("after", kAfter), required<&PartForm::is>("is", "The part.")},
        .one_line = true,
        .example = "{after: \"  forward-backward .\", is: passes}",
        .defaults = default_of<PartForm>};
    return described;
}

template <>
const Description& description<JobForm>() {
    static const Description described{
        .noun = "line of the job",
        .summary = "A line that the software prints once.",
        .keys = {optional<&JobForm::line>("line", kLine), required<&JobForm::after>("after", kAfter),
                 required<&JobForm::is>("is", "What the number is."),
                 optional<&JobForm::product_of>("product_of", "The number is the product of those after these texts."),
                 optional<&JobForm::product_until>("product_until",
                                                   "The number is the product of all numbers before this text.")},
        .one_line = true,
        .example = "{after: \"using world size:\", is: gpus}",
        .defaults = default_of<JobForm>};
    return described;
}

template <>
const Description& description<LogForm>() {
    static const Description described{
        .noun = "form of a log",
        .summary = "Lines in which training software prints its steps, for `--observed LOG` and `dodona validate`.",
        .keys = {file_name<&LogForm::name>("log"), file_source<&LogForm::source>(),
                 required<&LogForm::software>("software", "The software, as its users call it."),
                 required<&LogForm::steps>("step", "The first form of the first such line counts."),
                 optional<&LogForm::memory>("memory", "The better ones first."),
                 optional<&LogForm::job>("job", "The last such line counts."),
                 optional<&LogForm::parts>("part", "Times of parts of a step, for `dodona watch`.")},
        .file_kind = "log",
        .defaults = default_of<LogForm>};
    return described;
}

LogForm read_log_form(Document document) { return read_file<LogForm>(std::move(document)); }

}  // namespace dodona::files
