// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// Without the trait the compiler says how to turn it on.
// expect: Turn on the package trait 'PostgreSQL'

import Foundation
import Perennial
import PerennialPostgres

func library(_ url: URL) -> StoreDescription { .postgres(url) }
