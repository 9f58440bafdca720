-- Tagging in bulk is taken back: which contacts an action changed, as many in a row as share a transaction, kept for 7 days.
create table bulk_action_changes (
  company_id bigint not null references companies,
  bulk_action_id bigint not null,
  -- The last of the ids, which go up.
  last_id bigint not null,
  contact_ids bigint[] not null,
  created_at timestamptz not null,
  primary key (company_id, bulk_action_id, last_id)
);
create index bulk_action_changes_age on bulk_action_changes (created_at);

-- {"tag": "vip", "of": 7, "add": true}: takes the tag from the contacts to which action 7 added it.
alter table bulk_actions drop constraint bulk_actions_action_check;
alter table bulk_actions add constraint bulk_actions_action_check check (action in
  ('ship_orders', 'archive_products', 'restore_products', 'tag_contacts', 'untag_contacts', 'undo_tagging'));
