import Type, { type Static } from 'typebox';
import type { FieldError } from '../../../errors.ts';

/** How a campaign is spread over time. */
export const Batches = Type.Object(
  {
    size: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10_000_000, description: 'Messages in a batch; or `count`, not both' }),
    ),
    count: Type.Optional(
      Type.Integer({ minimum: 2, maximum: 1_000, description: 'The number of batches, of equal size; or `size`' }),
    ),
    minutes: Type.Integer({
      minimum: 1,
      maximum: 10_080,
      description: 'From the start of a batch to that of the next',
    }),
  },
  {
    description:
      'Send the messages in batches: the first when all are written, the next after `minutes`. `{"size": 5000, "minutes": 60}` sends 5,000 an hour. Not with `ab_test`, `send_in_contact_time_zone` or `holdout_percent`',
  },
);
export type Batches = Static<typeof Batches>;

/** How far a campaign in batches is, as it is stored. */
export interface BatchState {
  size: number;
  /** Messages of the current batch that are still to be released. */
  left: number;
  /** Messages that were released, in all batches. */
  released: number;
  /** When the next batch begins: ISO 8601. */
  next_at: string;
}

const MINUTE_MS = 60_000;

export function batchErrors({
  batches,
  ab_test,
  send_in_contact_time_zone,
  holdout_percent,
}: {
  batches: Batches | null;
  ab_test: unknown;
  send_in_contact_time_zone: boolean;
  holdout_percent: number;
}): FieldError[] {
  if (batches === null) return [];
  const errors: FieldError[] = [];
  const fail = (message: string): void => void errors.push({ field: 'batches', code: 'invalid', message });
  if ((batches.size === undefined) === (batches.count === undefined)) fail('batches must have a size or a count');
  if (ab_test !== null) fail('batches would delay the test: it does not go with ab_test');
  if (send_in_contact_time_zone) fail('batches does not go with send_in_contact_time_zone: each has times of its own');
  if (holdout_percent > 0)
    fail('batches does not go with holdout_percent: orders of both groups are compared from the start on');
  return errors;
}

/** The messages in each batch of that many. */
export function sizeOf({ size, count = 1 }: Batches, recipients: number): number {
  return size ?? Math.max(1, Math.ceil(recipients / count));
}

/** The batches of that many recipients, and the minutes from the first to the last. */
export function planOf(batches: Batches, recipients: number): { count: number; size: number; takes_minutes: number } {
  const size = sizeOf(batches, recipients);
  const count = Math.ceil(recipients / size);
  return { count, size, takes_minutes: Math.max(0, count - 1) * batches.minutes };
}

/** The state in which the current batch begins, if its time has come. After a pause the rhythm starts anew: no batch is made up for. */
export function begun(batches: Batches, before: BatchState | null, recipients: number, now: Date): BatchState {
  const state = before ?? { size: sizeOf(batches, recipients), left: 0, released: 0, next_at: now.toISOString() };
  const at = new Date(state.next_at).getTime();
  if (state.left > 0 || at > now.getTime()) return state;
  const next = at + batches.minutes * MINUTE_MS;
  const next_at = next > now.getTime() ? next : now.getTime() + batches.minutes * MINUTE_MS;
  return { ...state, left: state.size, next_at: new Date(next_at).toISOString() };
}

/** When the next batch and the last one begin; both null if none is left, and while the campaign is paused. */
export function timesOf(
  { minutes }: Batches,
  { size, left, released, next_at }: BatchState,
  { recipients, isPaused }: { recipients: number; isPaused: boolean },
): { next_at: Date | null; ends_at: Date | null } {
  const waiting = Math.ceil(Math.max(0, recipients - released - left) / size);
  if (waiting === 0 || isPaused) return { next_at: null, ends_at: null };
  const next = new Date(next_at);
  return { next_at: next, ends_at: new Date(next.getTime() + (waiting - 1) * minutes * MINUTE_MS) };
}
