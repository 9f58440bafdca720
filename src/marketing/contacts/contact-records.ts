import type { Caller } from '../../caller.ts';
import type { Db } from '../../db/pool.ts';
import type { Suppressions } from '../../messaging/suppressions/suppressions.ts';
import { getConsentHistory } from './consent/history.ts';
import type { ContactInput } from './contract.ts';
import { exportContact } from './export/export.ts';
import { listContacts } from './listing/listing.ts';
import { getContact, updateContact, upsertContacts } from './service.ts';
import { resubscribeContact, unsubscribeContact } from './subscription-status.ts';
import { getTimeline } from './timeline.ts';

export interface ContactRecordsDeps {
  db: Db;
  suppressions: Suppressions;
  /** The country of a company's phone numbers without a country code. */
  countryOf(companyId: number): Promise<string>;
}

export type ContactRecords = ReturnType<typeof createContactRecords>;

/** Contacts as handlers are given them, but for single upserts, which share transactions: it takes the lane of each read. */
export function createContactRecords({ db, suppressions, countryOf }: ContactRecordsDeps) {
  return {
    upsertContacts: async (caller: Caller, inputs: unknown[]) =>
      upsertContacts(db.points(caller.companyId), caller, suppressions, inputs, await countryOf(caller.companyId)),
    listContacts: (companyId: number, query: Parameters<typeof listContacts>[2], now: Date) =>
      listContacts(db.lists(companyId), companyId, query, now),
    getContact: (companyId: number, id: number) => getContact(db.points(companyId), companyId, id),
    updateContact: async (caller: Caller, id: number, input: ContactInput) =>
      updateContact(db.points(caller.companyId), caller, suppressions, id, input, await countryOf(caller.companyId)),
    getTimeline: (companyId: number, id: number, query: Parameters<typeof getTimeline>[3]) =>
      getTimeline(db.lists(companyId), companyId, id, query),
    getConsentHistory: (companyId: number, id: number) => getConsentHistory(db.lists(companyId), companyId, id),
    exportContact: (companyId: number, id: number) => exportContact(db.lists(companyId), companyId, id),
    unsubscribeContact: (caller: Caller, id: number, input: Parameters<typeof unsubscribeContact>[4]) =>
      unsubscribeContact(db.points(caller.companyId), caller, suppressions, id, input),
    resubscribeContact: (caller: Caller, id: number, input: Parameters<typeof resubscribeContact>[4]) =>
      resubscribeContact(db.points(caller.companyId), caller, suppressions, id, input),
  };
}
