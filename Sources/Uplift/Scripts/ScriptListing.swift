internal import UpliftSystem

/// The scripts of a directory, by their names alone, in no order.
///
/// Most of them are applied already: their names stay the bytes that the directory gave, one
/// behind the other, and text is made only of what is to run or to be told.
struct ScriptListing: Sendable {
  let directory: String
  private(set) var versions: [Version] = []
  /// Where each name ends among the bytes of all.
  private var ends: [Int32] = []
  private var bytes: [UInt8] = []
  /// The first in the order of text: which one is told does not depend on the file system.
  private var wrong: (file: String, problem: WrittenNumber.Problem)?

  init(of directory: String) throws(UpgradeError) {
    self.directory = directory
    do {
      try System.forEachName(in: Path(directory)) { add($0) }
    } catch {
      let missing = UpgradeError.missing(.migrations, path: directory)
      throw UpgradeError(error, reading: Path(directory), missing: missing)
    }
    if let wrong {
      throw .scriptName(file: wrong.file, UpgradeError.NameProblem(wrong.problem))
    }
  }

  private mutating func add(_ name: UnsafeBufferPointer<UInt8>) {
    do throws(WrittenNumber.Problem) {
      guard let script = try ScriptName(name) else { return }
      versions.append(script.number.version)
      bytes.append(contentsOf: name)
      ends.append(Int32(bytes.count))
    } catch {
      let file = String(decoding: name, as: UTF8.self)
      if let wrong, wrong.file <= file { return }
      wrong = (file, error)
    }
  }

  private func name(_ index: Int) -> ArraySlice<UInt8> {
    bytes[(index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index])]
  }

  func file(_ index: Int) -> String { String(decoding: name(index), as: UTF8.self) }

  func path(_ index: Int) -> String { directory + "/" + file(index) }

  func migration(_ index: Int) -> Migration {
    let path = path(index)
    return Migration(
      version: versions[index], name: file(index),
      body: .file(Path(directory).appending(name(index))),
      place: SourcePlace(file: path, line: 1))
  }
}
