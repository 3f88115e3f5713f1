import Child
import Glibc
import Intercept
import Uplift
import UpliftRelease

/// One line of input: words with a tab between them, each `name=value`.
struct Order {
  private var values: [String: String] = [:]

  init(_ line: String) {
    for field in line.split(separator: "\t") {
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      precondition(parts.count == 2, "\(field) is not understood")
      values[String(parts[0])] = String(parts[1])
    }
  }

  /// How many boot at the same moment.
  var count: Int { number("count") ?? 1 }

  /// Which process is killed when, in order: `0:1500,2:3000`, in microseconds.
  var kills: [(child: Int, microseconds: Int)] {
    (values["kills"] ?? "").split(separator: ",").map { kill in
      let parts = kill.split(separator: ":").compactMap { Int($0) }
      return (parts[0], parts[1])
    }
  }

  /// Boots, reports the result, and ends the process.
  func run(as index: Int) -> Never {
    if let at = number("starve") {
      child_starve(UInt(at), values["on"] != nil)
    }
    if values["hurried"] != nil { child_hurry() }
    if let directory = values["temporary"] { setenv("SQLITE_TMPDIR", directory, 1) }
    intercept_begin(values["root"], values["rules"], values["log"], true)
    if values["bake"] != nil { bake(as: index) }
    if let version = number("restore") { restore(to: Version(Int64(version)), as: index) }
    do {
      let upgrade = try upgrader.upgrade { event in
        switch event {
        case .seeded(let seeded): report(seeded, index)
        case .created: report(.zero, index)
        case .committed(let last): report(last, index)
        default: break
        }
      }
      // A boot with nothing to do writes and syncs nothing. So it does not prove that the version
      // survives a power cut.
      if upgrade.start != .existing(upgrade.end) { report(upgrade.end, index) }
      for step in upgrade.applied { say("\(index)\tapplied\t\(step.version)") }
      say("\(index)\tdone\t\(upgrade.end)")
    } catch {
      let words = error.description.split(separator: "\n").joined(separator: " ")
      let reached = error.reached.map { "\($0)" } ?? "-"
      say("\(index)\tfailed\t\(error.kind)\t\(reached)\t\(words)")
    }
    if values["starve"] != nil {
      say("\(index)\tallocations\t\(child_allocations())\t\(child_outstanding())")
    }
    _exit(0)
  }

  /// Bakes new content, reports the version of the seed, and ends the process.
  private func bake(as index: Int) -> Never {
    var options = Upgrader.BakeOptions()
    options.output = values["output"]
    options.hasNewContent = options.output == nil
    do {
      let bake = try upgrader.bake(options)
      report(bake.version, index)
      say("\(index)\tdone\t\(bake.version)")
    } catch {
      let words = error.description.split(separator: "\n").joined(separator: " ")
      say("\(index)\tfailed\t\(error.kind)\t-\t\(words)")
    }
    _exit(0)
  }

  /// Puts a backup back, reports its version, and ends the process.
  private func restore(to version: Version?, as index: Int) -> Never {
    do {
      let restore = try upgrader.restore(backup: values["backup"] ?? "", to: version)
      report(restore.version, index)
      say("\(index)\tdone\t\(restore.version)")
    } catch {
      let words = error.description.split(separator: "\n").joined(separator: " ")
      say("\(index)\tfailed\t\(error.kind)\t-\t\(words)")
    }
    _exit(0)
  }

  /// Reports a version to the test, and to the log between the calls.
  private func report(_ version: Version, _ index: Int) {
    intercept_note("\(version)")
    say("\(index)\treported\t\(version)")
  }

  private var upgrader: Upgrader {
    var options = Upgrader.Options()
    options.patience = .milliseconds(number("patience") ?? 10_000)
    if let interval = number("interval") { options.commitInterval = .milliseconds(interval) }
    options.backup = values["backup"].map {
      Upgrader.Backup(directory: $0, keep: number("keep") ?? 2)
    }
    return Upgrader(
      database: values["database"] ?? "",
      seed: values["seed"].map(Seed.file),
      migrations: migrations,
      target: number("target").flatMap { Version($0) },
      options: options
    )
  }

  /// The scripts, and the last step in Swift if there is one: `8:UPDATE …`.
  private var migrations: Migrations {
    let scripts = values["migrations"].map(Migrations.directory) ?? []
    guard let code = values["code"], let colon = code.firstIndex(of: ":"),
      let version = Version(String(code[..<colon]))
    else { return scripts }
    let sql = String(code[code.index(after: colon)...])
    return scripts + [.code(version, "in Swift") { database in try database.execute(sql) }]
  }

  private func number(_ name: String) -> Int? { values[name].flatMap { Int($0) } }
}

/// Prints in one `write`, so that the lines of several processes do not mix.
func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = write(1, bytes, bytes.count)
}
