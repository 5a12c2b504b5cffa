// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// The names are Core Data's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
public import Perennial
import Synchronization

#if !canImport(Darwin)

/// A SQLite file.
public let NSSQLiteStoreType = "SQLite"

/// A JSON file: a type that Core Data does not have.
public let NSJSONStoreType = "JSON"

/// A store in memory, gone with its contexts.
public let NSInMemoryStoreType = "InMemory"

/// The option to migrate a store of an earlier version of the model:
/// `StoreDescription.shouldMigrateStoreAutomatically`, which is `false` here without the option.
public let NSMigratePersistentStoresAutomaticallyOption =
  "NSMigratePersistentStoresAutomaticallyOption"

/// The option to infer how an earlier version of the model is to be mapped:
/// `StoreDescription.shouldInferMappingModelAutomatically`, which is `false` here without the option.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"

/// The option to open a store for reading only: `StoreDescription.isReadOnly`.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"

/// The option to keep a history: `StoreDescription.historyTracking`.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"

/// The option to report what other processes write: `StoreDescription.remoteChangeInterval` of one second.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
  "NSPersistentStoreRemoteChangeNotificationOptionKey"

/// The option for SQLite's settings: `StoreDescription.pragmas`, a dictionary of texts or numbers.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"

/// The option to count what the indexes hold: `StoreDescription.analyzesOnOpening`.
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"

/// The option to write the file anew: `StoreDescription.vacuumsOnOpening`.
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"

/// The option for the time to wait for a lock, in seconds: `StoreDescription.busyTimeout`.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"

/// Opens the stores of a model, for programs that do not use a container.
///
/// ```swift
/// let coordinator = NSPersistentStoreCoordinator(entities: Commit.self, Author.self)
/// let options = [NSMigratePersistentStoresAutomaticallyOption: true]
/// let store = try coordinator.addPersistentStore(
///   ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
/// let context = store.viewContext
/// ```
///
/// Here contexts belong to a container. In Core Data, a program makes a context first and gives it a coordinator
/// later.
///
/// Core Data: `NSPersistentStoreCoordinator`.
public final class NSPersistentStoreCoordinator: Sendable {
  private let classes: [any ManagedEntity.Type]
  private let configurations: [String: [any ManagedEntity.Type]]
  /// Made with the first store, which may throw what is wrong with the model.
  private let coordinator = Mutex<PersistentStoreCoordinator?>(nil)

  /// A coordinator for the model of some managed classes.
  ///
  /// - Parameters:
  ///   - entities: The managed classes, as for ``NSPersistentContainer``.
  ///   - configurations: The managed classes of every configuration.
  public init(
    entities: any ManagedEntity.Type...,
    configurations: [String: [any ManagedEntity.Type]] = [:]
  ) {
    classes = entities
    self.configurations = configurations
  }

  /// The stores that have been added.
  ///
  /// Core Data: `NSPersistentStoreCoordinator.persistentStores`.
  public var persistentStores: [PersistentStoreCoordinator.Store] {
    coordinator.withLock { $0?.persistentStores ?? [] }
  }

  /// Opens a store, beside those that have been added before.
  ///
  /// Core Data: `NSPersistentStoreCoordinator.addPersistentStore(ofType:configurationName:at:options:)`, which
  /// returns the store.
  ///
  /// - Parameters:
  ///   - storeType: ``NSSQLiteStoreType``, ``NSJSONStoreType`` or ``NSInMemoryStoreType``.
  ///   - configurationName: The configuration whose entities the store keeps; `nil` for all.
  ///   - url: The store's file; ignored for a store in memory.
  ///   - options: Options by name; `nil` for none.
  /// - Returns: A container, which makes contexts on all stores of the coordinator.
  /// - Throws: `invalidModel` (134020); `persistentStoreOpen` (134080) for a type, a configuration or an
  ///   option that does not exist, and as `PersistentStoreCoordinator.addPersistentStore(_:)`.
  @discardableResult
  public func addPersistentStore(
    ofType storeType: String,
    configurationName: String?,
    at url: URL?,
    options: [AnyHashable: Any]? = nil
  ) throws(PerennialError) -> PersistentContainer {
    var store = try Self.description(ofType: storeType, at: url)
    store.configuration = configurationName
    store.shouldMigrateStoreAutomatically = false
    store.shouldInferMappingModelAutomatically = false
    for (name, value) in options ?? [:] { try store.set(name, to: value) }
    let coordinator = try madeCoordinator()
    try coordinator.addPersistentStore(store)
    let name = url?.deletingPathExtension().lastPathComponent ?? "In memory"
    return PersistentContainer(name: name, coordinator: coordinator)
  }

  private func madeCoordinator() throws(PerennialError) -> PersistentStoreCoordinator {
    try coordinator.withLock { made throws(PerennialError) in
      if let made { return made }
      let new = try PersistentStoreCoordinator(classes: classes, configurations: configurations)
      made = new
      return new
    }
  }

  private static func description(
    ofType type: String,
    at url: URL?
  ) throws(PerennialError) -> StoreDescription {
    switch (type, url) {
    case (NSInMemoryStoreType, _): return .inMemory
    case (NSSQLiteStoreType, let url?): return .sqlite(url)
    case (NSJSONStoreType, let url?): return .json(url)
    case (NSSQLiteStoreType, nil), (NSJSONStoreType, nil):
      throw .cannotAdd("A store of the type '\(type)' needs a URL.", "pass one")
    default:
      throw .cannotAdd(
        "There are no stores of the type '\(type)'.",
        "use NSSQLiteStoreType, NSJSONStoreType or NSInMemoryStoreType"
      )
    }
  }
}

/// Seconds, about 30 years: what an infinite timeout becomes.
private let longestTimeout = 1e9

extension StoreDescription {
  /// A SQLite file, created when it does not exist, as `sqlite(_:)` describes it.
  ///
  /// Core Data: `NSPersistentStoreDescription(url:)`, which migrates by itself, too.
  ///
  /// - Parameter url: The file. Its folder must exist.
  public init(url: URL) { self = .sqlite(url) }

  /// Sets an option by Core Data's name.
  ///
  /// Core Data: `NSPersistentStoreDescription.setOption(_:forKey:)`, which takes any name.
  ///
  /// - Parameters:
  ///   - option: Its value: a truth value, seconds, or a dictionary.
  ///   - key: ``NSPersistentHistoryTrackingKey`` or the name of another option.
  /// - Throws: `persistentStoreOpen` (134080) for an option that does not exist, or a value that is not of its type.
  public mutating func setOption(_ option: Any, forKey key: String) throws(PerennialError) {
    try set(key, to: option)
  }

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
      busyTimeout = .seconds(min(seconds, longestTimeout))
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
    case NSMigratePersistentStoresAutomaticallyOption: shouldMigrateStoreAutomatically = isOn
    case NSInferMappingModelAutomaticallyOption: shouldInferMappingModelAutomatically = isOn
    case NSReadOnlyPersistentStoreOption: isReadOnly = isOn
    case NSPersistentHistoryTrackingKey: historyTracking = isOn
    case NSPersistentStoreRemoteChangeNotificationPostOptionKey:
      remoteChangeInterval = isOn ? .seconds(1) : nil
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
