-- Links that are mailed to people who have forgotten their password. No stored row violates the longer list.
-- migrate: blocks admin_sign_ins: it holds the links of the last hour, a few rows
alter table admin_sign_ins drop constraint admin_sign_ins_kind_check,
  add constraint admin_sign_ins_kind_check check (kind in ('operator', 'magic', 'set_password', 'reset_password'));

-- The hash of the link that the inviter sees while another one is mailed: it works as well, but proves no address.
alter table invitations add column shown_hash bytea unique;
