extension Upgrader.Database {
  /// A type whose values can be bound to a parameter and read from a row.
  ///
  /// A program's own types can conform, for example a date that is stored as text, or an identifier
  /// that is stored as a blob.
  public protocol Storable {
    /// Reads a value; nil if it is not one of this type. Nothing is converted silently.
    init?(upliftValue: Value)
    /// The value to store.
    var upliftValue: Value { get }
  }
}

extension Upgrader.Database.Value: Upgrader.Database.Storable {
  /// Takes any value as it is.
  public init?(upliftValue: Upgrader.Database.Value) { self = upliftValue }

  /// The value itself.
  public var upliftValue: Upgrader.Database.Value { self }
}
