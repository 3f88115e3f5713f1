import Foundation
import Glibc

/// One call of a boot, with its data, as `Tests/Intercept/record.c` writes it.
struct Operation {
  let name: String
  /// Minus the errno if it failed.
  let result: Int
  let offset: Int
  let flags: Int
  let descriptor: Int
  /// Relative to the disk, without a leading slash.
  let path: String
  let other: String
  let data: Data

  struct Garbled: Error {}

  static func all(in log: Data, below disk: String) throws -> [Operation] {
    var rest = log[...]
    var operations: [Operation] = []
    func take(_ count: Int) throws -> Data {
      guard rest.count >= count else { throw Garbled() }
      defer { rest = rest.dropFirst(count) }
      return Data(rest.prefix(count))
    }
    func below(_ path: Data) -> String {
      let path = String(decoding: path, as: UTF8.self)
      if path == disk { return "" }
      return path.hasPrefix(disk + "/") ? String(path.dropFirst(disk.count + 1)) : path
    }
    while !rest.isEmpty {
      let head = try take(44)
      func number<Integer: FixedWidthInteger>(_ offset: Int, _: Integer.Type) -> Int {
        head.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: offset, as: Integer.self)) }
      }
      let name = try take(number(28, UInt32.self))
      let path = try take(number(32, UInt32.self))
      let other = try take(number(36, UInt32.self))
      let data = try take(number(40, UInt32.self))
      operations.append(
        Operation(
          name: String(decoding: name, as: UTF8.self), result: number(0, Int64.self),
          offset: number(8, Int64.self), flags: number(16, Int64.self),
          descriptor: number(24, Int32.self), path: below(path), other: below(other), data: data))
    }
    return operations
  }
}

extension Operation {
  /// True if the call may have changed what a kill leaves.
  private var changesDisk: Bool {
    switch name {
    case _ where result < 0: false
    case "open": flags & Int(O_CREAT | O_TRUNC) != 0
    case "read", "fstat", "stat", "lstat", "access", "opendir", "close": false
    case "fcntl", "flock", "fsync", "fdatasync": false
    default: true
    }
  }

  /// The rules for kills that leave different disks; in the deep run before and after each call.
  ///
  /// A kill comes right before the next change: then the most was reported.
  static func kills(in calls: [Operation]) -> [String] {
    let rules = calls.enumerated().flatMap { index, call in
      let (before, after) = ("kill at \(index + 1)", "killed at \(index + 1)")
      // A call that the file system lacks has changed nothing.
      if Figures.isDeep { return call.result == -Int(ENOSYS) ? [before] : [before, after] }
      return call.changesDisk ? [before] : []
    }
    return Figures.isDeep ? rules : rules + ["killed at \(calls.count)"]
  }
}
