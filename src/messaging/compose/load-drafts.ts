import type { Logger } from 'pino';
import type { Queryable } from '../../db/pool.ts';
import type { ClaimedMessage } from '../ledger/message.ts';
import type { SendingCompany } from '../settings/settings.ts';
import type { SourceLoader } from './content/content-loader.ts';
import { type Draft, testedContact } from './drafts.ts';
import type { JsonValue } from './liquid/engine.ts';
import type { Composed, ComposedMessage } from './outcomes.ts';

/** A contact as templates see it. */
export interface TemplateContact {
  email: string | null;
  phone: string | null;
}

export interface DraftLoaderDeps {
  db: Queryable;
  log: Logger;
  sources: SourceLoader;
  loadContacts: (db: Queryable, companyId: number, ids: number[]) => Promise<Map<number, TemplateContact>>;
}

export function createDraftLoader({ db, log, sources, loadContacts }: DraftLoaderDeps) {
  /** Loads contacts and contents. Returns drafts, and the outcomes of messages that cannot be composed. */
  return async function loadDrafts(
    company: SendingCompany,
    messages: ClaimedMessage[],
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
      return { message, source, to, contactId, contact: (contact ?? {}) as JsonValue };
    };
    return messages.map((message) => {
      const made = attempt(log, message, () => draftOf(message));
      return 'kind' in made ? { message, composed: made } : made;
    });
  };
}

/** An exception while one message is composed fails that message only. */
export function attempt<T>(log: Logger, message: ClaimedMessage, make: () => T): T | Composed {
  try {
    return make();
  } catch (error) {
    log.error({ err: error, company_id: message.companyId, message_id: message.id }, 'a message cannot be composed');
    return { kind: 'failed', reason: 'The message cannot be composed' };
  }
}
