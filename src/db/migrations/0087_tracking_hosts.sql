-- A host below a sending domain that the links of its e-mails begin with, in place of the installation's.
alter table sending_domains
  add column tracking_host text check (length(tracking_host) between 4 and 253),
  -- Since when the host is in its present state: named, verified, or not any more.
  add column tracking_since timestamptz,
  add check ((tracking_host is null) = (tracking_since is null));
create unique index sending_domains_tracking on sending_domains (company_id, tracking_host);

-- Hosts that were verified, also those that a domain had before: e-mails that were sent lead there.
create table tracking_hosts (
  company_id bigint not null references companies,
  -- In its ASCII form, lower case.
  host text not null check (length(host) between 4 and 253),
  -- Whether it is verified now, so that new e-mails have it. Of one company at a time.
  active boolean not null,
  -- The last time that it became so.
  verified_at timestamptz not null,
  primary key (company_id, host)
);
create unique index tracking_hosts_active on tracking_hosts (host) where active;
call watch_configuration('tracking_hosts');
