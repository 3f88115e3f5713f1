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
      /// `INTEGER`.
      case integer
      /// `REAL`.
      case real
      /// `TEXT`.
      case text
      /// `BLOB`.
      case blob
      /// `ANY`: values of all types, also in a strict table.
      case any
      /// Another type, for example `VARCHAR(80)`: SQL that is taken as it is.
      case declared(String)
    }

    /// The value of a column in a row for which no value is given: `"text"`, `7`, `true` or an
    /// expression.
    public struct Default: Hashable, Sendable {
      let sql: String

      /// An SQL expression, for example `CURRENT_TIMESTAMP`; it is taken as it is.
      public static func sql(_ expression: String) -> Default { Default(sql: "(\(expression))") }

      /// A value from a variable or another expression of Swift.
      public static func value(_ value: some Upgrader.Database.Storable) -> Default {
        Default(sql: value.upliftValue.asLiteral)
      }
    }

    let name: String
    let kind: Kind
    let isPrimaryKey: Bool
    let isNotNull: Bool
    let isUnique: Bool
    let defaultValue: Default?
    let parent: String?
    let constraint: String

    /// A column of this name and type.
    ///
    /// `references` names a table, and refers to its primary key. `constraint` is SQL that follows
    /// everything else and is taken as it is: `CHECK (…)`, `COLLATE NOCASE`,
    /// `GENERATED ALWAYS AS (…)`, `AUTOINCREMENT`, `ON DELETE CASCADE`. The name is quoted, and so
    /// is a default that is text.
    public static func column(
      _ name: String, _ kind: Kind, primaryKey: Bool = false, notNull: Bool = false,
      unique: Bool = false, default: Default? = nil, references: String? = nil,
      constraint: String = ""
    ) -> Upgrader.Column {
      Upgrader.Column(
        name: name, kind: kind, isPrimaryKey: primaryKey, isNotNull: notNull, isUnique: unique,
        defaultValue: `default`, parent: references, constraint: constraint)
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

/// Its short name inside the package; see `ShortNames.swift`.
package typealias Column = Upgrader.Column

extension Upgrader.Column {
  /// The column as `CREATE TABLE` and `ALTER TABLE … ADD COLUMN` write it.
  ///
  /// Without a reference, `PRIMARY KEY` stands directly before the constraint, so the constraint
  /// can be `AUTOINCREMENT`.
  var definition: String {
    var parts = [name.asName, kind.declaration]
    if isNotNull { parts.append("NOT NULL") }
    if isUnique { parts.append("UNIQUE") }
    if let defaultValue { parts.append("DEFAULT \(defaultValue.sql)") }
    if isPrimaryKey { parts.append("PRIMARY KEY") }
    if let parent { parts.append("REFERENCES \(parent.asName)") }
    if !constraint.isEmpty { parts.append(constraint) }
    return parts.joined(separator: " ")
  }
}

extension Upgrader.Column.Kind {
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
