// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialSQL
import RowTesting
import Testing

@testable import PerennialSQLite

@Suite("Version hashes")
struct HashTests {
  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// The vectors of FIPS 180-4's examples and of RFC 6234.
  @Test(
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
          + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
      ),
    ]
  )
  func `SHA-256 gives the standard's vectors`(text: String, hash: String) {
    #expect(hex(SHA256.hash(text.utf8)) == hash)
    var computed = SHA256()
    computed.update(text.utf8)
    #expect(hex(computed.computed) == hash)
  }

  @Test(
    arguments: [
      (
        "abc",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
          + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
      ),
      (
        "",
        "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
          + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
      ),
      (
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
          + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
        "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
          + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
      ),
    ]
  )
  func `SHA-512 gives the standard's vectors`(text: String, hash: String) {
    #expect(hex(SHA512.hash(text.utf8)) == hash)
    #expect(hex(SHA512.computed(text.utf8)) == hash)
  }

  /// Around the lengths where the padding takes another block: so many letters "a", as Python's `hashlib` has
  /// their hashes; of SHA-512 the first 16 bytes.
  @Test(
    arguments: [
      (
        55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318",
        "b0220c772cbf6c1822e2cb38a437d0e1"
      ),
      (
        56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a",
        "962b64aae357d2a4fee3ded8b539bdc9"
      ),
      (
        63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34",
        "c1b0f5c6d3b03dfe4a2602e67242f54e"
      ),
      (
        64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb",
        "01d35c10c6c38c2dcf48f7eebb3235fb"
      ),
      (
        111, "6374f73208854473827f6f6a3f43b1f53eaa3b82c21c1a6d69a2110b2a79baad",
        "fa9121c7b32b9e01733d034cfc78cbf6"
      ),
      (
        112, "f54353008a2553262ecdc4a34749563ba0950e8b0fc8652780b0a614b99683c1",
        "c01d080efd492776a1c43bd23dd99d0a"
      ),
      (
        127, "c57e9278af78fa3cab38667bef4ce29d783787a2f731d4e12200270f0c32320a",
        "828613968b501dc00a97e08c73b118aa"
      ),
      (
        128, "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e",
        "b73d1929aa615934e61a871596b3f3b3"
      ),
    ]
  )
  func `the hashes are right where the padding begins another block`(
    count: Int,
    short: String,
    long: String
  ) {
    let message = [UInt8](repeating: UInt8(ascii: "a"), count: count)
    var computed = SHA256()
    computed.update(message)
    #expect(hex(computed.computed) == short)
    #expect(hex(Array(SHA512.computed(message).prefix(16))) == long)
  }

  @Test(arguments: ["Books", "Cars", "Bookmarks"])
  func `hashes equal those that Core Data stored`(fixture: String) throws {
    let folder = try TemporaryFolder()
    let connection = try SQLiteConnection(
      path: folder.copy(ofFixture: fixture).path,
      access: .write,
      busyTimeout: .seconds(1)
    )
    let stored = try #require(try MetadataTable(connection).read()?.hashes)
    let model =
      switch fixture {
      case "Books": try FixtureModels.books()
      case "Cars": try FixtureModels.cars()
      default: try FixtureModels.bookmarks()
      }
    #expect(model.versionHashes.differences(from: stored) == [])
  }

  @Test func `the digest equals the one that Core Data stored`() throws {
    let folder = try TemporaryFolder()
    let connection = try SQLiteConnection(
      path: folder.copy(ofFixture: "Cars").path,
      access: .write,
      busyTimeout: .seconds(1)
    )
    let metadata = try #require(try MetadataTable(connection).read())
    let digest = try FixtureModels.cars().versionHashes.digest
    #expect(metadata["NSStoreModelVersionHashesDigest"] == .string(digest))
  }

  @Test func `an index does not change a hash, an attribute does`() throws {
    let plain = try FixtureModels.cars().versionHashes
    let changed = try FixtureModels.cars(adding: "colour").versionHashes
    #expect(changed.differences(from: plain) == ["Car", "LuxuryCar", "SportCar"])
  }
}
