import Foundation

/// A disk that a log of calls has changed, and the states that a power cut may leave.
///
/// The model: a sync is honest and comes in order. A name is safe after its directory was synced. A
/// file's bytes and length are safe after the file was synced. Sectors have 512 bytes and are
/// written whole or not at all. What was not synced may be there or not, in any mixture.
struct Disk {
  /// One change that a call has made.
  struct Change {
    enum Kind {
      /// A name in a directory now leads to this; nil: to nothing.
      case name(directory: Int, name: String, number: Int?)
      case rename(directory: Int, from: String, to: String, number: Int)
      case bytes(file: Int, offset: Int, data: Data)
      case length(file: Int, Int)
    }
    let kind: Kind
    /// The call that made the change, and the call that made it safe.
    let call: Int
    var safeSince = Int.max
  }

  /// The disk before, with the directories that were made, which are empty.
  private(set) var start: Tree
  private(set) var changes: [Change] = []
  /// The calls after which a crash leaves something new.
  private(set) var moments: [Int] = [0]
  private var reports: [(call: Int, version: Int)] = []

  /// Follows the calls of a boot, from the disk before it.
  init(start: Tree, calls: [Operation]) throws {
    self.start = start
    var now = start
    var open: [Int: Int] = [:]
    var next = 1 + (Set(start.directories.keys).union(start.files.keys).max() ?? 0)

    func entry(_ path: String) -> (directory: Int, name: String)? {
      let parts = path.split(separator: "/")
      guard let last = parts.last else { return nil }
      let parent = now.number(of: parts.dropLast().joined(separator: "/"))
      return parent.map { ($0, String(last)) }
    }

    for (index, call) in calls.enumerated() where call.result >= 0 {
      var made: [Change.Kind] = []
      switch call.name {
      case "open":
        if let number = now.number(of: call.path) {
          open[call.descriptor] = number
          // O_TRUNC
          if call.flags & 0o1000 != 0 { made.append(.length(file: number, 0)) }
        } else if let (directory, name) = entry(call.path) {
          now.files[next] = Data()
          open[call.descriptor] = next
          made.append(.name(directory: directory, name: name, number: next))
          next += 1
        }
      case "mkdir":
        if let (directory, name) = entry(call.path) {
          now.directories[next] = [:]
          self.start.directories[next] = [:]
          made.append(.name(directory: directory, name: name, number: next))
          next += 1
        }
      case "unlink":
        if let (directory, name) = entry(call.path) {
          made.append(.name(directory: directory, name: name, number: nil))
        }
      case "link":
        if let (directory, name) = entry(call.other), let number = now.number(of: call.path) {
          made.append(.name(directory: directory, name: name, number: number))
        }
      case "rename", "renameat2":
        if let (directory, name) = entry(call.other), let old = entry(call.path),
          let number = now.number(of: call.path)
        {
          made.append(
            .rename(directory: directory, from: old.name, to: name, number: number))
        }
      case "write", "copy_file_range":
        if let file = open[call.descriptor], call.result > 0 {
          made.append(.bytes(file: file, offset: call.offset, data: call.data))
        }
      case "ftruncate":
        if let file = open[call.descriptor] { made.append(.length(file: file, call.offset)) }
      case "fsync", "fdatasync":
        if let number = open[call.descriptor] {
          for at in changes.indices where changes[at].safeSince == .max {
            if changes[at].belongs(to: number) { changes[at].safeSince = index }
          }
          moments.append(index + 1)
        }
      case "note":
        reports.append((index, Int(call.path) ?? 0))
        moments.append(index + 1)
      default: break
      }
      for kind in made {
        let change = Change(kind: kind, call: index)
        change.apply(to: &now)
        changes.append(change)
      }
      if !made.isEmpty { moments.append(index + 1) }
    }
  }

  /// The newest version that was reported before this call.
  func reported(before moment: Int) -> Int? {
    reports.filter { $0.call < moment }.map(\.version).max()
  }
}

extension Disk.Change {
  func belongs(to number: Int) -> Bool {
    switch kind {
    case .name(let directory, _, _), .rename(let directory, _, _, _): directory == number
    case .bytes(let file, _, _), .length(let file, _): file == number
    }
  }

  var isName: Bool {
    switch kind {
    case .name, .rename: true
    case .bytes, .length: false
    }
  }

  func apply(to tree: inout Tree) {
    switch kind {
    case .name(let directory, let name, let number):
      tree.add(number)
      tree.directories[directory, default: [:]][name] = number
    case .rename(let directory, let from, let to, let number):
      tree.add(number)
      if tree.directories[directory]?[from] == number { tree.directories[directory]?[from] = nil }
      tree.directories[directory, default: [:]][to] = number
    case .bytes(let file, let offset, let data):
      tree.put(data, offset, file)
    case .length(let file, let length):
      tree.files[file, default: Data()].count = length
    }
  }

  /// Some sectors of it.
  ///
  /// If the file grows, the others are zero, or have the bytes from before.
  func applyTorn(to tree: inout Tree, _ random: inout Random) {
    guard case .bytes(let file, let offset, let data) = kind else { return apply(to: &tree) }
    let garbage = random.chance(4)
    let length = tree.files[file]?.count ?? 0
    var start = 0
    while start < data.count {
      let end = min(data.count, (offset + start) / 512 * 512 + 512 - offset)
      if random.chance(2) {
        tree.put(data.subdata(in: start..<end), offset + start, file)
      } else if garbage, offset + start >= length, random.chance(2) {
        let old = Data((start..<end).map { _ in UInt8.random(in: 0...255, using: &random) })
        tree.put(old, offset + start, file)
      }
      start = end
    }
  }
}

extension Tree {
  /// Makes a file for a number that is neither a file's nor a directory's yet.
  fileprivate mutating func add(_ number: Int?) {
    guard let number, directories[number] == nil, files[number] == nil else { return }
    files[number] = Data()
  }

  fileprivate mutating func put(_ data: Data, _ offset: Int, _ file: Int) {
    var bytes = files[file] ?? Data()
    files[file] = nil
    if bytes.count < offset + data.count { bytes.count = offset + data.count }
    bytes.withUnsafeMutableBytes { target in
      data.withUnsafeBytes { source in
        guard let to = target.baseAddress, let from = source.baseAddress else { return }
        memcpy(to + offset, from, source.count)
      }
    }
    files[file] = bytes
  }
}
