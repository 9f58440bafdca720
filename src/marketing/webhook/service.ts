import type { Caller } from '../../caller.ts';
import { AppError, validationFailed } from '../../errors.ts';
import { MAX_BATCH } from '../events/contract.ts';
import type { BatchOutcome, EventsService } from '../events/service.ts';
import {
  createSenderVerification,
  type Sender,
  type SenderVerification,
  type SenderVerificationDeps,
} from './sender.ts';

export { type BodyOnlySender, findBodyOnlySenders } from './queries.ts';
export { changeWebhookSettings, webhookSettingsOf } from './settings.ts';

export interface Received {
  received: true;
  accepted: number;
  duplicates: number;
  rejected: { index: number; message: string }[];
}

export interface WebhookService extends SenderVerification {
  /** Stores the body's events. Throws validation_failed if none of them is acceptable. */
  receive(caller: Caller, sender: Sender, body: Record<string, unknown>): Promise<Received>;
}

export interface WebhookDeps extends SenderVerificationDeps {
  events: EventsService;
}

export function createWebhookService({ events, ...deps }: WebhookDeps): WebhookService {
  return {
    ...createSenderVerification(deps),
    async receive(caller, sender, body) {
      const values = eventsOf(body);
      const { messageId } = sender;
      if (messageId !== null) {
        values.forEach((value, i) => {
          setEventId(value, values.length === 1 ? messageId : `${messageId}:${i}`);
        });
      }
      return events.trackMany(caller, values, 'webhook', summaryOf);
    },
  };
}

/** The body itself as one event, or the events of its list. */
function eventsOf(body: Record<string, unknown>): unknown[] {
  const { events } = body;
  if (body.event_type !== undefined || events === undefined) return [body];
  if (Array.isArray(events) && events.length >= 1 && events.length <= MAX_BATCH) return events;
  const message = `events must be an array of 1 to ${MAX_BATCH} events`;
  throw validationFailed([{ field: 'events', code: 'invalid', message }]);
}

/** Sets the message's id as the id of an event that has none. */
function setEventId(value: unknown, id: string): void {
  if (typeof value !== 'object' || value === null) return;
  const event = value as Record<string, unknown>;
  event.event_id ??= id;
}

function summaryOf({ accepted, duplicates, rejected }: BatchOutcome): Received {
  if (accepted + duplicates > 0) return { received: true, accepted, duplicates, rejected };
  throw new AppError('validation_failed', rejected.map((one) => one.message).join('; '), {
    fields: rejected.map(({ index, message }) => ({ field: `events.${index}`, code: 'invalid', message })),
  });
}
