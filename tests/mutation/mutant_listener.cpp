// The end of a mutated test program that runs: which mutant is on ($DODONA_MUTANT), and what each test reached of the others.
//
// With $DODONA_REACHED, a line a test: its name, its milliseconds, whether it passed, the mutants whose value would have
// differed; last a line of those that were reached since. Tests that start nothing of their own only.
#include <array>
#include <cstdlib>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

extern "C" {
int dodona_mutant = [] {
    const char* const asked = std::getenv("DODONA_MUTANT");
    return asked == nullptr ? 0 : std::atoi(asked);
}();
std::array<unsigned char, 65536> dodona_reached;
}

namespace {

class ReachedMutants : public testing::EmptyTestEventListener {
public:
    explicit ReachedMutants(const char* path) : file_(path) {}
    ~ReachedMutants() override { write("end", 0, true); }
    ReachedMutants(const ReachedMutants&) = delete;
    ReachedMutants& operator=(const ReachedMutants&) = delete;

    void OnTestEnd(const testing::TestInfo& test) override {
        write(test.test_suite_name() + std::string(".") + test.name(), test.result()->elapsed_time(),
              test.result()->Passed());
    }

private:
    void write(const std::string& name, testing::TimeInMillis milliseconds, bool passed) {
        file_ << name << '\t' << milliseconds << '\t' << passed << '\t';
        for (std::size_t mutant = 0; mutant < dodona_reached.size(); ++mutant) {
            if (dodona_reached[mutant] != 0) {
                file_ << mutant << ' ';
            }
        }
        file_ << std::endl;
        dodona_reached.fill(0);
    }

    std::ofstream file_;
};

[[maybe_unused]] const bool kListening = [] {
    const char* const path = std::getenv("DODONA_REACHED");
    if (path != nullptr) {
        testing::UnitTest::GetInstance()->listeners().Append(new ReachedMutants(path));
    }
    return true;
}();

}  // namespace
