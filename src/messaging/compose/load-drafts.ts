import type { Logger } from 'pino';
import type { Queryable } from '../../db/pool.ts';
import { requestIdOf } from '../../lib/tracing/correlation.ts';
import type { ClaimedMessage } from '../ledger/message.ts';
import type { SendingCompany } from '../settings/settings.ts';
import type { SourceLoader } from './content/content-loader.ts';
import { type IssueCoupons, loadCoupons } from './coupons.ts';
import { type Draft, testedContact } from './drafts.ts';
import type { JsonValue } from './liquid/engine.ts';
import type { Composed, ComposedMessage } from './outcomes.ts';
import { createDataLoader, type DataLoaders } from './values/load.ts';

/** A contact as exposed to templates. */
export interface TemplateContact {
  email: string | null;
  phone: string | null;
  external_id: string | null;
}

export interface DraftLoaderDeps {
  db: Queryable;
  log: Logger;
  sources: SourceLoader;
  loadContacts: (db: Queryable, companyId: number, ids: number[]) => Promise<Map<number, TemplateContact>>;
  issueCoupons: IssueCoupons;
  data: DataLoaders;
}

export function createDraftLoader({ db, log, sources, loadContacts, issueCoupons, data }: DraftLoaderDeps) {
  const loadData = createDataLoader(data);

  /** Loads contacts and contents. Returns drafts, and the outcomes of messages that cannot be composed. */
  return async function loadDrafts(
    company: SendingCompany,
    messages: ClaimedMessage[],
    now: Date,
  ): Promise<(Draft | ComposedMessage)[]> {
    const { companyId } = company;
    const contactIds = [
      ...new Set(messages.flatMap(({ contactId, origin: from }) => contactId ?? testedContact(from) ?? [])),
    ];
    const [contacts, sourceOf] = await Promise.all([
      loadContacts(db, companyId, contactIds),
      sources.load(db, companyId, messages),
    ]);
    const draftOf = (message: ClaimedMessage): Draft | Composed => {
      const source = sourceOf(message);
      if ('missing' in source) return { kind: 'failed', reason: source.missing };
      const contactId = message.contactId ?? testedContact(message.origin);
      const contact = contactId === null ? undefined : contacts.get(contactId);
      if (contact === undefined && message.contactId !== null) return { kind: 'skipped', reason: 'contact_erased' };
      const own = message.channel === 'email' ? contact?.email : contact?.phone;
      const to = message.recipient !== null && message.contactId === null ? message.recipient : own;
      if (!to) return { kind: 'skipped', reason: 'no_address' };
      if (message.channel === 'email' && !source.subject) return { kind: 'failed', reason: 'There is no subject' };
      return { message, source, to, contactId, contact: (contact ?? {}) as JsonValue, own: {} };
    };
    const made = messages.map((message) => {
      const one = attempt(log, message, () => draftOf(message));
      return 'kind' in one ? { message, composed: one } : one;
    });
    // Last, so that no coupon is issued for a skipped message.
    const drafts = made.filter((one): one is Draft => 'source' in one);
    const owners = drafts.map(({ message: { id }, source, contactId }) => {
      const externalId = contactId === null ? null : (contacts.get(contactId)?.external_id ?? null);
      return { messageId: id, texts: [source.content, source.subject, source.previewText], contactId, externalId };
    });
    const [ownOf, dataOf] = await Promise.all([
      loadCoupons(issueCoupons, db, companyId, drafts, now),
      loadData(db, companyId, owners, now),
    ]);
    return made.map((one) => {
      if (!('source' in one)) return one;
      const own = ownOf(one.message);
      if ('values' in own) return { ...one, own: { ...dataOf(one.message.id), ...own.values } };
      return { message: one.message, composed: { kind: 'failed', reason: own.missing } };
    });
  };
}

/** Runs `make`; an exception fails only the message being composed. */
export function attempt<T>(log: Logger, message: ClaimedMessage, make: () => T): T | Composed {
  try {
    return make();
  } catch (error) {
    const { companyId: company_id, id: message_id, correlation } = message;
    log.error(
      { err: error, company_id, message_id, request_id: requestIdOf(correlation) },
      'a message cannot be composed',
    );
    return { kind: 'failed', reason: 'The message cannot be composed' };
  }
}
