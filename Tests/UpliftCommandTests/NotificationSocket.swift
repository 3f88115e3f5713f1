import Foundation
import TestSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The socket on which systemd would listen.
final class NotificationSocket {
  private let file: Int32
  /// The value of `NOTIFY_SOCKET`.
  let name: String

  struct Failure: Error {
    let code: Int32
  }

  /// A name that begins with `@` is that of an abstract socket.
  init(_ name: String) throws {
    self.name = name
    file = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let code = Self.withAddress(name) { bind(file, $0, $1) }
    guard code == 0 else { throw Failure(code: errno) }
  }

  deinit {
    close(file)
    if !name.hasPrefix("@") { unlink(name) }
  }

  /// The next message; nil if none comes for this long.
  func message(within seconds: Int) -> String? {
    var waiting = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, Int32(seconds) * 1000) > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = recv(file, &bytes, bytes.count, 0)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }

  /// The next messages, fewer if none comes for this long.
  func messages(_ count: Int, within seconds: Int) -> [String] {
    var messages: [String] = []
    while messages.count < count, let message = message(within: seconds) {
      messages.append(message)
    }
    return messages
  }

  /// Sends messages to it until its queue is full.
  func fill() {
    let sender = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    defer { close(sender) }
    var isFull = false
    while !isFull {
      isFull = Self.withAddress(name) { sendto(sender, "full", 4, 0, $0, $1) } < 0
    }
  }

  private static func withAddress<Result>(
    _ name: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(name.utf8)
    if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(length + bytes.count))
      }
    }
  }
}
