/// Small modules that stand in for packages which tests cannot fetch, and for the program that the
/// pages show.
///
/// They declare what the pages use, as the packages declare it, so that the samples compile. They
/// do nothing. If such a package changes its interface, no test notices.
enum StandIns {
  static let modules = [
    "GRDB": """
    public final class Database {}
    public final class DatabasePool: Sendable {
      public init(path: String) throws {}
      public func read<T: Sendable>(
        _ value: @escaping @Sendable (Database) throws -> T
      ) async throws -> T { try value(Database()) }
    }
    extension Int {
      public static func fetchOne(_ db: Database, sql: String) throws -> Int? { nil }
    }
    """,
    "SQLite": """
    public protocol Binding {}
    extension Int64: Binding {}
    public final class Connection {
      public init(_ filename: String) throws {}
      public func scalar(_ statement: String, _ bindings: Binding?...) throws -> Binding? { nil }
    }
    """,
    "Guestbook": """
    func guests(in path: String) throws -> [String] { [] }
    """,
    "Logging": """
    public struct Logger: Sendable {
      public init(label: String) {}
    }
    """,
    "ServiceLifecycle": """
    import Logging
    public protocol Service: Sendable {
      func run() async throws
    }
    public struct UnixSignal: Sendable {
      public static let sigterm = UnixSignal()
    }
    public actor ServiceGroup {
      public init(
        services: [any Service], gracefulShutdownSignals: [UnixSignal] = [], logger: Logger
      ) {}
      public func run() async throws {}
    }
    """,
  ]
}
