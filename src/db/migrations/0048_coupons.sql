-- Coupons: promo codes made from a template, each with a text of its own and for one use.
alter table promo_codes
  -- Cannot be used in an order; its code is the beginning of those of its coupons.
  add column is_template boolean not null default false,
  -- Of a template: days after which its coupons end.
  add column valid_days int check (valid_days > 0),
  -- Of a coupon.
  add column template_id bigint,
  add foreign key (company_id, template_id) references promo_codes (company_id, id),
  add check (not (is_template and template_id is not null)),
  add check (valid_days is null or is_template);
-- Lists of a shop's own codes leave out coupons, of which there may be a million.
create index promo_codes_own on promo_codes (company_id, id) where template_id is null;
create index promo_codes_coupons on promo_codes (company_id, template_id, id) where template_id is not null;

-- The coupons in messages: a message that is composed again has the same. No foreign keys, as in the ledger.
create table message_coupons (
  company_id bigint not null references companies,
  message_id bigint not null,
  template_id bigint not null,
  code text not null,
  primary key (company_id, message_id, template_id)
);
