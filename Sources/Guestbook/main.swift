import Uplift
import UpliftCommand

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The version of the database that this program needs.
let target: Version = 7

let arguments = CommandLine.arguments.dropFirst()
let isCommand = arguments.first == "db"
let paths = isCommand ? [] : Array(arguments)
let resources = paths.first ?? "Resources"
let data = paths.dropFirst().first ?? "data"
let database = "\(data)/guestbook.db"

let upgrader = Upgrader(
  database: database,
  seed: .file("\(resources)/guestbook.db"),
  migrations: .directory("\(resources)/Migrations"),
  target: target
)

// `guestbook db check` and the other verbs of `uplift`, with this program's steps.
if isCommand {
  exit(DatabaseCommand(upgrader, name: "guestbook db").run(arguments.dropFirst()))
}

do {
  let upgrade = try upgrader.upgrade()
  say("guestbook: \(upgrade.start) -> \(upgrade.end)", to: STDERR_FILENO)
} catch {
  say("guestbook: \(error)\n\(error.remedy)", to: STDERR_FILENO)
  exit(error.exitCode)
}

do {
  try serve(Store(path: database))
} catch {
  say("guestbook: \(error)", to: STDERR_FILENO)
  exit(1)
}

/// Answers requests, one a line, until the input ends or says `quit`.
func serve(_ store: borrowing Store) {
  while let line = readLine() {
    let words = line.split(separator: " ", maxSplits: 2).map(String.init)
    do throws(StoreError) {
      switch words.first {
      case "sign" where words.count == 3:
        try store.sign(name: words[1], message: words[2])
        say("thank you, \(words[1])")
      case "list":
        for row in try store.run(
          """
          SELECT signed_at, name, message FROM entries JOIN guests ON guests.id = guest_id
          ORDER BY signed_at, entries.id
          """)
        {
          say("\(row[0]) \(row[1]): \(row[2])")
        }
      case "count":
        for row in try store.run("SELECT coalesce(sum(entry_count), 0) FROM guests") { say(row[0]) }
      case "prompts":
        for row in try store.run("SELECT text FROM prompts ORDER BY id") { say(row[0]) }
      case "quit":
        return
      default:
        say("sign NAME MESSAGE, list, count, prompts or quit")
      }
    } catch {
      say("not done: \(error)")
    }
  }
}

/// Writes without a buffer, because a client may be waiting at the other end of a pipe.
func say(_ text: String, to file: Int32 = STDOUT_FILENO) {
  var bytes = Array("\(text)\n".utf8)[...]
  while !bytes.isEmpty {
    let count = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    guard count > 0 else { return }
    bytes = bytes.dropFirst(count)
  }
}
