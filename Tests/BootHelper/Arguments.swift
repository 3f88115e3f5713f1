import Glibc
import Uplift
import UpliftRelease

/// The arguments of a test: a database, then options with one value each.
struct Arguments {
  private let database: String
  private var values: [String: String] = [:]

  init(_ arguments: some Sequence<String>) {
    var words = Array(arguments)
    precondition(!words.isEmpty, "no database is named")
    database = words.removeFirst()
    let known = [
      "--seed", "--migrations", "--target", "--if-missing", "--patience", "--interval",
      "--barrier", "--user", "--import", "--backup",
    ]
    while let word = words.first {
      precondition(known.contains(word) && words.count > 1, "\(word) is not understood")
      values[word] = words[1]
      words.removeFirst(2)
    }
  }

  /// The directory of another tool's scripts, and the directory to import them into.
  var scriptImport: ScriptImport? {
    guard let source = values["--import"], let migrations = values["--migrations"] else {
      return nil
    }
    return ScriptImport(of: source, into: migrations)
  }

  var upgrader: Upgrader {
    var options = Upgrader.Options()
    if let patience = number("--patience") { options.patience = .milliseconds(patience) }
    if let interval = number("--interval") { options.commitInterval = .milliseconds(interval) }
    switch values["--if-missing"] {
    case "empty": options.ifMissing = .empty
    case "fail": options.ifMissing = .fail
    default: options.ifMissing = .seed
    }
    options.backup = values["--backup"].map { Upgrader.Backup(directory: $0) }
    return Upgrader(
      database: database,
      seed: values["--seed"].map(Seed.file),
      migrations: values["--migrations"].map(Migrations.directory) ?? [],
      target: values["--target"].flatMap(Version.init),
      options: options
    )
  }

  /// Becomes another user: root may write everywhere, so a test of permissions needs one.
  func become() {
    guard let user = number("--user").flatMap(uid_t.init(exactly:)) else { return }
    precondition(setgroups(0, nil) == 0 && setgid(user) == 0 && setuid(user) == 0, "not root")
  }

  /// Reports that it is ready, and waits until the test lets all processes go at once, or has
  /// ended.
  func waitForTheOthers() {
    guard let barrier = values["--barrier"] else { return }
    close(open("\(barrier)/\(getpid())", O_CREAT | O_WRONLY, 0o644))
    let test = getppid()
    while access("\(barrier)/go", F_OK) != 0 {
      guard getppid() == test else { exit(2) }
      usleep(200)
    }
  }

  private func number(_ option: String) -> Int? { values[option].flatMap { Int($0) } }
}
