// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
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
    ]
  )
  func `SHA-256 gives the standard's vectors`(text: String, hash: String) {
    #expect(hex(SHA256.hash(text.utf8)) == hash)
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
    #expect(VersionHashes(of: model).differences(from: stored) == [])
  }

  @Test func `the digest equals the one that Core Data stored`() throws {
    let folder = try TemporaryFolder()
    let connection = try SQLiteConnection(
      path: folder.copy(ofFixture: "Cars").path,
      access: .write,
      busyTimeout: .seconds(1)
    )
    let metadata = try #require(try MetadataTable(connection).read())
    let digest = try VersionHashes(of: FixtureModels.cars()).digest
    #expect(metadata["NSStoreModelVersionHashesDigest"] == .string(digest))
  }

  @Test func `an index does not change a hash, an attribute does`() throws {
    let plain = try VersionHashes(of: FixtureModels.cars())
    let changed = try VersionHashes(of: FixtureModels.cars(adding: "colour"))
    #expect(changed.differences(from: plain) == ["Car", "LuxuryCar", "SportCar"])
  }
}
