#include "generation/generate.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace dodona::generation {

namespace {

constexpr double kNineTenths = 0.9;

/// The sequences of an engine that are decoded together.
class Batch {
public:
    Batch(const Engine& engine, const Answers& answers, const EngineLimits& limits)
        : engine_(engine), answers_(answers), limits_(limits) {}

    /// False where the next answer is longer than the memory.
    bool run() {
        while (next_ < answers_.tokens.size() || !ends_.empty()) {
            begin();
            if (ends_.empty()) {
                return false;
            }
            decode_to(ends_.top().step);
            end();
        }
        generated_.mean = step_ > 0 ? decoded_ / step_ : 0;
        return true;
    }
    [[nodiscard]] const Generated& generated() const { return generated_; }

private:
    struct End {
        double step;
        double tokens;
        bool operator>(const End& other) const { return std::pair(step, tokens) > std::pair(other.step, other.tokens); }
    };

    /// Memory of an answer with its share of the prompt.
    [[nodiscard]] Bytes need(double tokens) const {
        const Bytes prompt = engine_.cache(answers_.prompt);
        return engine_.cache(answers_.prompt + tokens) - (1 - 1 / static_cast<double>(answers_.samples)) * prompt;
    }

    void begin() {
        while (next_ < answers_.tokens.size() && static_cast<std::int64_t>(ends_.size()) < limits_.sequences) {
            const double tokens = answers_.tokens[next_];
            if (used_ + need(tokens) > limits_.cache) {
                break;
            }
            if (next_ % static_cast<std::size_t>(answers_.samples) == 0) {
                generated_.time += engine_.prefill();
                generated_.prefill += engine_.prefill();
            }
            used_ += need(tokens);
            context_ += answers_.prompt;
            ends_.push({step_ + tokens, tokens});
            ++next_;
        }
        generated_.most = std::max(generated_.most, static_cast<double>(ends_.size()));
    }

    void decode_to(double step) {
        const double steps = step - step_;
        const auto sequences = static_cast<double>(ends_.size());
        const double middle = context_ / sequences + (steps - 1) / 2;
        generated_.time += steps * engine_.decode(sequences, middle);
        context_ += sequences * steps;
        decoded_ += sequences * steps;
        step_ = step;
    }

    void end() {
        while (!ends_.empty() && ends_.top().step <= step_) {
            const double tokens = ends_.top().tokens;
            used_ = used_ - need(tokens);
            context_ -= answers_.prompt + tokens;
            ends_.pop();
            ++ended_;
        }
        if (ended_ >= kNineTenths * static_cast<double>(answers_.tokens.size()) &&
            generated_.nine_tenths == Seconds{}) {
            generated_.nine_tenths = generated_.time.value;
        }
    }

    const Engine& engine_;
    const Answers& answers_;
    const EngineLimits& limits_;
    std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
    std::size_t next_ = 0;
    double ended_ = 0;
    double step_ = 0;
    double context_ = 0;  ///< tokens of all sequences
    double decoded_ = 0;
    Bytes used_;
    Generated generated_;
};

}  // namespace

std::optional<Generated> generate(const Engine& engine, const Answers& answers, const EngineLimits& limits) {
    Batch batch(engine, answers, limits);
    return batch.run() ? std::optional(batch.generated()) : std::nullopt;
}

std::optional<GeneratedByAll> generate_on(std::int64_t engines, const Engine& engine, const Answers& answers,
                                          const EngineLimits& limits) {
    const auto samples = static_cast<std::size_t>(answers.samples);
    const std::size_t prompts = answers.tokens.size() / samples;
    GeneratedByAll all;
    Seconds sum;
    for (std::int64_t i = 0; i < engines; ++i) {
        const std::size_t first = prompts * static_cast<std::size_t>(i) / static_cast<std::size_t>(engines);
        const std::size_t last = prompts * static_cast<std::size_t>(i + 1) / static_cast<std::size_t>(engines);
        Answers own = answers;
        own.tokens = answers.tokens.subspan(first * samples, (last - first) * samples);
        const auto generated = generate(engine, own, limits);
        if (!generated) {
            return std::nullopt;
        }
        sum += generated->time.value;
        if (generated->time.value > all.slowest.time.value) {
            all.slowest = *generated;
        }
    }
    all.mean = (1 / static_cast<double>(engines)) * sum;
    return all;
}

}  // namespace dodona::generation
