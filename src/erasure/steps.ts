import { erasePersonalValues } from '../access/audit-values.ts';
import { deleteNotesOf } from '../commerce/notes/service.ts';
import type { Tx } from '../db/pool.ts';
import {
  type PersonKeys,
  textsInLinks,
  textsInResponses,
  textsInWords,
} from '../marketing/contacts/erasure/personal-texts.ts';
import { findHeldKeys } from '../marketing/contacts/service.ts';
import { eraseRefusals } from '../outbox/refusals/service.ts';
import * as contacts from './contact-queries.ts';
import * as customers from './customer-queries.ts';
import * as imports from './import-queries.ts';
import { eraseLinks, eraseResponses, eraseViews } from './search-queries.ts';
import { eraseWords } from './word-queries.ts';

/** The people of a slice: several who were erased at about the same time. */
export interface Erased {
  companyId: number;
  contactIds: number[];
  customerIds: number[];
  keys: PersonKeys[];
  /** Later requests are about somebody else. */
  until: Date;
}

/** A part of the work, done in slices of some 10 ms. */
export interface Step {
  name: string;
  /** Continues after `place` ('' at the beginning). Returns the next place, null at the end. */
  run(tx: Tx, erased: Erased, place: string): Promise<string | null>;
}

type ById = (tx: Tx, companyId: number, ids: number[], after: number) => Promise<number | null>;

/** Rows of the contacts, in the order of their ids. */
function ofContacts(name: string, slice: ById): Step {
  return {
    name,
    async run(tx, { companyId, contactIds }, place) {
      return contactIds.length === 0 ? null : next(await slice(tx, companyId, contactIds, Number(place)));
    },
  };
}

function ofCustomers(name: string, slice: ById): Step {
  return {
    name,
    async run(tx, { companyId, customerIds }, place) {
      return customerIds.length === 0 ? null : next(await slice(tx, companyId, customerIds, Number(place)));
    },
  };
}

/** The e-mail addresses that nobody else has by now, in lower case. */
async function emailsOf(tx: Tx, companyId: number, keys: Erased['keys']): Promise<string[]> {
  const own = await withoutHeldKeys(tx, companyId, keys);
  return own.flatMap(({ email }) => (email === null ? [] : [email.toLowerCase()]));
}

function next(last: number | null): string | null {
  return last === null ? null : String(last);
}

/** The order matters: runs first, so that what they caused is erased as well; then messages, since no more are added. */
export const STEPS: Step[] = [
  ofContacts('runs', contacts.eraseRuns),
  ofContacts('messages', contacts.eraseMessages),
  {
    name: 'tests',
    async run(tx, { companyId, contactIds: ids, keys }, place) {
      const addresses = await withoutHeldKeys(tx, companyId, keys).then((own) =>
        own.flatMap(({ email, phone }) => [email, phone]),
      );
      const given = addresses.filter((address) => address !== null);
      return next(await contacts.eraseTests(tx, companyId, { ids, addresses: given }, Number(place)));
    },
  },
  {
    name: 'rest',
    async run(tx, { companyId, contactIds }, place) {
      if (contactIds.length === 0) return null;
      return (await contacts.eraseRest(tx, companyId, contactIds)) ? `${Number(place) + 1}` : null;
    },
  },
  ...customers.ROWS_OF_CUSTOMERS.map(({ table, erase }) => ofCustomers(table, erase)),
  {
    name: 'guest carts',
    async run(tx, { companyId, customerIds: ids, keys, until }, place) {
      const emails = await emailsOf(tx, companyId, keys);
      return next(await customers.eraseGuestCarts(tx, companyId, { ids, emails, until }, Number(place)));
    },
  },
  ofCustomers('notes', deleteNotesOf),
  {
    name: 'audit log',
    async run(tx, { companyId, contactIds, customerIds }) {
      return next(await erasePersonalValues(tx, companyId, { contactIds, customerIds }));
    },
  },
  {
    name: 'waiting',
    async run(tx, { companyId, customerIds, keys }) {
      const emails = await emailsOf(tx, companyId, keys);
      await customers.eraseWaitingEvents(tx, companyId, { ids: customerIds, emails });
      const shop = customerIds.map((id) => ({ external_id: String(id), email: null }));
      await eraseRefusals(tx, companyId, [...(await withoutHeldKeys(tx, companyId, keys)), ...shop]);
      return null;
    },
  },
  {
    name: 'deliveries',
    async run(tx, { companyId, customerIds: ids, keys }, place) {
      const emails = await emailsOf(tx, companyId, keys);
      if (ids.length === 0 && emails.length === 0) return null;
      return next(await customers.eraseDeliveries(tx, companyId, { ids, emails }, Number(place)));
    },
  },
  {
    name: 'responses',
    async run(tx, { companyId, contactIds, customerIds, keys, until }, place) {
      const own = await withoutHeldKeys(tx, companyId, keys);
      const [wanted, words] = [own.flatMap(textsInResponses), own.flatMap(textsInWords)];
      return eraseResponses(tx, companyId, { contactIds, customerIds, wanted, words, until }, place);
    },
  },
  {
    name: 'links',
    async run(tx, { companyId, keys }, place) {
      const wanted = (await withoutHeldKeys(tx, companyId, keys)).flatMap(textsInLinks);
      return wanted.length === 0 ? null : next(await eraseLinks(tx, companyId, wanted, Number(place)));
    },
  },
  {
    name: 'views',
    async run(tx, { companyId, keys }, place) {
      const wanted = (await withoutHeldKeys(tx, companyId, keys)).flatMap(textsInLinks);
      return wanted.length === 0 ? null : next(await eraseViews(tx, companyId, wanted, Number(place)));
    },
  },
  {
    name: 'words',
    async run(tx, { companyId, keys }, place) {
      const wanted = (await withoutHeldKeys(tx, companyId, keys)).flatMap(textsInWords);
      return wanted.length === 0 ? null : eraseWords(tx, companyId, wanted, place);
    },
  },
  {
    name: 'imports',
    async run(tx, { companyId, contactIds, customerIds, until }) {
      await imports.eraseBefore(tx, companyId, { contactIds, customerIds });
      return (await imports.discardFiles(tx, companyId, until)) ? 'more' : null;
    },
  },
  {
    name: 'refused rows',
    async run(tx, { companyId, keys, until }, place) {
      const own = (await withoutHeldKeys(tx, companyId, keys)).flatMap(({ email, phone }) => [email, phone]);
      const texts = own.filter((text) => text !== null).map((text) => text.toLowerCase());
      return imports.eraseFindings(tx, companyId, { texts, until }, place);
    },
  },
  // Last: there may be many, and the API does not show events without a contact.
  ofContacts('events', contacts.eraseEvents),
];

/** Returns the keys without those that another contact has now. */
async function withoutHeldKeys(tx: Tx, companyId: number, keys: PersonKeys[]): Promise<PersonKeys[]> {
  const texts = keys.flatMap(({ email, phone, external_id }) => [email, phone, external_id]);
  const held = await findHeldKeys(tx, companyId, [...new Set(texts.filter((text) => text !== null))]);
  const free = (text: string | null): string | null => (text === null || held.has(text) ? null : text);
  return keys.map((key) => ({ email: free(key.email), phone: free(key.phone), external_id: free(key.external_id) }));
}
