import type { Queryable } from '../../db/pool.ts';
import { AppError } from '../../errors.ts';
import { RawJson } from '../../lib/raw-json.ts';
import { parseTimestamp } from '../time.ts';
import type { EventQuery } from './contract.ts';
import * as queries from './queries.ts';

/** A page of events, the last received first, and the cursor of the next page. */
export async function listEvents(
  db: Queryable,
  companyId: number,
  query: EventQuery,
): Promise<{ events: RawJson[]; perPage: number; nextCursor: string | null }> {
  const perPage = query.per_page ?? 20;
  const rows = await queries.listEvents(db, companyId, {
    contactId: query.contact_id,
    eventType: query.event_type,
    from: momentOf('from', query.from),
    to: momentOf('to', query.to),
    before: query.cursor === undefined ? undefined : Number(query.cursor),
    limit: perPage + 1,
  });
  const events = rows.slice(0, perPage);
  const nextCursor = rows.length > perPage ? String(events.at(-1)!.event_id) : null;
  return { events: events.map((row) => new RawJson(row.json)), perPage, nextCursor };
}

function momentOf(name: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const moment = parseTimestamp(text);
  if (moment === null) throw new AppError('bad_request', `${name} must be YYYY-MM-DD HH:MM:SS (UTC) or ISO 8601`);
  return moment;
}
