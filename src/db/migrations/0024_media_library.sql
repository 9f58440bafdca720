-- migrate: blocks pictures: a company has thousands of pictures at most, and no order reads them
-- migrate: blocks picture_contents: the checked columns are short, and contents are not read
-- The media library: pictures that are kept until they are deleted, PDF files, and links to what other services host.
alter table pictures
  add column kind text not null default 'picture' check (kind in ('picture', 'file', 'link')),
  -- Whether it is in the library and stays until it is deleted, even if nothing shows it.
  add column keep boolean not null default false,
  add column title text not null default '',
  add column alt text not null default '',
  add column tags text[] not null default '{}',
  -- The point that stays visible when the picture is cropped: fractions of its width and height, from its top left corner.
  add column focal_x real,
  add column focal_y real,
  -- Of a link.
  add column link text,
  add column revision int not null default 1;
alter table pictures
  alter column hash drop not null,
  alter column stored_in drop not null,
  alter column width drop not null,
  alter column height drop not null,
  add constraint pictures_kind_columns check (case kind
    when 'picture' then hash is not null and stored_in is not null and width is not null and height is not null and link is null
    when 'file' then hash is not null and stored_in is not null and width is null and height is null and link is null
    else hash is null and stored_in is null and width is null and height is null and link is not null end),
  add constraint pictures_focal_point check ((focal_x is null) = (focal_y is null));
create trigger raise_revision before update on pictures for each row
  execute function raise_revision('ready', 'keep', 'delete_after');

alter table picture_contents
  drop constraint picture_contents_variant_check,
  add constraint picture_contents_variant_check check (variant in ('thumb', 'medium', 'large', 'file')),
  drop constraint picture_contents_content_check,
  add constraint picture_contents_content_check check (octet_length(content) <= 20971520);

-- What is in the library has no time after which it is removed, whichever version of the program writes it.
create function keep_media() returns trigger language plpgsql as $$
begin
  new.delete_after := null;
  return new;
end $$;
create trigger keep_media before update on pictures for each row when (new.keep and new.delete_after is not null)
  execute function keep_media();
