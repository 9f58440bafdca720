-- migrate: blocks collections: a shop has a few hundred at most, and no order reads them
-- Categories and pictures wait meanwhile, too. Only names that change are written.
-- Categories have a description, a place and a revision; collections show a picture of the media library.
alter table categories
  add column description text not null default '',
  -- Categories are listed by position, then by name.
  add column position int not null default 0,
  add column revision bigint not null default 1,
  add column updated_at timestamptz not null default now();
-- A generated name begins with a capital: summer-shoes is "Summer shoes".
update categories set
  name = upper(left(slug, 1)) || substr(replace(slug, '-', ' '), 2),
  updated_at = created_at
where name = initcap(replace(slug, '-', ' '))
  and name <> upper(left(slug, 1)) || substr(replace(slug, '-', ' '), 2);
create trigger raise_revision before update on categories for each row
  execute function raise_revision('updated_at');

alter table collections
  add column image_media_id bigint,
  add constraint collections_image_fkey foreign key (company_id, image_media_id) references pictures (company_id, id);
create index collections_image on collections (company_id, image_media_id) where image_media_id is not null;
