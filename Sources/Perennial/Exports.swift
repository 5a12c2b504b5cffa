// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// One import for users: the layers below are part of the public interface, and so is Foundation,
// whose types (Date, Data, UUID, URL, SortOrder) stand in every model.

@_exported public import Foundation
@_exported public import PerennialGraph
@_exported public import PerennialModel
@_exported public import PerennialPredicate
@_exported public import PerennialStore
