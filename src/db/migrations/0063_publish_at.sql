-- When a draft becomes active; null: when somebody says so.
alter table products add column publish_at timestamptz;
