// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialSQL
import PerennialStore
import RowTesting
import Testing

@Suite("Values of slots as engines compare them")
struct SlotKeyTests {
  @Test(
    arguments: [
      ("1", "1"), ("1.0", "1"), ("1.00", "1"), ("+1", "1"), ("01", "1"), ("1.", "1"),
      ("0", "0"), ("-0", "0"), ("0.00", "0"), ("0e5", "0"), ("-0.0e-3", "0"),
      ("-12.50", "-125e-1"), (".5", "5e-1"), ("0.120", "12e-2"), ("1200", "12e2"),
      ("1.2e3", "12e2"), ("12E+2", "12e2"), ("12000e-1", "12e2"), ("5e0", "5"),
      (
        "123456789012345678901234567890.000000000000000001",
        "123456789012345678901234567890000000000000000001e-18"
      ),
      ("NaN", "NaN"), ("", ""), ("-", "-"), (".", "."), ("1.2.3", "1.2.3"), ("1e", "1e"),
      ("e5", "e5"), ("1-2", "1-2"), ("12e99999999999", "12e99999999999"), ("x", "x"),
    ]
  )
  func `a decimal number has one text`(_ text: String, _ canonical: String) {
    #expect(SlotKey.canonical(text) == canonical)
  }

  @Test func `a canonical text is its own`() {
    for text in ["1.0", "-12.50", "0.120", "1200", "0", "1e-30"] {
      let canonical = SlotKey.canonical(text)
      #expect(SlotKey.canonical(canonical) == canonical)
    }
  }
}
