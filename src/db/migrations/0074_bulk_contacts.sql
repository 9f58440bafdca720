-- Bulk actions on contacts and on archived products, and what an action is given beside the filters: {"tag": "vip"}.
alter table bulk_actions drop constraint bulk_actions_action_check;
alter table bulk_actions add constraint bulk_actions_action_check
  check (action in ('ship_orders', 'archive_products', 'restore_products', 'tag_contacts', 'untag_contacts'));
alter table bulk_actions add column input jsonb not null default '{}';
