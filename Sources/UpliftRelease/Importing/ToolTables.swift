internal import UpliftSQLite

/// The tables in which other tools list the steps that have run.
///
/// `uplift new --import` takes over the scripts of these tools, so their databases have such a
/// table. It reads no scripts of Alembic; people write those anew by hand.
enum ToolTables {
  static let names: Set<Name> = Set(
    [
      // Alembic
      "alembic_version",
      // Cloudflare's D1
      "d1_migrations",
      // dbmate and golang-migrate
      "schema_migrations",
      // Diesel
      "__diesel_schema_migrations",
      // Drizzle
      "__drizzle_migrations",
      // Flyway; the second name was used before release 5
      "flyway_schema_history", "schema_version",
      "goose_db_version",
      "micrate_db_version",
      // MyBatis
      "changelog",
      // Node's sqlite and rambler
      "migrations",
      // Play
      "play_evolutions", "play_evolutions_lock",
      // Prisma
      "_prisma_migrations",
      // refinery
      "refinery_schema_history",
      // sql-migrate
      "gorp_migrations",
      // sqlx
      "_sqlx_migrations",
      // yoyo
      "_yoyo_log", "_yoyo_migration", "_yoyo_version", "yoyo_lock",
    ].map { Name($0) })
}
