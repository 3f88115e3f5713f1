extension Database {
  /// Values for the parameters of a statement: `[name, 7, nil]` by position, `["name": name]` by
  /// name.
  ///
  /// A statement is given as many as it has parameters, no more and no fewer.
  public struct Arguments: Sendable {
    let values: [(name: String?, value: Value)]

    public init(_ values: [(any Storable)?]) {
      self.values = values.map { (nil, $0?.databaseValue ?? .null) }
    }

  }
}

extension Database.Arguments: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  public init(arrayLiteral values: (any Database.Storable)?...) {
    self.init(values)
  }

  public init(dictionaryLiteral values: (String, (any Database.Storable)?)...) {
    self.values = values.map { ($0.0, $0.1?.databaseValue ?? .null) }
  }
}
