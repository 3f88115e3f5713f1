/// File names: passed over, refused, or a number that is written the same way again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let file = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  do {
    for file in [file, file + ".sql"] {
      guard let name = try ScriptName(file: file) else { continue }
      let version = name.number.version
      demand(version > .zero, "a script for version 0")
      guard !name.number.isDotted else { continue }
      let again = try ScriptName(file: "\(version).sql")
      demand(again?.number.version == version, "read twice, and not the same")
    }
  } catch {
    _ = error.description
    _ = error.remedy
  }
  return 0
}
