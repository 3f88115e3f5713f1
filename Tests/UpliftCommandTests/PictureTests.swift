import Foundation
import TestSupport
import Testing

/// The pictures of the documentation show what is true today.
struct PictureTests {
  private static let package = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static func picture(_ name: String) throws -> String {
    let pictures = package.appendingPathComponent("Sources/Uplift/Uplift.docc")
    return try String(contentsOf: pictures.appendingPathComponent(name), encoding: .utf8)
  }

  @Test func `draw the session of the README`() throws {
    let scratch = try Scratch()
    let products = URL(fileURLWithPath: Command.product("uplift").path).deletingLastPathComponent()
    let script = Self.package.appendingPathComponent("Scripts/terminal-picture").path

    let outcome = try Command(script).run(
      scratch("terminal.svg"), environment: ["PRODUCTS": products.path])

    #expect(outcome == Outcome(status: 0, output: "", errors: ""))
    let drawn = try String(contentsOfFile: scratch("terminal.svg"), encoding: .utf8)
    #expect(try drawn == Self.picture("terminal.svg"), "run Scripts/terminal-picture")
  }

  /// A picture has a file for light pages and one for dark pages.
  @Test(arguments: ["boot", "release", "rows"])
  func `differ in their colours only`(name: String) throws {
    let colour = /#[0-9a-f]{6}/
    let light = try Self.picture("\(name).svg")
    let dark = try Self.picture("\(name)~dark.svg")

    #expect(light != dark)
    #expect(light.replacing(colour, with: "") == dark.replacing(colour, with: ""))
  }
}
