.tables
