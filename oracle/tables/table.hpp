// Embedding tables and the parts that they are split into: what they hold, and what a step reads and writes of them.
//
// Of B samples with L look-ups each into rows of F features of w bytes, with states of s bytes an element and r a row:
//
//   forward    B L F w                                 rows are read
//   backward   B L (2 F w + 2 F s + 2 r)               rows and their states are read and written
//   pooled     B F a                                   one sum a sample, forward, and its gradient, backward
//
// A part has some of the rows, and then its share of the look-ups and sums of its own, or some of the columns. Not
// modelled: rows that several samples look up and a step reads once, indices.
// Source: Naumov et al., arXiv:1906.00091 (DLRM); Mudigere et al., "Software-hardware co-design for fast and scalable
// training of deep learning recommendation models", ISCA 2022, for splitting by rows and by columns.
#pragma once

#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "graph/graph.hpp"
#include "plan/optimizer.hpp"

namespace dodona::tables {

/// One table.
struct Table {
    std::string name;
    double rows = 0;
    double features = 0;
    double lookups = 0;  ///< of one sample
};

/// What stands in memory for one element and for one row.
struct RowFormat {
    Bytes element = 4_B;    ///< w
    plan::Moments moments;  ///< states of the optimizer
    Bytes pooled = 4_B;     ///< a, of one sum
};

/// A table, or a part of one.
struct Shard {
    std::size_t table = 0;
    double row_ways = 1;     ///< parts by rows; this is one of them
    double column_ways = 1;  ///< parts by columns
};

/// The tables of a network: weights of which one sample reads some rows. A layer of several equal tables has as many.
std::vector<Table> tables_of(const graph::Graph& graph);

Bytes held(const Table& table, const Shard& shard, const RowFormat& format);
/// Read and written in a step of `samples`, forward and backward.
Bytes forward_traffic(const Table& table, const Shard& shard, const RowFormat& format, double samples);
Bytes backward_traffic(const Table& table, const Shard& shard, const RowFormat& format, double samples);
/// Sums of a step, one way.
Bytes pooled(const Table& table, const Shard& shard, const RowFormat& format, double samples);

}  // namespace dodona::tables
