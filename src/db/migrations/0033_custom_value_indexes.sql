-- migrate: outside-transaction
-- Products by the value of one custom field: what shows a record of the media library. Without the pending list of GIN, which each search
-- would have to read.
create index concurrently if not exists products_custom_values on products using gin (custom jsonb_path_ops)
  with (fastupdate = off) where custom <> '{}';
