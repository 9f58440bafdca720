import type { Invariant } from '../../db/invariant.ts';
import { sql } from '../../db/sql.ts';

export const pictureInvariants: Invariant[] = [
  {
    id: 'I2.pictures.kept',
    promise: 'A picture that a product shows is stored, and has no time after which it is removed',
    fix: 'Set delete_after of the picture to null; upload it again where it is not ready',
    violations: sql`
      select u.company_id, 'picture ' || u.picture_id || ' of product ' || u.product_id as subject
      from product_pictures u left join pictures p on p.company_id = u.company_id and p.id = u.picture_id
      where p.id is null or not p.ready or p.delete_after is not null
      limit 1000`,
  },
  {
    id: 'I2.pictures.collections',
    promise: 'A picture that a collection shows is in the media library',
    fix: 'Set the collection’s image_media_id to null with PATCH /collections/{id}',
    violations: sql`
      select c.company_id, 'picture ' || p.id || ' of collection ' || c.id as subject
      from collections c join pictures p on p.company_id = c.company_id and p.id = c.image_media_id
      where p.kind <> 'picture' or not p.ready or not p.keep
      limit 1000`,
  },
  {
    id: 'I2.pictures.linked',
    promise: "A picture that is stored and that a product's images name is noted as shown by the product",
    fix: 'Insert the missing row of product_pictures, and set delete_after of the picture to null',
    violations: sql`
      select p.company_id, 'picture ' || c.id || ' of product ' || p.id as subject
      from products p
      cross join lateral jsonb_array_elements(p.images) as i (image)
      cross join lateral regexp_match(i.image ->> 'url',
        '^[a-z]+://[^/?#]+/pictures/([1-9][0-9]{0,15})/([1-9][0-9]{0,15})-([0-9a-f]{32})/(?:thumb|medium|large)[.]webp(?:$|[?#])') as m (part)
      join pictures c on c.company_id = p.company_id and c.id = m.part[2]::bigint and c.hash = m.part[3] and c.ready
      where p.images::text like '%/pictures/%' and m.part[1]::bigint = p.company_id and not exists (
        select from product_pictures u
        where u.company_id = p.company_id and u.product_id = p.id and u.picture_id = c.id)
      limit 1000`,
  },
  {
    id: 'I2.pictures.released',
    promise: 'A picture that no product shows is removed some day, unless it is in the media library',
    fix: 'Set delete_after of the picture to now()',
    violations: sql`
      select p.company_id, 'picture ' || p.id as subject
      from pictures p
      where p.delete_after is null and not p.keep and not exists (
        select from product_pictures u where u.company_id = p.company_id and u.picture_id = p.id)
      limit 1000`,
  },
  {
    id: 'I2.pictures.library',
    promise: 'What is in the media library has no time after which it is removed',
    fix: 'Set delete_after to null',
    violations: sql`
      select company_id, 'media ' || id as subject from pictures where keep and (delete_after is not null or not ready) limit 1000`,
  },
  {
    id: 'I2.pictures.contents',
    promise: 'A picture that is stored in the database has all its variants, a file its content',
    fix: 'Upload it again',
    violations: sql`
      select p.company_id, 'picture ' || p.id as subject
      from pictures p
      where p.ready and p.stored_in = 'database' and (
        select count(*) from picture_contents c where c.company_id = p.company_id and c.picture_id = p.id) <> case p.kind when 'picture' then 3 else 1 end
      limit 1000`,
  },
];
