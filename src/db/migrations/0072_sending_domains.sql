-- Domains that a company sends from: the key that signs its e-mails, and what the DNS said of the records at the last check.
create table sending_domains (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  -- In its ASCII form, lower case.
  domain text not null check (length(domain) between 4 and 253),
  -- The DKIM record stands at <selector>._domainkey.<domain>.
  selector text not null check (length(selector) <= 63),
  -- RSA; DER in base64, as the record has it.
  public_key text not null,
  -- PEM, encrypted with the master key; in base64.
  sealed_key text not null,
  state text not null default 'pending' check (state in ('pending', 'verified', 'failing')),
  -- By the purpose of the record: {"dkim": {"state": "found", "found": "v=DKIM1; …"}}
  findings jsonb not null default '{}',
  verified_at timestamptz,
  failing_since timestamptz,
  checked_at timestamptz,
  -- The next check.
  due_at timestamptz not null,
  created_at timestamptz not null,
  primary key (company_id, id),
  unique (company_id, domain),
  check ((state = 'failing') = (failing_since is not null)),
  check (state = 'pending' or verified_at is not null)
);
create index sending_domains_due on sending_domains (company_id, due_at);
call watch_configuration('sending_domains');
