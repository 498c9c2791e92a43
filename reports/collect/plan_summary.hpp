// A plan in words: the same few phrases wherever a report names one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "step/prediction.hpp"

namespace dodona::reports {

/// Part names as people say them: "gradient reduction" for TimePart::gradients.
std::string_view label(step::TimePart part);
std::string_view label(step::MemoryPart part);

bool has_pipeline(const plan::Plan& plan);

/// "tensor 8, data 16, pipeline 8", innermost first, axes of one left out.
std::string mesh_words(const plan::Plan& plan);
/// "interleaved-1f1b (3 chunks)".
std::string schedule_words(const plan::Plan& plan);
/// "96", or "3 to 7" where data ranks get unlike numbers.
std::string microbatches_text(const step::Prediction& prediction);
/// "1 x 96, interleaved-1f1b (3 chunks)": samples per micro-batch, micro-batches, schedule.
std::string microbatch_words(const step::Prediction& prediction);
/// "full recompute, states sharded, optimizer offloaded".
std::string saving_words(const plan::Plan& plan);
/// "every-2" and the like: the value of `--recompute`.
std::string recompute_word(const plan::Plan& plan);
/// The whole plan in one line, without the model.
std::string plan_words(const step::Prediction& prediction);
/// "17.1 s a step (90 % interval 15.2 to 20.0 s), 89.8 samples/s, 184,000 tokens/s, MFU 51.5 %".
std::string speed_words(const step::Prediction& prediction);
/// "the interval, as standard deviations of the step: matmul 4.1 %, ..."; empty where nothing is uncertain.
std::string interval_words(const step::Prediction& prediction);
/// What observed steps moved, and by how much; nothing where nothing was observed.
std::vector<std::string> observed_words(const step::Prediction& prediction);
/// "1.15", "38.0 us".
std::string parameter_text(const plan::FrameworkParameterKind& kind, double value);
/// "412 GiB of 1,820 GiB host memory on a node; 48.0 GiB to a device and 24.0 GiB from it in a step".
std::string host_words(const step::HostUse& host);
/// "tensors 60.1 GiB, reserved by the allocator 61.0 GiB, process 63.2 GiB".
std::string totals_words(const step::MemoryTotals& memory);
/// Of the process: "63.2 GiB of 80.0 GiB on the fullest of 8 stages (embedding, layers[1..12])".
std::string memory_words(const step::Prediction& prediction);

}  // namespace dodona::reports
