/// The options of the command; `rawValue` is the name without its two dashes.
///
/// `Option+Row.swift` has the table of their values, verbs and lines of help.
package enum Option: String, CaseIterable, Sendable {
  case resources, data, database, seed, migrations, target, wait
  case ifMissing = "if-missing"
  case foreignKeys = "foreign-keys"
  case doubleQuotedStrings = "double-quoted-strings"
  case backup, to
  case `in`
  case keepCopy = "keep-copy"
  case loadExtension = "load-extension"
  case each, jobs
  case skipDuplicates = "skip-duplicates"
  case commitInterval = "commit-interval"
  case refresh, fixtures, lock, strict, content, empty, output, keep, schema, check
  case `import`
  case json, quiet, progress
  case exitCode = "exit-code"
  case verify
  case help, version

  package var name: String { "--" + rawValue }

  /// True if the option takes a value, after a blank or after `=`.
  var takesValue: Bool { row.value != nil }
}
