import Foundation
import TestSupport
import Testing
import UpliftRelease

/// Only the section of a file that goes up is kept.
struct ImportSectionTests {
  /// A file with two sections, and the part that is kept.
  static let sections: [(text: String, kept: String)] = [
    // goose.
    (
      "-- why\n-- +goose Up\nSELECT 1;\n\n-- +goose Down\nSELECT 2;\n",
      "-- why\n-- +goose Up\nSELECT 1;\n\n"
    ),
    (
      "--+goose UP\r\nSELECT 1;\r\n  -- +goose   down\r\nSELECT 2;",
      "--+goose UP\r\nSELECT 1;\r\n"
    ),
    (
      "-- +goose NO TRANSACTION\n-- +goose Up\nVACUUM;\n-- +goose Down\n",
      "-- uplift: no-transaction\n-- +goose NO TRANSACTION\n-- +goose Up\nVACUUM;\n"
    ),
    ("-- +goose Up\nSELECT 1;\n-- up\n-- down\n", "-- +goose Up\nSELECT 1;\n-- up\n-- down\n"),
    // dbmate.
    ("-- migrate:up\nSELECT 1;\n\n-- migrate:down\nSELECT 2;\n", "-- migrate:up\nSELECT 1;\n\n"),
    (
      "\u{feff}-- migrate:up transaction:false\nVACUUM;\n-- migrate:down transaction:false\n",
      "\u{feff}-- uplift: no-transaction\n-- migrate:up transaction:false\nVACUUM;\n"
    ),
    (
      "-- migrate:up transaction:true\nSELECT 1;\n-- migrate:down",
      "-- migrate:up transaction:true\nSELECT 1;\n"
    ),
    // sql-migrate.
    ("-- +migrate Up\nSELECT 1;\n-- +migrate Down\nSELECT 2;\n", "-- +migrate Up\nSELECT 1;\n"),
    (
      "-- +migrate Up notransaction\nVACUUM;\n-- +migrate Down notransaction\nSELECT 2;\n",
      "-- uplift: no-transaction\n-- +migrate Up notransaction\nVACUUM;\n"
    ),
    // sqlx.
    // It changes no value, so it may run twice; any other script runs in a transaction.
    (
      "-- +goose NO TRANSACTION\n-- +goose Up\nPRAGMA auto_vacuum = 2;\nDELETE FROM a; VACUUM;",
      "-- +goose NO TRANSACTION\n-- +goose Up\nPRAGMA auto_vacuum = 2;\nDELETE FROM a; VACUUM;"
    ),
    (
      "-- +goose NO TRANSACTION\n-- +goose Up\nSELECT 1;\n-- +goose Down\nVACUUM;\n",
      "-- +goose NO TRANSACTION\n-- +goose Up\nSELECT 1;\n"
    ),
    ("-- no-transaction\nVACUUM;", "-- uplift: no-transaction\n-- no-transaction\nVACUUM;"),
    // Drizzle, and no tool at all.
    (
      "SELECT 1;\n--> statement-breakpoint\nSELECT 2;",
      "SELECT 1;\n--> statement-breakpoint\nSELECT 2;"
    ),
    ("SELECT 1; -- migrate:down\n", "SELECT 1; -- migrate:down\n"),
    ("SELECT 1;\n-- down the road\n", "SELECT 1;\n-- down the road\n"),
    // Without a statement.
    ("-- +goose NO TRANSACTION\n-- +goose Up\n", "-- +goose NO TRANSACTION\n-- +goose Up\n"),
    ("-- +goose Up\n-- +goose Down\nSELECT 2;\n", "-- +goose Up\n"),
  ]

  @Test(arguments: sections.indices)
  func `keeps the section that goes up, and says what runs without a transaction`(row: Int) throws {
    let (text, kept) = Self.sections[row]
    let old = try OldScripts(["1_a.sql": text])

    #expect(old.refusals() == [])

    #expect(Array(old.written["0001_a.sql"]?.utf8 ?? "".utf8) == Array(kept.utf8))
  }
}
