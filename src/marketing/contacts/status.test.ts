import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  CONSENT_STATES,
  type ConsentState,
  mergedConsent,
  shopState,
  upsertedState,
} from '../../recipients/consent.ts';
import { testServer } from '../../testing/harness.ts';
import { statusOf } from './status.ts';

const server = testServer();

test('the status in the database equals that of the code for all consents and addresses', async () => {
  const all = ['a@example.net', null].flatMap((email) =>
    ['+12133734253', null].flatMap((phone) =>
      CONSENT_STATES.flatMap((email_consent) =>
        CONSENT_STATES.flatMap((sms_consent) =>
          [true, false].map((email_bounced) => ({ email, phone, email_consent, sms_consent, email_bounced })),
        ),
      ),
    ),
  );
  const shop = await server.company();
  const rows = await server.rows<{ status: string; i: number }>(
    `insert into contacts (company_id, external_id, email, phone, email_consent, sms_consent, email_bounced, search,
       created_at, updated_at)
     select $1, i, i || email, phone || i, email_consent, sms_consent, email_bounced, '', now(), now()
     from json_to_recordset($2) as v (i int, email text, phone text, email_consent text, sms_consent text, email_bounced boolean)
     returning status, external_id::int as i`,
    [shop.company_id, JSON.stringify(all.map((one, i) => ({ ...one, i })))],
  );
  expect(rows).toHaveLength(72);
  const since = {
    email_consent_at: null,
    sms_consent_at: null,
    email_consent_source: 'api',
    sms_consent_source: 'api',
  } as const;
  for (const { status, i } of rows)
    expect({ ...all[i]!, status }).toEqual({ ...all[i]!, status: statusOf({ ...all[i]!, ...since }) });
});

const state = fc.constantFrom<ConsentState>(...CONSENT_STATES);
const consent = fc.record({
  state,
  at: fc.constant(null),
  source: fc.constantFrom('api', 'event', 'shop', 'one_click', 'form'),
});

test('neither an upsert nor a merge takes back an unsubscription', () => {
  fc.assert(
    fc.property(consent, consent, state, fc.boolean(), (one, other, asked, taken) => {
      if (one.state === 'unsubscribed') expect(upsertedState(one.state, asked)).toBe('unsubscribed');
      if ([one.state, other.state].includes('unsubscribed')) {
        expect(mergedConsent(one, other, taken).state).toBe('unsubscribed');
      }
    }),
  );
});

test('accepting in the shop takes back only a refusal by the shop; refusing ends any subscription except at registration', () => {
  fc.assert(
    fc.property(consent, fc.boolean(), fc.boolean(), fc.boolean(), (current, accepts, registration, ownNo) => {
      const next = shopState(current, accepts, { registration, ownNo });
      if (accepts && current.state === 'unsubscribed') expect(next).toBe(ownNo ? 'subscribed' : null);
      if (accepts && current.state === 'never') expect(next).toBe('subscribed');
      if (!accepts) expect(next).not.toBe('subscribed');
      if (!accepts && current.state === 'subscribed' && !registration) expect(next).toBe('never');
    }),
  );
});
