// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Objects that a context's lists of changed objects hold: counting references to a hundred thousand
/// of them, which are far apart, would cost a save more than looking at them does.
///
/// Safe because whoever makes such a list keeps the lists of changed objects as long.
struct HeldObjects {
  private var references: ContiguousArray<Unmanaged<ManagedObject>> = []

  var count: Int { references.count }
  var isEmpty: Bool { references.isEmpty }

  mutating func append(_ object: ManagedObject) { references.append(.passUnretained(object)) }

  /// Calls a closure with all objects.
  @inline(__always)
  func visit<Failure>(
    _ body: (ManagedObject) throws(Failure) -> Void
  ) throws(Failure) {
    for reference in references { try reference.lend(body) }
  }

  /// Calls a closure with the objects of some places.
  @inline(__always)
  func visit(_ places: Range<Int>, _ body: (ManagedObject) -> Void) {
    for reference in references[places] { reference._withUnsafeGuaranteedRef(body) }
  }

  /// The changes of an object.
  @inline(__always)
  func edit(_ place: Int) -> UnsafeMutablePointer<EditRecord>? {
    references[place]._withUnsafeGuaranteedRef { $0._edit }
  }
}

extension ContiguousArray<ManagedObject?> {
  /// Calls a closure with the objects of a list of changed ones, without counting references to them.
  ///
  /// Safe because the array, which nobody can change meanwhile, holds them.
  @inline(__always)
  func visit<Failure>(
    _ body: (ManagedObject) throws(Failure) -> Void
  ) throws(Failure) {
    try withUnsafeBufferPointer { objects throws(Failure) in
      try objects.withMemoryRebound(to: Unmanaged<ManagedObject>?.self) {
        references throws(Failure) in
        for case let reference? in references { try reference.lend(body) }
      }
    }
  }
}

extension Unmanaged<ManagedObject> {
  @inline(__always)
  fileprivate func lend<Failure>(
    _ body: (ManagedObject) throws(Failure) -> Void
  ) throws(Failure) {
    // The standard library's function has no typed errors.
    let failure: Failure? = _withUnsafeGuaranteedRef { object in
      do throws(Failure) {
        try body(object)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }
}
