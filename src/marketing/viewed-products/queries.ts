import type { Queryable } from '../../db/pool.ts';
import { sql } from '../../db/sql.ts';

const DAYS = 90;
/** How many of a contact's newest events are scanned. */
const MOST_EVENTS = 200;
/** More than are shown, since some may no longer be sold. */
const MOST_VIEWED = 20;

export interface ViewRow {
  contact_id: number;
  product_id: string;
  /** As in the event, with any type. */
  name: unknown;
  price: unknown;
  url: unknown;
  image: unknown;
}

/** The products that contacts viewed, each once per contact, last viewed first. */
export async function findViews(db: Queryable, companyId: number, contactIds: number[], now: Date): Promise<ViewRow[]> {
  const since = new Date(now.getTime() - DAYS * 86_400_000);
  return db.query<ViewRow>(sql`
    select t.id as contact_id, v.product_id, v.data->'product_name' as name, v.data->'price' as price,
      v.data->'url' as url, coalesce(v.data->'image', v.data->'image_url') as image
    from unnest(${contactIds}::bigint[]) as t (id)
    cross join lateral (
      select * from (
        select distinct on (data->>'product_id') data->>'product_id' as product_id, data, occurred_at, event_id
        from (
          select event_id, event_type, occurred_at, data from events
          where company_id = ${companyId} and contact_id = t.id and received_at >= ${since}
          order by event_id desc limit ${MOST_EVENTS}
        ) e
        where event_type = 'product_viewed' and occurred_at >= ${since} and data->>'product_id' <> ''
        order by data->>'product_id', occurred_at desc, event_id desc
      ) latest
      order by occurred_at desc, event_id desc limit ${MOST_VIEWED}
    ) v
    order by t.id, v.occurred_at desc, v.event_id desc`);
}
