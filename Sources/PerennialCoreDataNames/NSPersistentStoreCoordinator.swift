// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// The names are Core Data's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
public import Perennial

#if !canImport(Darwin)

/// A SQLite file.
public let NSSQLiteStoreType = "SQLite"

/// A store in memory, gone with its contexts.
public let NSInMemoryStoreType = "InMemory"

/// The option to migrate a store of an earlier version of the model.
///
/// It is accepted; a store of another version is refused until stores can be migrated.
public let NSMigratePersistentStoresAutomaticallyOption =
  "NSMigratePersistentStoresAutomaticallyOption"

/// The option to infer how an earlier version of the model is to be mapped.
///
/// It is accepted; a store of another version is refused until stores can be migrated.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"

/// The option to open a store without the right to write: `StoreDescription.isReadOnly`.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"

/// The option to keep a history: `StoreDescription.historyTracking`.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"

/// The option for SQLite's settings: `StoreDescription.pragmas`, a dictionary of texts or numbers.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"

/// The option to count what indexes hold: `StoreDescription.analyzesOnOpening`.
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"

/// The option to write the file anew: `StoreDescription.vacuumsOnOpening`.
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"

/// The option for the time to wait for a lock, in seconds: `StoreDescription.busyTimeout`.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"

/// Opens the store of a model, in the words of programs that do not use a container.
///
/// ```swift
/// let coordinator = NSPersistentStoreCoordinator(entities: Commit.self, Author.self)
/// let options = [NSMigratePersistentStoresAutomaticallyOption: true]
/// let store = try coordinator.addPersistentStore(
///   ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
/// let context = store.viewContext
/// ```
///
/// Contexts belong to the store that they are made for. Core Data makes a context first and gives it
/// a coordinator later.
///
/// Core Data: `NSPersistentStoreCoordinator`.
public final class NSPersistentStoreCoordinator: Sendable {
  private let classes: [any ManagedEntity.Type]

  /// A coordinator of the model that managed classes make.
  ///
  /// - Parameter entities: The managed classes, as for ``PersistentContainer``.
  public init(entities: any ManagedEntity.Type...) { classes = entities }

  /// Opens a store.
  ///
  /// Core Data: `NSPersistentStoreCoordinator.addPersistentStore(ofType:configurationName:at:options:)`.
  ///
  /// - Parameters:
  ///   - storeType: ``NSSQLiteStoreType`` or ``NSInMemoryStoreType``.
  ///   - configurationName: `nil`: `PersistentStoreCoordinator` has stores with configurations.
  ///   - url: The store's file; not looked at for a store in memory.
  ///   - options: Options by name; `nil` for none.
  /// - Returns: The container of the store, which makes its contexts.
  /// - Throws: `persistentStoreOpen` (134,080) for a type, a configuration or an option that does not
  ///   exist, and as ``PersistentContainer``.
  public func addPersistentStore(
    ofType storeType: String,
    configurationName: String?,
    at url: URL?,
    options: [AnyHashable: Any]? = nil
  ) throws(PerennialError) -> PersistentContainer {
    if configurationName != nil {
      throw .cannotAdd(
        "A store that is added here keeps all entities.",
        "pass nil as the configuration's name, or use PersistentStoreCoordinator"
      )
    }
    var store = try Self.description(ofType: storeType, at: url)
    for (name, value) in options ?? [:] { try store.set(name, to: value) }
    let name = url?.deletingPathExtension().lastPathComponent ?? "In memory"
    return try PersistentContainer(name: name, classes: classes, store: store)
  }

  private static func description(
    ofType type: String,
    at url: URL?
  ) throws(PerennialError) -> StoreDescription {
    switch (type, url) {
    case (NSInMemoryStoreType, _): return .inMemory
    case (NSSQLiteStoreType, let url?): return .sqlite(url)
    case (NSSQLiteStoreType, nil): throw .cannotAdd("A SQLite store needs a URL.", "pass one")
    default:
      throw .cannotAdd(
        "There are no stores of the type '\(type)'.",
        "use NSSQLiteStoreType or NSInMemoryStoreType"
      )
    }
  }
}

extension StoreDescription {
  /// Sets what an option of Core Data's says.
  fileprivate mutating func set(_ option: AnyHashable, to value: Any) throws(PerennialError) {
    switch option as? String {
    case NSSQLitePragmasOption:
      guard let values = value as? [String: Any] else {
        throw .cannotAdd("The option '\(option)' is no dictionary.", "pass names and values")
      }
      pragmas = values.mapValues { "\($0)" }
    case NSPersistentStoreTimeoutOption:
      guard let seconds = value as? Double ?? (value as? Int).map(Double.init), seconds >= 0 else {
        throw .cannotAdd("The option '\(option)' is no number.", "pass seconds")
      }
      busyTimeout = .seconds(seconds)
    default: try setSwitch(option, to: value)
    }
  }

  /// Sets what an option says that is true or false.
  private mutating func setSwitch(
    _ option: AnyHashable,
    to value: Any
  ) throws(PerennialError) {
    guard let isOn = value as? Bool ?? (value as? NSNumber)?.boolValue else {
      throw .cannotAdd("The option '\(option)' is not a truth value.", "pass true or false")
    }
    switch option as? String {
    case NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption: break
    case NSReadOnlyPersistentStoreOption: isReadOnly = isOn
    case NSPersistentHistoryTrackingKey: historyTracking = isOn
    case NSSQLiteAnalyzeOption: analyzesOnOpening = isOn
    case NSSQLiteManualVacuumOption: vacuumsOnOpening = isOn
    default:
      throw .cannotAdd(
        "Stores have no option '\(option)'.",
        "leave it out, or describe the store with a StoreDescription"
      )
    }
  }
}

extension PerennialError {
  fileprivate static func cannotAdd(_ message: String, _ recovery: String) -> PerennialError {
    PerennialError(.persistentStoreOpen, message, recovery: recovery)
  }
}

#endif
