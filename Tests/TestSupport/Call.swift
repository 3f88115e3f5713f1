/// One call of the file system, as `Tests/Intercept` has logged it.
public struct Call: Hashable, Sendable {
  /// `sqlite` or `program`.
  public let caller: String
  public let name: String
  /// Minus the errno if it failed.
  public let result: Int
  public let offset: Int
  public let length: Int
  public let flags: Int
  /// Relative to the scratch directory, whose own path is empty.
  public let path: String
  public let other: String

  init?(line: Substring, root: String) {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
    guard fields.count == 9, let result = Int(fields[3]), let offset = Int(fields[4]),
      let length = Int(fields[5]), let flags = Int(fields[6])
    else { return nil }
    func below(_ path: Substring) -> String {
      path == root
        ? "" : path.hasPrefix(root + "/") ? String(path.dropFirst(root.count + 1)) : String(path)
    }
    caller = String(fields[1])
    name = String(fields[2])
    self.result = result
    self.offset = offset
    self.length = length
    self.flags = flags
    path = below(fields[7])
    other = below(fields[8])
  }

  /// True for a copy of the seed that is not the database yet.
  public var isOfCopy: Bool { path.hasSuffix(".uplift") }

  /// True if the call may have changed something on the disk.
  public var changesSomething: Bool {
    let changing = [
      "write", "ftruncate", "unlink", "link", "rename", "renameat2", "mkdir", "rmdir",
      "copy_file_range", "ioctl", "fchmod",
    ]
    // O_CREAT | O_TRUNC
    return changing.contains(name) || name == "open" && flags & 0o1100 != 0
  }
}

extension Call: CustomStringConvertible {
  public var description: String { "\(caller) \(name) \(path) = \(result)" }
}
