// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// One import for users of the old names: it brings the library along.

@_exported public import Perennial
