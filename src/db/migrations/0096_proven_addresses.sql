-- When the person proved that the e-mail address is theirs: they used a link that was mailed to it and shown to nobody. null: not yet.
alter table persons add column proven_at timestamptz;
-- Whether the link was mailed to the address and shown to nobody, so that using it proves the address.
alter table invitations add column mailed boolean not null default false;
-- Codes of authenticator apps that were tried with the link.
alter table admin_sign_ins add column codes_tried smallint not null default 0;
-- Whose domain a sender has, of all companies.
create index sending_domains_domain on sending_domains (domain) where state <> 'pending';
