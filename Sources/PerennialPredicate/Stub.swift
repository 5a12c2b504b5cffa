package struct Stub {}
public struct FetchPredicate: Sendable, Hashable {}
public struct FetchSort: Sendable, Hashable {}
