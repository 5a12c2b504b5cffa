// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension Operation {
  /// One line for the reader of `--help` and of the page of results.
  var summary: String {
    switch self {
    case .insert: "insert N objects with their authors, one save"
    case .readAll: "fetch all and read every attribute"
    case .fetchUntouched: "fetch all, attributes untouched (rows loaded); raw is that of W2"
    case .fetchFaults: "fetch all as faults, by ID only; raw is an object with a key for each"
    case .search: "fetch by message CONTAINS[c] 'fix', newest first; raw is LIKE '%fix%'"
    case .lookUp: "10,000 fetches by the unique sha"
    case .lookUpBatches: "the same in queries of 500, sha IN …"
    case .update: "change the message of 10,000 fetched objects, save"
    case .delete: "delete 10,000 fetched objects, save"
    case .toOne: "fetch all and read the author's name of each, by faults"
    case .toManyCount: "fetch all authors and count the commits of each"
    case .upsertEqual: "upsert N that exist, nothing differs; raw is the blind upsert"
    case .upsertChanged: "upsert N that exist, every message differs; raw is the blind upsert"
    case .first: "first 20 of 10 N rows sorted by date, without an index"
    case .firstIndexed: "the same with an index on the date"
    case .batchedIndexed: "all IDs of 10 N rows sorted by an indexed date, then the first 20 rows"
    case .batched: "the same without the index"
    case .memory: "bytes an object while W2 runs over 10 N rows, in a process of its own"
    case .memoryOfFew: "the same over N rows"
    case .faultMemory: "bytes a fault while W3ids runs over 10 N rows"
    case .listMemory: "bytes an ID while a list in batches of 10 N rows is fetched"
    case .countMatches: "count with the condition of W4"
    case .controllers:
      "nanoseconds for each of 1,000 results controllers of 1,000 objects when 10,000 change"
    case .sectionedController:
      "one controller of all in 2,000 sections when 10,000 change; raw reads keys and names anew"
    case .open: "open a store, first fetch of 20"
    case .readNumber: "nanoseconds to read an Int"
    case .readEditedNumber: "the same of an object with unsaved changes"
    case .readText: "nanoseconds to read a String of 40 characters"
    case .scan: "fetch by message CONTAINS[c] 'fix', 5 % of N; raw is LIKE '%fix%'"
    case .accentScan: "the same by CONTAINS[cd]; raw is that of P1"
    case .words: "P1 with a full-text index; raw is that of P1"
    case .rareWords: "P3 for a text that one in 10,000 has; raw is LIKE"
    case .parse: "nanoseconds to read a format of 60 characters"
    case .evaluate: "nanoseconds an object for date > constant in a store in memory"
    case .groupedCount: "dictionaries: the number of commits of each author, in one GROUP BY"
    case .history: "W1 into a store that keeps a history; raw is W1 into one that does not"
    case .batchInsert: "batch insertion of N dictionaries with their authors' IDs, one save"
    case .batchUpdate: "batch update: another url for all commits after a date"
    case .batchDelete: "batch deletion of all commits after a date"
    case .results: "performFetch in sections by author, batch size 20; raw is IDs and names"
    case .oneChange: "nanoseconds from a changed object to the report of R1's controller"
    case .manyChanges: "nanoseconds from 1,000 changed objects to the report of R1's controller"
    case .jsonOpen: "open a JSON store and count; raw is JSONDecoder into structs, same file"
    case .jsonSave: "save one change of a JSON store; raw is JSONEncoder of its structs, written"
    case .jsonMemory: "bytes an object while J1 runs, own process; raw is the structs alone"
    case .jsonSavingMemory: "the same while J1 runs and then J2"
    case .migrateAttribute:
      "migrate: an attribute is added, copy and counts included; raw is a copy of the file, with fsync"
    case .migrateEntity:
      "migrate: an added entity renumbers the rows; raw is one UPDATE of their table"
    }
  }
}
