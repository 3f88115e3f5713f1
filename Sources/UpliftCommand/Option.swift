/// What can be written with two dashes; `rawValue` is what follows them.
///
/// What a user is told of each is in the table in `Option+Row.swift`.
package enum Option: String, CaseIterable, Sendable {
  case resources, data, database, seed, migrations, target, wait
  case ifMissing = "if-missing"
  case orphanedJournals = "orphaned-journals"
  case foreignKeys = "foreign-keys"
  case doubleQuotedStrings = "double-quoted-strings"
  case skipDuplicates = "skip-duplicates"
  case commitInterval = "commit-interval"
  case json, quiet, progress
  case exitCode = "exit-code"
  case help, version

  package var name: String { "--" + rawValue }

  /// True if a value follows, after a blank or after `=`.
  var takesValue: Bool { row.value != nil }
}
