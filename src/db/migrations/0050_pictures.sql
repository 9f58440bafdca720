-- Pictures that people uploaded for products. What is shown are its variants, made on upload; the upload itself is not kept.
create table pictures (
  company_id bigint not null references companies,
  id bigint generated always as identity,
  -- SHA-256 of what was uploaded, its first half in hexadecimal: part of the address, and what finds a second upload of the same.
  hash text not null,
  width int not null,
  height int not null,
  -- Of all variants together.
  bytes bigint not null,
  stored_in text not null check (stored_in in ('database', 'bucket')),
  -- Whether its variants are stored. One that is not is shown to nobody.
  ready boolean not null default false,
  -- Null while a product shows it.
  delete_after timestamptz,
  created_at timestamptz not null,
  primary key (company_id, id)
);
create index pictures_hash on pictures (company_id, hash);
create index pictures_delete_after on pictures (delete_after) where delete_after is not null;

-- The bytes of those that are stored in the database.
create table picture_contents (
  company_id bigint not null,
  picture_id bigint not null,
  variant text not null check (variant in ('thumb', 'medium', 'large')),
  content bytea not null check (octet_length(content) <= 10485760),
  primary key (company_id, picture_id, variant)
);
-- WebP does not get smaller.
alter table picture_contents alter column content set storage external;

create table product_pictures (
  company_id bigint not null,
  product_id bigint not null,
  picture_id bigint not null,
  primary key (company_id, product_id, picture_id)
);
create index product_pictures_picture on product_pictures (company_id, picture_id);
