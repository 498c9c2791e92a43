#include "calibrate/cpu/onednn_primitive.hpp"

#include <unordered_map>

#include <fmt/format.h>

#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate::cpu {

namespace {

using Tag = dnnl::memory::format_tag;

/// A rewriting of one tensor.
struct Rewriting {
    dnnl::reorder reorder;
    dnnl::memory from, to;
};

/// The primitive, all its memory, and what is run before and after it.
struct Chain {
    std::vector<std::shared_ptr<void>> memory;
    std::vector<Rewriting> before, after;
    dnnl::primitive primitive;
    std::unordered_map<int, dnnl::memory> arguments;
    dnnl::stream stream{cpu_engine()};
};

dnnl::memory filled(Chain& chain, const dnnl::memory::desc& of, const TensorFactory& factory) {
    const Precision precision = of.data_type() == dnnl::memory::data_type::bf16 ? Precision::bf16 : Precision::fp32;
    chain.memory.push_back(factory.random(precision, of.get_size()));
    return {of, cpu_engine(), chain.memory.back().get()};
}

void run(Chain& chain, Laps& laps) {
    for (Rewriting& rewriting : chain.before) {
        rewriting.reorder.execute(chain.stream, rewriting.from, rewriting.to);
    }
    if (!chain.before.empty()) {
        chain.stream.wait();
        laps.lap("reorder");
    }
    chain.primitive.execute(chain.stream, chain.arguments);
    chain.stream.wait();
    if (!chain.before.empty() || !chain.after.empty()) {
        laps.lap("primitive");
    }
    for (Rewriting& rewriting : chain.after) {
        rewriting.reorder.execute(chain.stream, rewriting.from, rewriting.to);
    }
    if (!chain.after.empty()) {
        chain.stream.wait();
        laps.lap("reorder");
    }
}

}  // namespace

const dnnl::engine& cpu_engine() {
    static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    return engine;
}

dnnl::memory::data_type data_type(Precision precision) {
    return precision == Precision::bf16 ? dnnl::memory::data_type::bf16 : dnnl::memory::data_type::f32;
}

dnnl::memory::desc plain(const Extents& extents, Precision precision) {
    constexpr Tag kTags[] = {Tag::undef, Tag::a, Tag::ab, Tag::abc, Tag::abcd, Tag::abcde, Tag::abcdef};
    return {extents, data_type(precision), kTags[extents.size()]};
}

dnnl::memory::desc channels_last(const Extents& extents, Precision precision) {
    constexpr Tag kTags[] = {Tag::undef, Tag::a, Tag::ab, Tag::acb, Tag::acdb, Tag::acdeb};
    return {extents, data_type(precision), kTags[extents.size()]};
}

dnnl::memory::desc any_layout(const Extents& extents, Precision precision) {
    return {extents, data_type(precision), Tag::any};
}

Job job_of(const dnnl::primitive& primitive, const std::string& implementation, const std::vector<Argument>& arguments,
           const TensorFactory& factory) {
    const auto chain = std::make_shared<Chain>();
    chain->primitive = primitive;
    for (const Argument& argument : arguments) {
        const dnnl::memory wanted = filled(*chain, argument.wanted, factory);
        chain->arguments[argument.slot] = wanted;
        if (argument.held == argument.wanted) {
            continue;
        }
        const dnnl::memory held = filled(*chain, argument.held, factory);
        const dnnl::memory& from = argument.result ? wanted : held;
        const dnnl::memory& to = argument.result ? held : wanted;
        (argument.result ? chain->after : chain->before)
            .push_back({.reorder = dnnl::reorder(from, to), .from = from, .to = to});
    }
    return {
        .run = [chain](Laps& laps) { run(*chain, laps); }, .values = {}, .words = {{"implementation", implementation}}};
}

void cannot_measure(const char* what, const dnnl::error& error) {
    throw CannotMeasure(
        fmt::format("oneDNN {} has no {} of this shape and precision here ({}); ask for fp32 or another shape",
                    onednn_version(), what, error.what()));
}

std::string onednn_version() {
    const dnnl_version_t* const version = dnnl_version();
    return fmt::format("{}.{}.{}", version->major, version->minor, version->patch);
}

void check_precision(Precision precision) {
    if (precision == Precision::fp32) {
        return;
    }
    const bool has_bf16 = (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) &
                           static_cast<unsigned>(dnnl::cpu_isa::avx512_core_bf16)) ==
                          static_cast<unsigned>(dnnl::cpu_isa::avx512_core_bf16);
    if (precision != Precision::bf16 || !has_bf16) {
        throw CannotMeasure(
            fmt::format("this CPU has no instructions for products in {}; ask for fp32", name(precision)));
    }
}

}  // namespace dodona::calibrate::cpu
