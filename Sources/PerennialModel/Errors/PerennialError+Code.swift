// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension PerennialError {
  /// The number of an error: Core Data's from 1550 to 134301, Perennial's own from 200000.
  ///
  /// Core Data: `CoreDataErrors.h`.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The number.
    public let rawValue: Int

    /// The code with a number.
    ///
    /// - Parameter rawValue: Any number, also one that has no constant here.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// A value is not allowed (1550).
    public static let validation = Code(rawValue: 1550)
    /// Core Data's number for a violated constraint (1551); Perennial throws ``managedObjectConstraintMerge``.
    public static let constraintValidation = Code(rawValue: 1551)
    /// Several errors at once; see ``PerennialError/problems`` (1560).
    public static let multipleErrors = Code(rawValue: 1560)
    /// A required property has no value (1570).
    public static let missingMandatoryProperty = Code(rawValue: 1570)
    /// A relationship has too few objects (1580).
    public static let relationshipLacksMinimumCount = Code(rawValue: 1580)
    /// A relationship has too many objects (1590).
    public static let relationshipExceedsMaximumCount = Code(rawValue: 1590)
    /// A deny rule forbids the deletion (1600).
    public static let relationshipDeniedDelete = Code(rawValue: 1600)
    /// A number is greater than its maximum (1610).
    public static let numberTooLarge = Code(rawValue: 1610)
    /// A number is less than its minimum (1620).
    public static let numberTooSmall = Code(rawValue: 1620)
    /// A date is later than its maximum (1630).
    public static let dateTooLate = Code(rawValue: 1630)
    /// A date is earlier than its minimum (1640).
    public static let dateTooSoon = Code(rawValue: 1640)
    /// A date is not a point in time (1650).
    public static let invalidDate = Code(rawValue: 1650)
    /// A text or data is longer than its maximum (1660).
    public static let stringTooLong = Code(rawValue: 1660)
    /// A text or data is shorter than its minimum (1670).
    public static let stringTooShort = Code(rawValue: 1670)
    /// A text does not match its pattern (1680).
    public static let stringPatternMatching = Code(rawValue: 1680)
    /// The text of a URL attribute is not a URL (1690).
    public static let invalidURI = Code(rawValue: 1690)
    /// The store cannot be opened or read (134080).
    public static let persistentStoreOpen = Code(rawValue: 134_080)
    /// A lock or a server kept the store waiting too long (134090).
    public static let persistentStoreTimeout = Code(rawValue: 134_090)
    /// The store does not do what the request asks for (134091).
    public static let persistentStoreUnsupportedRequestType = Code(rawValue: 134_091)
    /// The history after a token is no longer there (134301).
    public static let persistentHistoryTokenExpired = Code(rawValue: 134_301)
    /// A save conflicts with what is stored: the versions differ (133020).
    public static let managedObjectMerge = Code(rawValue: 133_020)
    /// Two objects have the same values under a uniqueness constraint (133021).
    public static let managedObjectConstraintMerge = Code(rawValue: 133_021)
    /// A relationship leads to an object of another store (133010).
    public static let managedObjectExternalRelationship = Code(rawValue: 133_010)
    /// Core Data's number for an object that is not in the store (133000); Perennial throws ``objectGone``.
    public static let managedObjectReferentialIntegrity = Code(rawValue: 133_000)
    /// The model is not valid (134020).
    public static let invalidModel = Code(rawValue: 134_020)
    /// The store, or a copy of it, cannot be written (134030).
    public static let persistentStoreSave = Code(rawValue: 134_030)
    /// The store was written with another version of the model (134100).
    public static let incompatibleVersionHash = Code(rawValue: 134_100)
    /// A migration cannot be done (134110).
    public static let migration = Code(rawValue: 134_110)
    /// Objects share values that a new uniqueness constraint forbids (134111).
    public static let migrationConstraintViolation = Code(rawValue: 134_111)
    /// A migration was cancelled (134120).
    public static let migrationCancelled = Code(rawValue: 134_120)
    /// A difference between two models forbids a migration (134190).
    public static let inferredMappingModel = Code(rawValue: 134_190)
    /// A SQLite error that has no code of its own here (134180: `NSSQLiteError`).
    public static let sqlite = Code(rawValue: 134_180)
    /// A predicate's text cannot be read (200001).
    public static let predicateFormat = Code(rawValue: 200_001)
    /// A predicate cannot be evaluated (200002).
    public static let predicateEvaluation = Code(rawValue: 200_002)
    /// A name is not in the model (200003).
    public static let unknownName = Code(rawValue: 200_003)
    /// A value, an object or a class is not of the type that the model wants (200004).
    public static let typeMismatch = Code(rawValue: 200_004)
    /// An object of one context was used in another (200005).
    public static let foreignObject = Code(rawValue: 200_005)
    /// The object does not exist any more (200006).
    public static let objectGone = Code(rawValue: 200_006)
    /// A request that requires SQL has a part that only memory can evaluate (200007).
    public static let requiresMemory = Code(rawValue: 200_007)
    /// A fetch request asks for things that do not go together (200008).
    public static let invalidRequest = Code(rawValue: 200_008)
    /// A fetch or the copying of a store was cancelled (200009).
    public static let fetchCancelled = Code(rawValue: 200_009)
    /// A request that requires an index would read a whole table (200010).
    public static let requiresIndex = Code(rawValue: 200_010)
    /// A closure took more or fewer statements than you said (200011).
    public static let unexpectedStatements = Code(rawValue: 200_011)
    /// A property would be loaded lazily, which the context does not allow (200012).
    public static let lazyLoad = Code(rawValue: 200_012)
    /// A change of results does not fit the list that it is applied to (200020).
    public static let unfittingChange = Code(rawValue: 200_020)
    /// A PostgreSQL error that has no code of its own here (200030).
    public static let postgreSQL = Code(rawValue: 200_030)
    /// The connection to the server was lost; nothing was changed (200031).
    public static let connectionLost = Code(rawValue: 200_031)
    /// The connection was lost while a save was being committed: the save may have succeeded (200032).
    public static let saveOutcomeUnknown = Code(rawValue: 200_032)
  }

  /// A family of error codes, as a pattern for `catch`.
  public struct Pattern: Sendable {
    let ranges: [ClosedRange<Int>]

    /// Whether an error is of a family.
    ///
    /// - Parameters:
    ///   - pattern: A family of codes.
    ///   - error: What was caught.
    /// - Returns: `false` also for an error that is not a ``PerennialError``.
    public static func ~= (pattern: Self, error: any Error) -> Bool {
      guard let error = error as? PerennialError else { return false }
      return pattern.ranges.contains { $0.contains(error.code.rawValue) }
    }
  }

  /// Values that are not allowed: 1550 to 1690.
  public static let validation = Pattern(ranges: [1550...1690])
  /// Conflicts of versions and of unique values: 133020 and 133021.
  public static let conflict = Pattern(ranges: [133_020...133_021])
  /// Stores that cannot be opened, read or written.
  public static let store = Pattern(ranges: [
    134_000...134_019, 134_021...134_099, 134_180...134_180, 200_030...200_032,
  ])
  /// Migrations that fail: 134110 to 134130 and 134190.
  public static let migration = Pattern(ranges: [134_110...134_130, 134_190...134_190])
  /// History that is no longer there.
  public static let historyExpired = Pattern(ranges: [134_301...134_301])
  /// Models that are not valid.
  public static let model = Pattern(ranges: [134_020...134_020])
  /// Stores of another version of the model.
  public static let storeIncompatible = Pattern(ranges: [134_100...134_100])
  /// Predicates that cannot be read or evaluated.
  public static let format = Pattern(ranges: [200_001...200_002])
}

extension PerennialError.Code {
  /// The family's name, as the static pattern of ``PerennialError`` is called.
  var family: String {
    switch rawValue {
    case 1550...1690: "validation"
    case 133_020...133_021: "conflict"
    case 134_020: "model"
    case 134_100: "storeIncompatible"
    case 134_110...134_130, 134_190: "migration"
    case 134_000...134_180, 200_030...200_032: "store"
    case 134_301: "historyExpired"
    case 200_001...200_002: "format"
    case 200_003: "unknownName"
    case 200_004: "typeMismatch"
    case 200_005: "foreignObject"
    case 200_006: "objectGone"
    case 200_007: "requiresMemory"
    case 200_008: "invalidRequest"
    case 200_009: "fetchCancelled"
    case 200_010: "requiresIndex"
    case 200_011: "unexpectedStatements"
    case 200_012: "lazyLoad"
    case 200_020: "unfittingChange"
    default: "error"
    }
  }
}
