-- What search engines show of a product or a collection; null: its name, and the beginning of its description.
alter table products
  add column seo_title text,
  add column seo_description text;
alter table collections
  add column seo_title text,
  add column seo_description text;
