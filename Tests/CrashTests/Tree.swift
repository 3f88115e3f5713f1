import Foundation

/// The contents of a disk: files, and the names that lead to them.
struct Tree {
  /// Directories by their number; 0 is the disk itself.
  var directories: [Int: [String: Int]] = [0: [:]]
  var files: [Int: Data] = [:]

  /// Every path, shorter ones first.
  var paths: [(path: String, number: Int)] {
    var found: [(String, Int)] = []
    func visit(_ directory: Int, _ prefix: String) {
      for (name, number) in (directories[directory] ?? [:]).sorted(by: { $0.key < $1.key }) {
        found.append((prefix + name, number))
        if directories[number] != nil { visit(number, prefix + name + "/") }
      }
    }
    visit(0, "")
    return found
  }

  func number(of path: String) -> Int? {
    var number = 0
    for name in path.split(separator: "/") {
      guard let next = directories[number]?[String(name)] else { return nil }
      number = next
    }
    return number
  }

  /// A value that is equal for disks with equal contents.
  var fingerprint: Int {
    var hasher = Hasher()
    for (path, number) in paths {
      hasher.combine(path)
      if let bytes = files[number] {
        hasher.combine(number)
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
      }
    }
    return hasher.finalize()
  }

  /// Writes the contents into an empty directory.
  func write(to disk: String) throws {
    var paths: [Int: String] = [:]
    for (name, number) in self.paths {
      let path = disk + "/" + name
      if let bytes = files[number] {
        if let first = paths[number] {
          guard link(first, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        } else {
          try bytes.write(to: URL(fileURLWithPath: path))
          paths[number] = path
        }
      } else {
        guard mkdir(path, 0o755) == 0 else { throw CocoaError(.fileWriteUnknown) }
      }
    }
  }

  init() {}

  /// The contents of a directory.
  init(of disk: String) throws {
    var numbers: [Int: Int] = [:]
    func visit(_ path: String, _ directory: Int) throws {
      for name in try FileManager.default.contentsOfDirectory(atPath: path) {
        var facts = stat()
        guard lstat(path + "/" + name, &facts) == 0 else { throw CocoaError(.fileReadUnknown) }
        let known = numbers[Int(facts.st_ino)]
        let number = known ?? directories.count + files.count
        numbers[Int(facts.st_ino)] = number
        directories[directory]?[name] = number
        if facts.st_mode & S_IFMT == S_IFDIR {
          directories[number] = [:]
          try visit(path + "/" + name, number)
        } else if known == nil {
          files[number] = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
        }
      }
    }
    try visit(disk, 0)
  }
}
