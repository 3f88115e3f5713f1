import Foundation
import TestSupport
import Testing

/// The Swift that the pages show compiles.
struct SampleTests {
  /// What the samples take as given: they are parts of a program.
  private static let given = """
    import Foundation
    import ServiceLifecycle
    import Uplift

    let upgrader = Upgrader(database: "guestbook.db")
    let arguments = CommandLine.arguments.dropFirst()
    let path = "guestbook.db"
    func serve() async throws {}
    struct Server: Service {
      func run() async throws {}
    }
    let server = Server()

    /// SwiftPM writes this for a target with embedded resources.
    enum PackageResources {
      static let guestbook_db: [UInt8] = []
      static let _002_add_visits_sql: [UInt8] = []
      static let _003_index_guests_sql: [UInt8] = []
    }

    /// SwiftPM writes this for a target with copied resources.
    extension Bundle {
      static let module = Bundle.main
    }

    #if !canImport(Darwin)
      /// Only Apple's Foundation has it.
      extension URL {
        static var applicationSupportDirectory: URL { URL(fileURLWithPath: "support") }
      }
    #endif
    """

  @Test func `compile, each as a part of a program`() throws {
    let scratch = try Scratch()
    for (name, text) in StandIns.modules.sorted(by: { $0.key < $1.key }) {
      let source = try scratch.write(text, to: "\(name).swift")
      let outcome = try Self.swiftc(
        "-emit-module", "-enable-testing", "-parse-as-library", "-module-name", name, "-I",
        scratch.path,
        "-o", scratch("\(name).swiftmodule"), source)
      try #require(outcome.status == 0, "\(outcome.errors)")
    }
    var files = [try scratch.write(Self.given, to: "samples/Given.swift")]
    for (name, ways) in Page.ways.sorted(by: { $0.key < $1.key }) {
      for (block, way) in zip(try Page.named(name).blocks, ways) where way.isCompiled {
        // The name of the file is the place in the page, for the compiler's messages.
        files.append(
          try scratch.write(Self.file(of: block, way), to: "samples/\(name):\(block.line).swift"))
      }
    }

    let outcome = try Self.swiftc(
      arguments: ["-typecheck", "-parse-as-library", "-swift-version", "6", "-I", scratch.path]
        + Self.uplift + Self.testing + files)

    #expect(files.count > 15)
    #expect(outcome.status == 0, "\(outcome.errors)")
    // Any other warning is about a value that a sample does not use.
    #expect(!outcome.errors.contains("@retroactive"), "\(outcome.errors)")
  }

  @Test func `of another tool can be read by the compiler`() throws {
    let scratch = try Scratch()
    var files: [String] = []
    for (name, ways) in Page.ways {
      for (block, way) in zip(try Page.named(name).blocks, ways) where block.language == "swift" {
        guard case .otherTool = way else { continue }
        files.append(try scratch.write(block.text, to: "\(name):\(block.line).swift"))
      }
    }

    #expect(!files.isEmpty)
    for file in files {
      let outcome = try Self.swiftc(arguments: ["-parse", file])
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
  }

  /// A file that compiles as a part of a program without top-level code.
  private static func file(of block: Page.Block, _ way: Way) -> String {
    var lines = block.text.split(separator: "\n", omittingEmptySubsequences: false)
    guard case .declarations = way else {
      let isImport = { (line: Substring) in line.hasPrefix("import ") }
      let imports = lines.filter(isImport)
      lines.removeAll(where: isImport)
      return """
        import Foundation
        import Uplift
        \(imports.joined(separator: "\n"))
        private func sample() \(block.text.contains("await") ? "async " : "")throws {
        \(lines.joined(separator: "\n"))
        }
        """
    }
    return block.text
  }

  private static func swiftc(_ arguments: String...) throws -> Outcome {
    try swiftc(arguments: arguments)
  }

  private static func swiftc(arguments: [String]) throws -> Outcome {
    try Command("/usr/bin/env").run(arguments: ["swiftc"] + arguments)
  }

  /// The modules of this build.
  static var uplift: [String] {
    let products = URL(fileURLWithPath: Command.product("uplift").path).deletingLastPathComponent()
    let sources = Page.package.appendingPathComponent("Sources")
    return [
      "-I", products.appendingPathComponent("Modules").path,
      "-I", sources.appendingPathComponent("CUpliftSQLite").path,
      "-I", sources.appendingPathComponent("CUpliftSystem").path,
    ]
  }

  /// The macros of Swift Testing are a plug-in of the toolchain.
  private static var testing: [String] {
    get throws {
      let information = try Command("/usr/bin/env").run("swiftc", "-print-target-info").output
      let paths = try JSONDecoder().decode(Toolchain.self, from: Data(information.utf8)).paths
      return ["-plugin-path", paths.runtimeResourcePath + "/host/plugins/testing"]
    }
  }

  private struct Toolchain: Decodable {
    struct Paths: Decodable {
      let runtimeResourcePath: String
    }
    let paths: Paths
  }
}
