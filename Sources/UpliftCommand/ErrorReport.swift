package import Uplift
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
  package let location: UpgradeError.Place?
  /// SQLite's result code; nil if it was not SQLite that refused a statement.
  package let code: UpgradeError.SQLiteCode?
  /// The version of the database now; nil if it is not known.
  package let reached: Version?
  /// The orphans that a script made.
  package private(set) var orphans: UpgradeError.Orphans?

  package init(
    kind: String, message: String, remedy: String, exit: ExitCode,
    location: UpgradeError.Place? = nil, code: UpgradeError.SQLiteCode? = nil,
    reached: Version? = nil
  ) {
    self.kind = kind
    self.message = message
    self.remedy = remedy
    self.exit = exit
    self.location = location
    self.code = code
    self.reached = reached
  }
}

extension ErrorReport {
  init(_ error: CommandLineError) {
    self.init(
      kind: "commandLine", message: error.message, remedy: error.remedy, exit: .usage)
  }

  /// The error if the work succeeded but its result could not be written.
  init(output error: SystemError) {
    self.init(
      kind: "output", message: "standard output: \(error.words)",
      remedy: "the work is done, but its result was not printed", exit: .disk)
  }

  package init(_ error: UpgradeError, signal: StopSignal? = nil) {
    self.init(
      kind: error.kind.rawValue, message: error.description, remedy: error.remedy,
      exit: ExitCode(error, signal: signal), location: error.place, code: error.sqlite,
      reached: error.reached)
    orphans = error.orphans
  }
}

extension ErrorReport {
  /// The error of an upgrade.
  ///
  /// If the database is too new and has a backup, the remedy is the command that puts it back.
  init(_ error: UpgradeError, signal: StopSignal?, of upgrader: Upgrader, _ arguments: Arguments) {
    self.init(error, signal: signal)
    guard error.kind == .newer, let directory = arguments.options.backup?.directory,
      let target = upgrader.knownTarget(),
      let backup = upgrader.newestBackup(in: directory, target: target)
    else { return }
    let command = Self.restoreCommand(directory, of: upgrader, target, arguments)
    // On a terminal, the command would name another file, or if a name is not UTF-8.
    guard command == command.printable, !command.contains("\u{fffd}") else { return }
    self.init(
      kind: kind, message: message,
      remedy: "start the newer program, or go back to \"\(backup)\": " + command, exit: exit,
      location: location, code: code, reached: reached)
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
