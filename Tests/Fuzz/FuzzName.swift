/// File names: passed over, refused, or a number that is written the same way again.
func fuzzName(_ start: UnsafePointer<UInt8>, _ count: Int) {
  let file = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  do {
    for file in [file, file + ".sql"] {
      guard let name = try ScriptName(file: file) else { continue }
      let version = name.number.version
      demand(version > .zero, "a script for version 0")
      let again = try ScriptName(file: "\(version).sql")
      demand(again?.number.version.number == version.number, "read twice, and not the same")
    }
  } catch {
    _ = error.description
    _ = error.remedy
  }
}
