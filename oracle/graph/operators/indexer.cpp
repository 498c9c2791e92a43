// The indexer of sparse attention: a few cheap heads score every key for every query, and the best `window` of them are what
// attention sees.
//
//   I[t, s] = sum_h w[t, h] relu(q[t, h] k[s])        per sample; one key for all heads; causal as the attention is
//
// Forward the scores of all pairs leave the chip, 4 bytes each, and the selection reads them; the indices are kept, 4 bytes.
// Backward goes through the chosen pairs only: its loss is the distance from the attention's own probabilities there, which
// the attention's backward has. Source: DeepSeek-AI, DeepSeek-V3.2-Exp technical report, section 2.1, equations 1, 3 and 4;
// deepseek-ai/DeepGEMM: fp8_mqa_logits, which writes the scores. Its products are counted in the precision of the plan (it
// runs them in fp8). Its keys may be fewer than those of the attention: of compressed tokens (DeepSeek-V4). Every rank of a
// tensor group has the whole indexer, as it needs the sum over heads.
#include <algorithm>

#include <fmt/format.h>

#include "graph/operators/attention_kernels.hpp"
#include "graph/operators/builders.hpp"

namespace dodona::graph {

void add_indexer(Attributes& attributes, std::span<const Tensor> inputs, Extent heads, const AttentionShape& attention,
                 Nest& nest) {
    const Extent features = inputs[0].dimensions[2].extent;
    const Extent head_size = features / heads;
    if (attention.window <= 0) {
        attributes.error_at("window", "an indexer chooses so many keys for each query, but none are asked for");
        return;
    }
    if (features % heads != 0 || inputs[1].dimensions[2].extent != head_size ||
        inputs[2].dimensions[2].extent != heads) {
        attributes.error_at(
            "index_heads",
            fmt::format("{} features of queries, {} of the key and {} weights are not those of {} heads", features,
                        inputs[1].dimensions[2].extent, inputs[2].dimensions[2].extent, heads));
        return;
    }
    const Operand of_queries{.loops = {kBatch, attention.query, kNoLoop}};
    const auto keys = static_cast<double>(inputs[1].dimensions[1].extent);
    const Operand of_keys{.loops = {kBatch, keys < attention.keys ? kNoLoop : attention.key, kNoLoop}};
    for (const Operand& operand : {of_queries, of_keys, of_queries}) {
        nest.saved.push_back({.what = Saved::What::input, .operand = static_cast<int>(nest.inputs.size())});
        nest.inputs.push_back(operand);
    }
    nest.saved.push_back({.what = Saved::What::internal,
                          .name = "chosen keys",
                          .element = Element::single,
                          .loops = {kBatch, attention.query},
                          .factor = attention.window});
    AttentionShape all = attention;
    all.window = 0;
    all.keys = std::max(keys, all.queries);
    nest.work = [inner = nest.work, all, attention, keys, index_heads = static_cast<double>(heads),
                 size = static_cast<double>(head_size)](const LocalExtents& local) {
        Work work = inner(local);
        const double samples = local[kBatch];
        const double queries = local[all.query];
        const double pairs = samples * attention_pairs(local, all) * keys / all.keys;
        const double chosen = samples * attention_pairs(local, attention);
        const auto product = [&](double scored, double times) {
            return Kernel{.kind = KernelKind::attention,
                          .m = queries,
                          .n = keys,
                          .k = size,
                          .batch = samples * index_heads,
                          .flops = 2 * times * scored * index_heads * size * unit::flop,
                          .elements = samples * (queries * index_heads * (size + 1) + keys * size) * times,
                          .fixed_bytes = 4 * scored * unit::byte,
                          .causal = all.causal};
        };
        const Kernel scores = product(pairs, 1);
        const Kernel selection = stream(0, 0, 4 * (pairs + samples * queries * attention.window) * unit::byte);
        work.forward.insert(work.forward.begin(), {scores, selection});
        work.model_forward += scores.flops;
        work.backward_input.push_back(product(chosen, 3));  // the scores again, and the gradients of both operands
        return work;
    };
}

}  // namespace dodona::graph
