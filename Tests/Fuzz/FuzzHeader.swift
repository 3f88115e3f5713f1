/// A seed's header is refused, or has a version and a size that fit.
func fuzzHeader(_ start: UnsafePointer<UInt8>, _ count: Int) {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  // The first two bytes say how much larger the file is than these bytes.
  let size = Int64(count) + (count < 2 ? 0 : Int64(bytes[0]) * 512 * Int64(bytes[1]))
  for bytes in [bytes, Array(bytes.dropFirst(2))] {
    let head = Array(bytes.prefix(DatabaseHeader.size))
    guard let header = try? DatabaseHeader(head, fileSize: size) else { continue }
    demand(header.version >= .zero && size % 512 == 0, "not a database's header")
  }
}
