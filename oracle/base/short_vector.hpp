// A vector whose first elements lie in the object itself: lists that are made by the million and are nearly always short
// need no memory of their own.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <utility>
#include <vector>

namespace dodona {

/// Up to `N` elements in place; all of them in a vector where there are more.
template <class T, std::size_t N>
class ShortVector {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    ShortVector() = default;
    ShortVector(std::size_t size, T value) { assign(size, value); }
    ShortVector(std::initializer_list<T> values) {
        for (const T value : values) {
            push_back(value);
        }
    }

    void assign(std::size_t size, T value) {
        size_ = size;
        many_.clear();
        if (size > N) {
            many_.assign(size, value);
        } else {
            std::fill_n(few_.begin(), size, value);
        }
    }
    /// New elements are zero.
    void resize(std::size_t size) {
        ShortVector resized(size, T{});
        std::copy_n(begin(), std::min(size, size_), resized.begin());
        *this = std::move(resized);
    }
    void push_back(T value) {
        if (size_ < N) {
            few_[size_++] = value;
            return;
        }
        if (size_ == N) {
            many_.assign(few_.begin(), few_.end());
        }
        many_.push_back(value);
        ++size_;
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] const T* begin() const { return size_ > N ? many_.data() : few_.data(); }
    [[nodiscard]] const T* end() const { return begin() + size_; }
    [[nodiscard]] T* begin() { return size_ > N ? many_.data() : few_.data(); }
    [[nodiscard]] T* end() { return begin() + size_; }
    [[nodiscard]] const T& operator[](std::size_t i) const { return size_ > N ? many_[i] : few_[i]; }
    [[nodiscard]] T& operator[](std::size_t i) { return size_ > N ? many_[i] : few_[i]; }
    [[nodiscard]] const T& front() const { return *begin(); }
    [[nodiscard]] T& front() { return *begin(); }

    friend bool operator==(const ShortVector& a, const ShortVector& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }
    friend bool operator<(const ShortVector& a, const ShortVector& b) {
        return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
    }

private:
    std::array<T, N> few_{};
    std::vector<T> many_;
    std::size_t size_ = 0;
};

}  // namespace dodona
