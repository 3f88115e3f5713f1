extension Upgrader.Database {
  /// Values for the parameters of a statement.
  ///
  /// `[name, 7, nil]` gives them by position, and `["name": name]` by name. There must be exactly
  /// one value for each parameter.
  public struct Arguments: Sendable {
    let values: [(name: String?, value: Value)]

    /// Values by position; nil is `NULL`.
    public init(_ values: [(any Storable)?]) {
      self.values = values.map { (nil, $0?.upliftValue ?? .null) }
    }
  }
}

extension Upgrader.Database.Arguments: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// Values by position; nil is `NULL`.
  public init(arrayLiteral values: (any Upgrader.Database.Storable)?...) {
    self.init(values)
  }

  /// Values by the names of their parameters, without `:`, `@` or `$`; nil is `NULL`.
  public init(dictionaryLiteral values: (String, (any Upgrader.Database.Storable)?)...) {
    self.values = values.map { ($0.0, $0.1?.upliftValue ?? .null) }
  }
}
