import type { Logger } from 'pino';
import type { Clock } from '../../clock.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { claimUnconfirmed, type Unconfirmed } from '../../marketing/lists/service.ts';
import { createWorker, type Worker } from '../../work/worker.ts';
import type { QueuedMessage } from '../ledger/message.ts';
import { queueMessages } from '../service.ts';
import { ANY_LIST } from './confirmation-links.ts';
import { chooseLanguage, LANGUAGES, type Language } from './languages.ts';
import { findLanguageWishes, findListNames, findWithoutConsent } from './preference-queries.ts';

const BATCH = 200;
const IDLE_MS = 1_000;

/** Asks contacts added to a double opt-in list to confirm: flagged as asked and queued in one transaction. */
export function createConfirmationWorker({ db, clock, log }: { db: Db; clock: Clock; log: Logger }): Worker {
  return createWorker({
    name: 'confirmations',
    idleMs: IDLE_MS,
    log,
    run: () =>
      db.tx(async (tx) => {
        const now = clock.now();
        const asked = await claimUnconfirmed(tx, BATCH, now);
        for (const [companyId, some] of Map.groupBy(asked, (one) => one.company_id)) {
          const lists = await findListNames(tx, companyId, [...new Set(some.map((one) => one.list_id))]);
          const nameOf = new Map(lists.map((list) => [list.id, list.name]));
          const languages = await languagesOf(tx, companyId, [...new Set(some.map((one) => one.contact_id))]);
          const requests = some.map((one) => {
            const language = languages.get(one.contact_id) ?? 'en';
            return requestOf(one, { name: nameOf.get(one.list_id) ?? '', language }, now);
          });
          await queueMessages(tx, companyId, requests, now);
        }
        return asked.length;
      }),
  });
}

/** Asks contacts for their consent to e-mail, in the transaction of what they did. At most once a day, whoever types their address. */
export async function askForConsent(tx: Tx, companyId: number, contactIds: number[], now: Date): Promise<void> {
  const unsubscribed = await findWithoutConsent(tx, companyId, contactIds);
  if (unsubscribed.length === 0) return;
  const languages = await languagesOf(tx, companyId, unsubscribed);
  const day = now.toISOString().slice(0, 10);
  const messages = unsubscribed.map((contactId): QueuedMessage => {
    const data = { list_id: ANY_LIST, language: languages.get(contactId) ?? 'en' };
    return {
      idemKey: `t:consent:${contactId}:${day}`,
      channel: 'email',
      contactId,
      origin: { kind: 'system', template: 'confirm_form', data },
      transactional: true,
      dueAt: now,
    };
  });
  await queueMessages(tx, companyId, messages, now);
}

/** Returns the contacts' own languages, or the company's as a fallback. */
async function languagesOf(tx: Tx, companyId: number, contactIds: number[]): Promise<Map<number, Language>> {
  const wishes = await findLanguageWishes(tx, companyId, contactIds);
  return new Map(
    wishes.map(({ contact_id, standard, ...properties }) => [
      contact_id,
      chooseLanguage(properties, undefined, LANGUAGES.find((one) => one === standard) ?? 'en'),
    ]),
  );
}

function requestOf(
  { list_id, contact_id, requested_at }: Unconfirmed,
  { name, language }: { name: string; language: Language },
  now: Date,
): QueuedMessage {
  return {
    idemKey: `t:confirm:${list_id}:${contact_id}:${requested_at.getTime()}`,
    channel: 'email',
    contactId: contact_id,
    origin: { kind: 'system', template: 'confirm_membership', data: { list_id, list: { name }, language } },
    transactional: true,
    dueAt: now,
  };
}
