#if canImport(Glibc)
  internal import CUpliftSystem
#elseif canImport(Musl)
  internal import CUpliftSystem
#endif

/// The service manager (systemd) that has started this process and listens to it.
package struct ServiceManager: Sendable {
  /// The name of its socket, with a zero byte in front if the socket is abstract.
  private let socket: [UInt8]

  /// Nil if `NOTIFY_SOCKET` names no socket of this machine.
  package init?() {
    guard let name = System.environmentBytes("NOTIFY_SOCKET"), name.count > 1 else { return nil }
    switch name.first {
    case UInt8(ascii: "/"): socket = name
    case UInt8(ascii: "@"): socket = [0] + name.dropFirst()
    default: return nil
    }
  }

  /// Sends a message without waiting; false if it did not arrive.
  ///
  /// It may fail, because the socket is gone or its queue is full. That is no reason to stop.
  package func send(_ message: String) -> Bool {
    #if os(Linux)
      let bytes = Array(message.utf8)
      return uplift_send_datagram(socket, socket.count, bytes, bytes.count) != 0
    #else
      return false
    #endif
  }
}
