import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../../http/api/endpoint.ts';
import { CalendarDate, Id, Nullable, OneOf } from '../../../lib/schemas.ts';

/** Without drafts, which have no date, and cancelled campaigns, which do not take place. */
export const SHOWN_STATUSES = ['scheduled', 'sending', 'paused', 'sent', 'failed'] as const;

export const CampaignCalendar = Type.Object({
  from: CalendarDate,
  to: CalendarDate,
  time_zone: Type.String({ description: "The shop's, in which the days are" }),
  campaigns: Type.Array(
    Type.Object({
      campaign_id: Id,
      name: Type.String(),
      type: OneOf(['email', 'sms'] as const),
      status: OneOf(SHOWN_STATUSES),
      date: CalendarDate,
      at: Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC: when it began, else when it is to begin' }),
      recipients: Nullable(Type.Integer({ description: 'As last counted; null before that' })),
    }),
    { description: 'In the order of `at`' },
  ),
  complete: Type.Boolean({ description: 'false where there are more than 500: the rest is left out' }),
});
export type CampaignCalendar = Static<typeof CampaignCalendar>;

export const CalendarQuery = Type.Object({
  from: Type.Optional(CalendarDate),
  to: Type.Optional(CalendarDate),
});
export type CalendarQuery = Static<typeof CalendarQuery>;

export const getCampaignCalendar = {
  method: 'GET',
  path: '/campaigns/calendar',
  scope: 'marketing:read',
  tag: 'Campaigns',
  summary: 'List the campaigns of some days',
  description:
    "Scheduled, sending, paused, sent and failed campaigns by day in the shop's time zone. By default the next six weeks, at most 62 days.",
  query: CalendarQuery,
  data: CampaignCalendar,
  status: 200,
} as const satisfies Endpoint;
