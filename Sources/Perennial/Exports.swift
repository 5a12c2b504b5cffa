// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// One import for users: the layers below are part of the public interface.

@_exported public import PerennialGraph
@_exported public import PerennialModel
@_exported public import PerennialPredicate
@_exported public import PerennialStore
