import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { CalendarDate, Nullable, OneOf } from '../../lib/schemas.ts';
import { PAUSE_REASONS } from './rates.ts';

const Moment = Type.String({ description: 'YYYY-MM-DD HH:MM:SS, UTC' });

export const Deliverability = Type.Object({
  state: OneOf(['ok', 'warning', 'paused'] as const, {
    description:
      'warning: a rate is above half of its limit. paused: one was above its limit, and no marketing e-mail is sent until `resume`',
  }),
  reason: Nullable(OneOf(PAUSE_REASONS, { description: 'The rate that the warning or the pause is for' })),
  paused_at: Nullable(Moment),
  resumed_at: Nullable(
    Type.String({
      description: 'YYYY-MM-DD HH:MM:SS, UTC: when the last pause ended; earlier messages do not count',
    }),
  ),
  from: CalendarDate,
  to: CalendarDate,
  sent: Type.Integer({
    description: 'E-mails of all kinds in the period of `from` to `to` (UTC): receivers make no difference',
  }),
  bounced: Type.Integer({ description: 'Hard bounces' }),
  complained: Type.Integer(),
  bounce_rate: Type.Number({ description: 'Of the e-mails that were tried, from 0 to 1' }),
  complaint_rate: Type.Number({ description: 'Of the e-mails that were delivered, from 0 to 1' }),
  limits: Type.Object({
    bounce_rate: Type.Number(),
    complaint_rate: Type.Number(),
    least_messages: Type.Integer({ description: 'Of fewer e-mails no rate is judged' }),
  }),
});
export type Deliverability = Static<typeof Deliverability>;

export const getDeliverability = {
  method: 'GET',
  path: '/deliverability',
  scope: 'marketing:read',
  tag: 'Deliverability',
  summary: 'Read bounce and complaint rates with their limits',
  description: 'Of the last seven days, or since the last pause ended; during a pause, the rates at its start.',
  data: Deliverability,
  status: 200,
} as const satisfies Endpoint;

export const resumeSending = {
  method: 'POST',
  path: '/deliverability/resume',
  scope: 'marketing:write',
  tag: 'Deliverability',
  summary: 'End the pause of marketing e-mail',
  description:
    'Resumes the campaigns that were paused, and sends held e-mails of flows unless they are too late. The rates start again from zero. Without a pause, nothing changes.',
  data: Deliverability,
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const deliverabilityEndpoints: readonly Endpoint[] = [getDeliverability, resumeSending];
