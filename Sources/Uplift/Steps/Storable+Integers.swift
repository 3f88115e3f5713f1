/// The types of integers that always fit into SQLite's 64 bits.
///
/// A stored number that does not fit into a type is not read as this type.

extension FixedWidthInteger {
  fileprivate init?(exactly value: Upgrader.Database.Value) {
    guard case .integer(let number) = value else { return nil }
    self.init(exactly: number)
  }
}

extension Int: Upgrader.Database.Storable {
  public init?(upliftValue: Upgrader.Database.Value) { self.init(exactly: upliftValue) }
  public var upliftValue: Upgrader.Database.Value { .integer(Int64(self)) }
}

extension Int8: Upgrader.Database.Storable {
  public init?(upliftValue: Upgrader.Database.Value) { self.init(exactly: upliftValue) }
  public var upliftValue: Upgrader.Database.Value { .integer(Int64(self)) }
}

extension Int16: Upgrader.Database.Storable {
  public init?(upliftValue: Upgrader.Database.Value) { self.init(exactly: upliftValue) }
  public var upliftValue: Upgrader.Database.Value { .integer(Int64(self)) }
}

extension Int32: Upgrader.Database.Storable {
  public init?(upliftValue: Upgrader.Database.Value) { self.init(exactly: upliftValue) }
  public var upliftValue: Upgrader.Database.Value { .integer(Int64(self)) }
}

extension Int64: Upgrader.Database.Storable {
  public init?(upliftValue: Upgrader.Database.Value) { self.init(exactly: upliftValue) }
  public var upliftValue: Upgrader.Database.Value { .integer(self) }
}

extension UInt8: Upgrader.Database.Storable {
  public init?(upliftValue: Upgrader.Database.Value) { self.init(exactly: upliftValue) }
  public var upliftValue: Upgrader.Database.Value { .integer(Int64(self)) }
}

extension UInt16: Upgrader.Database.Storable {
  public init?(upliftValue: Upgrader.Database.Value) { self.init(exactly: upliftValue) }
  public var upliftValue: Upgrader.Database.Value { .integer(Int64(self)) }
}

extension UInt32: Upgrader.Database.Storable {
  public init?(upliftValue: Upgrader.Database.Value) { self.init(exactly: upliftValue) }
  public var upliftValue: Upgrader.Database.Value { .integer(Int64(self)) }
}
