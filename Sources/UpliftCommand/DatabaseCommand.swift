public import Uplift
internal import UpliftSystem

/// The verbs of `uplift` as a part of another program, which brings its own seed and steps.
///
/// The command `uplift` cannot run steps in Swift. A program that has such steps can offer the
/// verbs itself:
///
/// ```swift
/// import UpliftCommand
///
/// if arguments.first == "db" {
///   exit(DatabaseCommand(upgrader, name: "guestbook db").run(arguments.dropFirst()))
/// }
/// ```
///
/// After that, `guestbook db check` checks all steps. `guestbook db status` shows the pending ones.
///
/// `new`, `bake` and `check` work on the files of the upgrader. If these are a copy, as in
/// `Bundle.module`, name the files in the sources:
/// `guestbook db bake --resources Sources/Guestbook/Resources`. The steps in Swift still come from
/// the program.
public struct DatabaseCommand: Sendable {
  private let upgrader: Upgrader
  private let name: String

  /// `name` is what a user types before the verb; messages and help begin with it.
  public init(_ upgrader: Upgrader, name: String) {
    self.upgrader = upgrader
    self.name = name
  }

  /// Runs the verb with its options, and returns the exit code.
  ///
  /// A verb that works on a database or a seed listens to SIGINT, SIGTERM and SIGHUP until the
  /// process ends.
  public func run(_ arguments: some Sequence<String>) -> Int32 {
    System.ignoreSignalsOfWriting()
    return Program(arguments: arguments.map { Array($0.utf8) }, upgrader: upgrader, name: name)
      .run().rawValue
  }
}
