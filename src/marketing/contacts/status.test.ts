import { expect, test } from 'vitest';
import { CONTACT_STATUSES, causeOfUpsert, nextStatus, type StatusCause, TRANSITIONS } from './status.ts';

test('statuses move as the table says and not otherwise', () => {
  const table = Object.keys(TRANSITIONS).map((cause) => [
    cause,
    CONTACT_STATUSES.map((status) => nextStatus(status, cause as StatusCause)),
  ]);
  expect(Object.fromEntries(table)).toEqual({
    // from:        subscribed      unsubscribed    bounced
    unsubscribe: ['unsubscribed', 'unsubscribed', 'unsubscribed'],
    complaint: ['unsubscribed', 'unsubscribed', 'unsubscribed'],
    bounce: ['bounced', 'unsubscribed', 'bounced'],
    new_address: ['subscribed', 'unsubscribed', 'subscribed'],
    resubscribe: ['subscribed', 'subscribed', 'subscribed'],
    opt_in: ['subscribed', 'subscribed', 'subscribed'],
    suppressed_unsubscribe: ['unsubscribed', 'unsubscribed', 'unsubscribed'],
    suppressed_bounce: ['bounced', 'unsubscribed', 'bounced'],
  });
});

test('an upsert has no cause that leads to subscribed', () => {
  for (const status of CONTACT_STATUSES) {
    const cause = causeOfUpsert(status);
    if (cause !== null) expect(TRANSITIONS[cause].to).not.toBe('subscribed');
  }
});
