-- Pictures that imported products have by URL. They are fetched in the background and stored; the product then shows the stored one.
create table picture_fetches (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  product_id bigint not null,
  -- As in the file. A later import of it finds the stored picture by this.
  url text not null,
  state text not null check (state in ('pending', 'done', 'failed')),
  attempts int not null default 0,
  -- Also the lease: a worker that takes it moves this forward.
  due_at timestamptz not null,
  -- What the product shows in place of `url`, once that is done.
  stored_url text,
  primary key (company_id, id)
);
-- By a hash, since a URL may be too long for an index.
create unique index picture_fetches_url on picture_fetches (company_id, md5(url), product_id);
create index picture_fetches_product on picture_fetches (company_id, product_id);
create index picture_fetches_due on picture_fetches (company_id, due_at) where state = 'pending';
