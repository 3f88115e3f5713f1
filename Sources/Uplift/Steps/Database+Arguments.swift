extension Upgrader.Database {
  /// Values for the parameters of a statement: `[name, 7, nil]` by position, `["name": name]` by
  /// name.
  ///
  /// A statement is given as many as it has parameters, no more and no fewer.
  public struct Arguments: Sendable {
    let values: [(name: String?, value: Value)]

    public init(_ values: [(any Storable)?]) {
      self.values = values.map { (nil, $0?.upliftValue ?? .null) }
    }
  }
}

extension Upgrader.Database.Arguments: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  public init(arrayLiteral values: (any Upgrader.Database.Storable)?...) {
    self.init(values)
  }

  public init(dictionaryLiteral values: (String, (any Upgrader.Database.Storable)?)...) {
    self.values = values.map { ($0.0, $0.1?.upliftValue ?? .null) }
  }
}
