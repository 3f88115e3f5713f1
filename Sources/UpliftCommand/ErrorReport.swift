package import Uplift
internal import UpliftRelease
package import UpliftSystem

/// An error as the command reports it: as lines for people, as JSON for programs.
package struct ErrorReport: Error, Sendable {
  /// A name for programs, the same from release to release.
  package let kind: String
  /// One clause, which begins with the location if there is one.
  package let message: String
  /// One line that says what to do.
  package let remedy: String
  package let exit: ExitCode
  package let location: Location?
  /// The version of the database now; nil if it is not known.
  package let reached: Version?

  /// Where in a script the error is.
  package struct Location: Sendable {
    package let file: String
    /// Nil if the script as a whole is wrong.
    package let line: Int?
    package let column: Int?
    /// The line of the script.
    ///
    /// Nil if Uplift refused the text before it ran, or if the script failed as a whole.
    package let excerpt: UpgradeError.Excerpt?
    /// SQLite's result code; nil if it was not SQLite that refused the statement.
    package let code: (number: Int32, name: String)?
  }
}

extension ErrorReport {
  init(_ error: CommandLineError) {
    self.init(
      kind: "commandLine", message: error.message, remedy: error.remedy, exit: .usage,
      location: nil, reached: nil)
  }

  init(_ error: ResourceDirectoryError) {
    self.init(
      kind: "resources", message: error.description, remedy: error.remedy, exit: error.exit,
      location: nil, reached: nil)
  }

  /// The error if the work succeeded but its result could not be written.
  init(output error: SystemError) {
    self.init(
      kind: "output", message: "standard output: \(error.words)",
      remedy: "the work is done, but its result was not printed", exit: .disk,
      location: nil, reached: nil)
  }

  init(_ error: ReleaseError, signal: StopSignal? = nil) {
    var exit = ExitCode(rawValue: error.exitCode) ?? .resources
    var location: Location?
    if case .upgrade(let error) = error {
      exit = ExitCode(error, signal: signal)
      location = Location(error)
    } else if case .scriptsFail(let failure) = error {
      location = Location(failure.error)
    }
    if case .importing(let wrong) = error, let line = wrong.line {
      location = Location(
        file: wrong.file, line: line, column: wrong.column, excerpt: nil, code: nil)
    }
    // The version that a copy of the seed has reached means nothing to anybody.
    self.init(
      kind: error.kind, message: error.description, remedy: error.remedy, exit: exit,
      location: location, reached: nil)
  }

  package init(_ error: UpgradeError, signal: StopSignal?) {
    self.init(
      kind: error.kind, message: error.description, remedy: error.remedy,
      exit: ExitCode(error, signal: signal), location: Location(error), reached: error.reached)
  }
}

extension ErrorReport {
  /// The error of an upgrade.
  ///
  /// If the database is too new and has a backup, the remedy is the command that puts it back.
  init(_ error: UpgradeError, signal: StopSignal?, of upgrader: Upgrader, _ arguments: Arguments) {
    self.init(error, signal: signal)
    guard case .newer(let newer) = error, let directory = arguments.options.backup?.directory,
      let backup = upgrader.newestBackup(in: directory, target: newer.target)
    else { return }
    let command = Self.restoreCommand(directory, of: upgrader, newer.target, arguments)
    // On a terminal, the command would name another file, or if a name is not UTF-8.
    guard command == command.printable, !command.contains("\u{fffd}") else { return }
    self.init(
      kind: kind, message: message,
      remedy: "start the newer program, or go back to \"\(backup)\": " + command, exit: exit,
      location: location, reached: reached)
  }

  /// The command repeats the options that name the database, the seed, the scripts and the
  /// extensions.
  private static func restoreCommand(
    _ directory: String, of upgrader: Upgrader, _ target: Version, _ arguments: Arguments
  ) -> String {
    // With --each, the options do not name the database.
    let database = arguments.each == nil ? arguments.database : upgrader.database
    let options: [(String, String?)] =
      [
        ("--resources", arguments.resources), ("--data", arguments.data), ("--database", database),
        ("--seed", arguments.seed), ("--migrations", arguments.migrations),
        ("--target", target.release ?? "\(target.number)"), ("--backup", directory),
      ] + arguments.extensions.map { ("--load-extension", $0) }
    let words = options.compactMap { option, value in
      // A value that begins with a dash would be taken for an option.
      value.map { "\(option)\($0.hasPrefix("-") ? "=" : " ")\($0.shellWord)" }
    }
    return "uplift restore \(words.joined(separator: " "))"
  }
}

extension ErrorReport.Location {
  fileprivate init?(_ error: UpgradeError) {
    switch error {
    case .failed(let failure): self.init(failure)
    case .disk(let disk):
      guard let failure = disk.failure else { return nil }
      self.init(failure)
    case .scriptText(let text):
      self.init(file: text.file, line: text.line, column: text.column, excerpt: nil, code: nil)
    default: return nil
    }
  }

  private init(_ failure: UpgradeError.Failure) {
    var code: (Int32, String)?
    if case .sqlite(let message) = failure.reason { code = (message.code, message.name) }
    self.init(
      file: failure.script, line: failure.line, column: failure.column,
      excerpt: failure.excerpt, code: code)
  }
}
