import type { Queryable } from '../../../db/pool.ts';
import { AppError } from '../../../errors.ts';
import { formatTimestamp } from '../../../lib/timestamps.ts';
import { getContact } from '../load.ts';
import type { Timeline, TimelineQuery } from './contract.ts';
import type { EntryKind } from './kinds.ts';
import { findActivityEntries, findEventEntries, findMessageEntries } from './queries.ts';

interface Entry {
  source: 'event' | 'message' | 'activity';
  id: number;
  at: Date;
  type: Timeline['timeline'][number]['type'];
  data: object;
}

/** The id of the last entry of each source on the previous pages. */
type Position = Record<Entry['source'], number>;

const START: Position = {
  event: Number.MAX_SAFE_INTEGER,
  message: Number.MAX_SAFE_INTEGER,
  activity: Number.MAX_SAFE_INTEGER,
};

/** Events, messages and changes of a contact, newest first. Throws not_found, bad_request for an invalid cursor. */
export async function getTimeline(
  db: Queryable,
  companyId: number,
  contactId: number,
  query: TimelineQuery,
): Promise<Timeline> {
  const limit = query.per_page ?? 20;
  const position = query.cursor === undefined ? START : readCursor(query.cursor);
  const [, entries] = await Promise.all([
    getContact(db, companyId, contactId),
    findEntries(db, companyId, contactId, { position, limit: limit + 1, kind: query.kind }),
  ]);
  const page = entries.slice(0, limit);
  const next = { ...position };
  for (const entry of page) next[entry.source] = entry.id;
  return {
    timeline: page.map(({ type, at, data }) => ({ type, at: formatTimestamp(at), data: { ...data } })),
    next_cursor: entries.length > limit ? writeCursor(next) : null,
  };
}

/** The newest entries before the position. */
async function findEntries(
  db: Queryable,
  companyId: number,
  contactId: number,
  { position, limit, kind }: { position: Position; limit: number; kind: EntryKind | undefined },
): Promise<Entry[]> {
  const isAsked = (...kinds: EntryKind[]): boolean => kind === undefined || kinds.includes(kind);
  const ofEvents = kind === undefined ? {} : { of: kind === 'orders' ? ('orders' as const) : ('others' as const) };
  const [events, messages, activity] = await Promise.all([
    isAsked('orders', 'events')
      ? findEventEntries(db, companyId, contactId, { before: position.event, limit, ...ofEvents })
      : [],
    isAsked('messages') ? findMessageEntries(db, companyId, contactId, { before: position.message, limit }) : [],
    isAsked('changes') ? findActivityEntries(db, companyId, contactId, { before: position.activity, limit }) : [],
  ]);
  return merged(
    [
      events.map((row) => ({ ...row, source: 'event', type: 'event' })),
      messages.map((row) => ({ ...row, source: 'message', type: 'message' })),
      activity.map((row) => ({ ...row, source: 'activity' })),
    ],
    limit,
  );
}

/** Merges the sources by time. Keeps the order by id within each source, on which the cursor depends. */
function merged(sources: Entry[][], limit: number): Entry[] {
  const entries: Entry[] = [];
  while (entries.length < limit) {
    const open = sources.filter((source) => source.length > 0);
    if (open.length === 0) break;
    const newest = open.reduce((best, source) => (source[0]!.at > best[0]!.at ? source : best));
    entries.push(newest.shift()!);
  }
  return entries;
}

function writeCursor({ event, message, activity }: Position): string {
  return [event, message, activity].map((id) => id.toString(36)).join('-');
}

function readCursor(cursor: string): Position {
  const ids = cursor.split('-').map((id) => (/^[0-9a-z]{1,11}$/.test(id) ? Number.parseInt(id, 36) : Number.NaN));
  const [event, message, activity] = ids;
  if (ids.length !== 3 || !ids.every(Number.isSafeInteger)) {
    throw new AppError('bad_request', 'cursor must be a next_cursor of this timeline');
  }
  return { event: event!, message: message!, activity: activity! };
}
