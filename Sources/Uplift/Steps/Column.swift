internal import UpliftSQLite

extension Upgrader {
  /// A column of a table that a step makes or changes; it is written as `.column(…)`.
  ///
  /// ```swift
  /// .column("id", .integer, primaryKey: true)
  /// .column("name", .text, notNull: true, default: "")
  /// .column("guest", .integer, references: "guests", constraint: "ON DELETE CASCADE")
  /// .column("signed", .text, default: .sql("CURRENT_TIMESTAMP"))
  /// ```
  public struct Column: Hashable, Sendable {
    /// The type of a column.
    public enum Kind: Hashable, Sendable {
      /// `INTEGER`, `REAL`, `TEXT` or `BLOB`.
      case integer, real, text, blob
      /// `ANY`: values of all types, also in a strict table.
      case any
      /// Another type, for example `VARCHAR(80)`: SQL that is taken as it is.
      case declared(String)

      fileprivate var declaration: String {
        switch self {
        case .integer: "INTEGER"
        case .real: "REAL"
        case .text: "TEXT"
        case .blob: "BLOB"
        case .any: "ANY"
        case .declared(let sql): sql
        }
      }
    }

    /// The value of a column if a row gives none: `"text"`, `7`, `true` or an expression.
    public struct Default: Hashable, Sendable {
      let sql: String

      /// An SQL expression, for example `CURRENT_TIMESTAMP`; it is taken as it is.
      public static func sql(_ expression: String) -> Default { Default(sql: "(\(expression))") }

      /// A value from a variable or another expression of Swift.
      public static func value(_ value: some Upgrader.Database.Storable) -> Default {
        Default(sql: value.upliftValue.asLiteral)
      }
    }

    /// The column as `CREATE TABLE` and `ALTER TABLE … ADD COLUMN` write it.
    let definition: String

    /// A column of this name and type.
    ///
    /// `references` names a table, and refers to its primary key. `constraint` is SQL that follows
    /// everything else and is taken as it is: `CHECK (…)`, `COLLATE NOCASE`, `AUTOINCREMENT`,
    /// `GENERATED ALWAYS AS (…)`, `ON DELETE CASCADE`. Names and text defaults are quoted.
    public static func column(
      _ name: String, _ kind: Kind, primaryKey: Bool = false, notNull: Bool = false,
      unique: Bool = false, default: Default? = nil, references: String? = nil,
      constraint: String = ""
    ) -> Upgrader.Column {
      var parts = [name.asName, kind.declaration]
      if notNull { parts.append("NOT NULL") }
      if unique { parts.append("UNIQUE") }
      if let `default` { parts.append("DEFAULT \(`default`.sql)") }
      // Nothing may stand between PRIMARY KEY and the constraint AUTOINCREMENT.
      if primaryKey { parts.append("PRIMARY KEY") }
      if let references { parts.append("REFERENCES \(references.asName)") }
      if !constraint.isEmpty { parts.append(constraint) }
      return Upgrader.Column(definition: parts.joined(separator: " "))
    }
  }
}

extension Upgrader.Column.Default: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
  /// A text, which is quoted.
  public init(stringLiteral text: String) { self = .value(text) }

  /// A whole number.
  public init(integerLiteral number: Int64) { self = .value(number) }

  /// A floating-point number.
  public init(floatLiteral number: Double) { self = .value(number) }

  /// 1 for true, 0 for false.
  public init(booleanLiteral flag: Bool) { self = .value(flag) }
}

extension [Upgrader.Column] {
  /// What follows the name of a table in `CREATE TABLE`.
  func definition(_ constraints: [String], strict: Bool, withoutRowID: Bool) -> String {
    let lines = (map(\.definition) + constraints).joined(separator: ",\n  ")
    let options = (strict ? ["STRICT"] : []) + (withoutRowID ? ["WITHOUT ROWID"] : [])
    return "(\n  \(lines)\n)" + (options.isEmpty ? "" : " " + options.joined(separator: ", "))
  }
}
