/// A file name is ignored, refused, or gives a number that is written the same way again.
func fuzzName(_ start: UnsafePointer<UInt8>, _ count: Int) {
  let name = Array(UnsafeBufferPointer(start: start, count: count))
  for name in [name, name + Array(".sql".utf8)] {
    guard let version = number(of: name) else { continue }
    demand(version > .zero, "a script for version 0")
    let again = number(of: Array("\(version.number).sql".utf8))
    demand(again?.number == version.number, "read twice, and not the same")
  }
}

private func number(of name: [UInt8]) -> Version? {
  name.withUnsafeBufferPointer { bytes in
    do throws(UpgradeError) {
      return try ScriptName.number(of: bytes, at: String(decoding: name, as: UTF8.self))
    } catch {
      _ = error.description
      return nil
    }
  }
}
