extension String {
  /// The path of an entry of this directory.
  func appending(component name: String) -> String {
    utf8.last == UInt8(ascii: "/") ? self + name : self + "/" + name
  }
}
