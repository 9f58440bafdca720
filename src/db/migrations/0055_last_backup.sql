-- When `tradeloom backup` last began a backup that it finished; null where another tool makes them.
alter table installation add column last_backup_at timestamptz;
