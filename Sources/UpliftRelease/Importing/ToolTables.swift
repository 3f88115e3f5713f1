internal import UpliftSQLite

/// The tables in which other tools list the steps that have run.
///
/// `uplift new --import` takes over the scripts of most of these tools. People write those of the
/// others anew by hand; their databases have such a table as well.
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
      // Django
      "django_migrations",
      // Entity Framework
      "__EFMigrationsHistory", "__EFMigrationsLock",
      // Fluent
      "_fluent_migrations",
      // Flyway; the second name was used before release 5
      "flyway_schema_history", "schema_version",
      "goose_db_version",
      "grdb_migrations",
      // knex
      "knex_migrations", "knex_migrations_lock",
      // Liquibase
      "databasechangelog", "databasechangeloglock",
      "micrate_db_version",
      // MyBatis
      "changelog",
      // Node's sqlite and rambler
      "migrations",
      // Play
      "play_evolutions", "play_evolutions_lock",
      // Prisma
      "_prisma_migrations",
      // Rails, besides `schema_migrations`
      "ar_internal_metadata",
      // refinery
      "refinery_schema_history",
      // Room, and Android's own
      "room_master_table", "android_metadata",
      // SeaORM
      "seaql_migrations",
      // Sequelize
      "SequelizeMeta",
      // sql-migrate
      "gorp_migrations",
      // sqlx
      "_sqlx_migrations",
      // yoyo
      "_yoyo_log", "_yoyo_migration", "_yoyo_version", "yoyo_lock",
    ].map { Name($0) })
}
