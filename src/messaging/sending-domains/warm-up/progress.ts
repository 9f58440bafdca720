import Type, { type Static } from 'typebox';
import { CalendarDate } from '../../../lib/schemas.ts';

/** How a warm-up delays a campaign. */
export const WarmUpProgress = Type.Object(
  {
    domain: Type.String({ description: 'The sending domain that is warmed up' }),
    today: Type.Integer({ description: 'Marketing e-mails that may be handed over from it today' }),
    handed_over_today: Type.Integer({ description: 'How many were, by all campaigns and flows' }),
    completes_on: Type.Unsafe<string>({
      ...CalendarDate,
      description: 'When the last message goes, if nothing else is sent from the domain',
    }),
  },
  {
    description:
      'How a warm-up of the sender’s domain holds it up; in the response of `GET /campaigns/{id}` alone, and only while it does',
  },
);
export type WarmUpProgress = Static<typeof WarmUpProgress>;
