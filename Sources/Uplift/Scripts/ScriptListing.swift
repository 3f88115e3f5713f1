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
      try System.forEachName(in: directory) { add($0) }
    } catch {
      throw error.isNotThere
        ? .missing(.migrations, path: directory) : UpgradeError(error, at: directory)
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

  func file(_ index: Int) -> String {
    let start = index == 0 ? 0 : Int(ends[index - 1])
    return String(decoding: bytes[start..<Int(ends[index])], as: UTF8.self)
  }

  func path(_ index: Int) -> String { directory + "/" + file(index) }

  func migration(_ index: Int) -> Migration {
    let path = path(index)
    return Migration(
      version: versions[index], name: file(index), body: .file(path),
      place: SourcePlace(file: path, line: 1))
  }
}
