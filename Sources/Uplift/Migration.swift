/// One numbered step: what leads a database from the versions below it to its own.
public struct Migration: Sendable {
  package enum Body: Sendable {
    case file(String)
  }

  /// The version of a database that has been through it.
  public let version: Version
  /// What the step is called: the file's name.
  public let name: String
  package let body: Body
}
