package import UpliftSQLite

extension UpgradeError {
  /// A statement that no script may run; remove or replace it, as the ``UpgradeError/remedy`` says.
  ///
  /// Most of these statements would break the guarantee that a script is committed together with
  /// its version. Some of them may be in a `no-transaction` script.
  public struct Refused: Hashable, Sendable {
    package let refusal: Refusal

    package init(_ refusal: Refusal) {
      self.refusal = refusal
    }

    /// What is refused: `ROLLBACK`, `SAVEPOINT`, `VACUUM INTO`, a pragma, a parameter, a trigger,
    /// an index, a change of the schema, or a table of the seed.
    ///
    /// A pragma has its name in lower case: `PRAGMA user_version`. If only the value is refused, it
    /// follows: `PRAGMA journal_mode=off`. A parameter is as it is written: `?1` or `:name`.
    public var name: String {
      switch refusal {
      case .transaction(let operation): operation
      case .savepoint: "SAVEPOINT"
      case .attach: "ATTACH"
      case .detach: "DETACH"
      case .vacuumInto: "VACUUM INTO"
      case .notAlone: "no-transaction"
      case .pragma(let name), .pragmaInTransaction(let name): "PRAGMA \(name)"
      case .parameter(let name): name
      case .seedChange(let table): table.isEmpty ? "seed" : "seed.\(table)"
      case .schemaChange(let words): words
      }
    }
  }
}

/// The reason, made from its facts.
extension UpgradeError.Reason {
  package static func refused(_ refusal: Refusal) -> UpgradeError.Reason {
    .refused(UpgradeError.Refused(refusal))
  }
}
