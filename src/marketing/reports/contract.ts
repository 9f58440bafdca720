import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { CalendarDate, Id, Nullable } from '../../lib/schemas.ts';

const tag = 'Reports';

/** The longest period of a report in days. */
export const LONGEST = 366;

const period = { from: Type.Optional(CalendarDate), to: Type.Optional(CalendarDate) };

const changes = {
  subscribed: Type.Integer({ description: 'Joined, or came back' }),
  unsubscribed: Type.Integer(),
};

export const ListGrowth = Type.Object({
  list_id: Nullable(Id),
  from: CalendarDate,
  to: CalendarDate,
  total: Type.Object(changes),
  days: Type.Array(
    Type.Object({
      date: CalendarDate,
      ...changes,
      active: Type.Integer({
        description:
          'At the end of the day: members of the list, or subscribed contacts. Fewer, too, where members were removed, erased or merged, or addresses bounced',
      }),
    }),
  ),
});
export type ListGrowth = Static<typeof ListGrowth>;

const GrowthQuery = Type.Object({ ...period, list_id: Type.Optional(Id) });
export type GrowthQuery = Static<typeof GrowthQuery>;

export const readListGrowth = {
  method: 'GET',
  path: '/reports/list-growth',
  scope: 'marketing:read',
  tag,
  summary: 'Read how a list grew',
  description: `By day in UTC, as in the report of a campaign: of one list, or without \`list_id\` of all contacts. By default the last 30 days, at most ${LONGEST}; later days than today are left out.`,
  query: GrowthQuery,
  data: ListGrowth,
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const reportEndpoints: readonly Endpoint[] = [readListGrowth];
