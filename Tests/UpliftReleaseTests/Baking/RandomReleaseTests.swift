import Foundation
import TestSupport
import Testing
import Uplift
import UpliftRelease
import UpliftSQLite

/// Random releases, whose versions are compared by the text of their schemas as well.
///
/// `UPLIFT_ROUNDS=1000 swift test --filter RandomReleaseTests` tries as many others.
struct RandomReleaseTests {
  private static let seeds: [UInt64] = {
    let rounds = ProcessInfo.processInfo.environment["UPLIFT_ROUNDS"].flatMap { Int($0) }
    guard let rounds else { return (1...200).map { UInt64($0) } }
    return (0..<rounds).map { _ in UInt64.random(in: 0...UInt64.max) }
  }()

  private struct Figures {
    var cases = 0
    var adopted = 0
    var several = 0
    var none = 0
  }

  /// Two halves, so that they use two cores.
  @Test(.tags(.promise16, .O15), arguments: [0, 1])
  func `a database gets its own version, or none`(half: Int) throws {
    var figures = Figures()
    let memory = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : nil
    for index in stride(from: half, to: Self.seeds.count, by: 2) {
      let seed = Self.seeds[index]
      let scratch = try Scratch(in: memory)
      let release = try RandomRelease(seed, in: scratch)
      do {
        try check(release, &figures)
      } catch {
        Issue.record("seed \(seed): \(error)\n\(release.story.joined(separator: "\n"))")
      }
    }
    print(
      "figures: adopt, half \(half): \(figures.cases) cases: \(figures.adopted) adopted, "
        + "\(figures.several) with several versions, \(figures.none) with none")
    #expect(figures.adopted > figures.cases / 6)
    #expect(figures.several > figures.cases / 20)
    #expect(figures.none > figures.cases / 20)
  }

  private struct Wrong: Error {
    let words: String
    init(_ words: String) { self.words = words }
  }

  private func check(_ release: RandomRelease, _ figures: inout Figures) throws {
    let fitting = try release.fitting()
    if let truth = release.truth, truth > 0,
      try !release.fitting(withEmpty: true).contains(Version(integerLiteral: Int32(truth)))
    {
      throw Wrong("the test does not know the version itself")
    }
    try checkClaim(release)
    let before = FileManager.default.contents(atPath: release.database)
    figures.cases += 1
    switch Result(catching: { () throws(AdoptionFailure) in try release.upgrader.adopt() }) {
    case .success(let adoption):
      let version = adoption.version
      guard [version] == fitting else { throw Wrong("adopted as \(version), not \(fitting)") }
      guard try release.upgrader.verify()?.fits == true else { throw Wrong("does not fit") }
      figures.adopted += 1
    case .failure(let error):
      guard isRight(error, fitting, otherSeed: release.otherSeed) else {
        throw Wrong("\(error), and it fits \(fitting)")
      }
      guard FileManager.default.contents(atPath: release.database) == before else {
        throw Wrong("refused and changed")
      }
      if fitting.isEmpty { figures.none += 1 } else { figures.several += 1 }
      if error.differences.isEmpty, !error.versions.isEmpty {
        try insist(release, fitting, offered: error.versions)
      }
    }
  }

  /// Insists on a version that neither fits nor was offered, and on one that fits.
  private func insist(
    _ release: RandomRelease, _ fitting: [Version], offered: [Version]
  ) throws {
    let versions = Set(release.schemas.map { Version(integerLiteral: Int32($0.version)) })
    if let wrong = versions.subtracting(fitting).subtracting(offered).max(), wrong > 0 {
      let result = Result { () throws(AdoptionFailure) in
        try release.upgrader.adopt(version: wrong)
      }
      guard case .failure = result else { throw Wrong("insisted on \(wrong)") }
    }
    guard let right = fitting.last, right > 0 else { return }
    guard try release.upgrader.adopt(version: right).version == right else {
      throw Wrong("insisted on \(right) in vain")
    }
  }

  private func isRight(
    _ failure: AdoptionFailure, _ fitting: [Version], otherSeed: Int
  ) -> Bool {
    let (words, versions) = (failure.error.message, failure.versions)
    if words.contains(" has the schema of no version") { return fitting.isEmpty }
    if !versions.isEmpty {
      return versions == fitting
        || fitting.allSatisfy(versions.contains)
          && versions.allSatisfy { fitting.contains($0) || $0.number < otherSeed }
    }
    return words.hasSuffix("is at 0 because no script has run on it") && fitting == [0]
      || words.contains(" holds nothing, ")
  }

  /// Compares what `verify` says about a version that the database claims.
  private func checkClaim(_ release: RandomRelease) throws {
    guard let claim = release.schemas.last?.version, claim > 0 else { return }
    let connection = try RandomRelease.open(release.database)
    try connection.run("PRAGMA user_version = \(claim)")
    let fits = try release.fitting(withEmpty: true)
      .contains(Version(integerLiteral: Int32(claim)))
    let result = try release.upgrader.verify()
    try connection.run("PRAGMA user_version = 0")
    guard result?.fits == fits else {
      throw Wrong("fits \(claim): \(fits), and verify finds \(result?.differences ?? [])")
    }
  }
}
