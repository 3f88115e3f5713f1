import TestSupport
import Testing

/// Swift reads the arguments of a process from `/proc`.
struct WithoutProcTests {
  /// True if this user may mount a file system.
  static let canMount: Bool = {
    let outcome = try? Command("/usr/bin/unshare").run(
      "-m", "mount", "-t", "tmpfs", "none", "/proc")
    return outcome?.status == 0
  }()

  @Test(.enabled(if: canMount))
  func `refuses to guess the arguments, and makes no database`() throws {
    let scratch = try Scratch()
    try scratch.write("", to: "Resources/app.db")
    try Shell.run(scratch("Resources/app.db"), Site.seed)
    try scratch.write(Site.script(2), to: "Resources/Migrations/2_two.sql")

    let outcome = try Command("/usr/bin/unshare").run(
      "-m", "/bin/sh", "-ec", "mount -t tmpfs none /proc; exec \"$@\"", "sh",
      Command.product("uplift").path, "status", in: scratch.path)

    #expect(
      outcome
        == Outcome(
          status: 64, output: "",
          errors: """
            uplift: the arguments cannot be read, /proc is not mounted
            mount /proc, then run this again

            """))
    #expect(scratch.names("data") == [])
  }
}
