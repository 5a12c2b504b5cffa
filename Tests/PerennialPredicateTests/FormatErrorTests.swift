// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Testing
