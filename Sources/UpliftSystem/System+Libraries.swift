#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Files with code that are loaded into this process.
extension System {
  /// The system's words if it cannot load such a file; nil if it can.
  ///
  /// The corresponding C functions are `dlopen` and `dlerror`.
  package static func words(onLoading path: Path) -> String? {
    if let library = path.withCString({ dlopen($0, RTLD_NOW) }) {
      dlclose(library)
      return nil
    }
    guard let words = dlerror().map({ String(cString: $0) }) else { return nil }
    let place = path.shown + ": "
    return words.hasPrefix(place) ? String(words.dropFirst(place.count)) : words
  }
}
