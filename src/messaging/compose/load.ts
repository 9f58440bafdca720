import type { Logger } from 'pino';
import type { Queryable } from '../../db/pool.ts';
import { requestIdOf } from '../../lib/tracing/correlation.ts';
import type { ClaimedMessage } from '../ledger/message.ts';
import type { SendingCompany } from '../settings/settings.ts';
import type { ContentLoader, Template } from './content.ts';
import type { JsonValue, RenderContext } from './liquid/render.ts';
import type { Composed, ComposedMessage } from './outcomes.ts';
import { createDataLoader, type DataLoaders, type IssueCoupons, loadCoupons } from './values.ts';

/** A message with everything needed to compose it. */
export interface Draft {
  message: ClaimedMessage;
  template: Template;
  to: string;
  contactId: number | null;
  contact: JsonValue;
  /** Variables of this message only. */
  values: RenderContext;
}

/** A contact as exposed to templates. */
export interface TemplateContact {
  email: string | null;
  phone: string | null;
  external_id: string | null;
}

export interface LoaderDeps {
  db: Queryable;
  log: Logger;
  contents: ContentLoader;
  loadContacts: (db: Queryable, companyId: number, ids: number[]) => Promise<Map<number, TemplateContact>>;
  issueCoupons: IssueCoupons;
  data: DataLoaders;
}

export interface Loaded {
  drafts: Draft[];
  /** Messages that cannot be composed. */
  ended: ComposedMessage[];
}

/** Loads what messages of one company need: contents and contacts, then the values that the contents name, each kind in one round trip. */
export function createLoader({ db, log, contents, loadContacts, issueCoupons, data }: LoaderDeps) {
  const loadData = createDataLoader(data);

  return async function load(company: SendingCompany, messages: ClaimedMessage[], now: Date): Promise<Loaded> {
    const { companyId } = company;
    const contactIds = new Set(messages.flatMap(({ contactId, origin }) => contactId ?? testedContact(origin) ?? []));
    const [contacts, contentOf] = await Promise.all([
      loadContacts(db, companyId, [...contactIds]),
      contents.load(db, companyId, messages),
    ]);

    function draftOf(message: ClaimedMessage): Draft | Composed {
      const content = contentOf(message);
      if ('missing' in content) return { kind: 'failed', reason: content.missing };
      const { template, context } = content;
      const contactId = message.contactId ?? testedContact(message.origin);
      const contact = contactId === null ? undefined : contacts.get(contactId);
      if (contact === undefined && message.contactId !== null) return { kind: 'skipped', reason: 'contact_erased' };
      const own = message.channel === 'email' ? contact?.email : contact?.phone;
      const to = message.recipient !== null && message.contactId === null ? message.recipient : own;
      if (!to) return { kind: 'skipped', reason: 'no_address' };
      if (message.channel === 'email' && !template.subject) return { kind: 'failed', reason: 'There is no subject' };
      return { message, template, to, contactId, contact: (contact ?? {}) as JsonValue, values: context };
    }

    const ended: ComposedMessage[] = [];
    const begun: Draft[] = [];
    for (const message of messages) {
      const one = attempt(log, message, () => draftOf(message));
      if ('kind' in one) ended.push({ message, composed: one });
      else begun.push(one);
    }
    // Last, so that no coupon is issued for a skipped message.
    const owners = begun.map(({ message, template, contactId }) => ({
      messageId: message.id,
      texts: [template.content, template.subject, template.previewText],
      contactId,
      externalId: contactId === null ? null : (contacts.get(contactId)?.external_id ?? null),
      // Test messages show samples.
      issuesCoupons: message.contactId !== null,
    }));
    const [couponsOf, dataOf] = await Promise.all([
      loadCoupons(issueCoupons, db, companyId, owners, now),
      loadData(db, companyId, owners, now),
    ]);
    const drafts: Draft[] = [];
    for (const draft of begun) {
      const { message, values } = draft;
      const coupons = couponsOf(message.id);
      if ('missing' in coupons) ended.push({ message, composed: { kind: 'failed', reason: coupons.missing } });
      else drafts.push({ ...draft, values: { ...values, ...dataOf(message.id), ...coupons.values } });
    }
    return { drafts, ended };
  };
}

/** Returns what `make` returns. An exception fails only this message. */
export function attempt<Made>(log: Logger, message: ClaimedMessage, make: () => Made): Made | Composed {
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

/** A test sent to one's own address may be rendered with the values of a chosen contact. */
function testedContact(origin: ClaimedMessage['origin']): number | null {
  const id = origin.kind === 'system' ? origin.data.as_contact_id : null;
  return typeof id === 'number' ? id : null;
}
