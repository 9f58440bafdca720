import type { Caller } from '../../caller.ts';
import { getConsentHistory } from './consent/history.ts';
import { resubscribeContact, unsubscribeContact } from './consent/subscription.ts';
import type { ContactInput } from './contact-schema.ts';
import { exportContact } from './export/export.ts';
import { contactsInOrder, listBehind, listContacts } from './listing/listing.ts';
import { readContact } from './load.ts';
import { mergeContact } from './merge/by-hand.ts';
import type { ContactMergeInput } from './merge/contract.ts';
import { getTimeline } from './timeline/timeline.ts';
import { type BatchedUpsertsDeps, createBatchedUpserts, importContacts, updateContact } from './upsert/requests.ts';

export { changeConsents, changeShopConsent, markBounced, updatePreferences } from './consent/change-consents.ts';
export { fillSignedUp, type GivenFields, lockSignedUp, type SignedUp, signUp } from './consent/signup.ts';
export { confirmConsent, confirmMembership } from './consent/subscription.ts';
export { type CustomerContact, syncCustomers } from './customers/sync.ts';
export { type RemovedContacts, removeContacts } from './erasure/erasure.ts';
export { findContactsOfCustomer, findHeldKeys, findOlderContacts } from './erasure/queries.ts';
export { exportContact } from './export/export.ts';
export { type ContactBefore, checkImported, type ImportedContact, writeImported } from './imported/imported.ts';
export { removeImported, restoreImported } from './imported/undo.ts';
export { foldLastActivity, readLoadedActivity } from './last-activity.ts';
export { MAX_TAG_LENGTH } from './limits.ts';
export { countMatchingContacts, nextMatchingContacts, type Tagged } from './listing/matching.ts';
export { getContact, loadContacts } from './load.ts';
export { lockPresent } from './queries.ts';
export type { ContactRecord } from './record.ts';
export {
  type ContactChange,
  type ContactKey,
  changeContacts,
  findContacts,
  type Resolved,
  resolveContacts,
} from './upsert/events-and-flows.ts';

export type ContactsService = ReturnType<typeof createContactsService>;

/** The service passed to the handlers: it holds the database and chooses the lane of each operation. */
export function createContactsService(deps: BatchedUpsertsDeps) {
  const { db, suppressions, countryOf } = deps;
  return {
    upsert: createBatchedUpserts(deps),
    importContacts: async (caller: Caller, inputs: unknown[]) =>
      importContacts(db.points(caller.companyId), caller, suppressions, inputs, await countryOf(caller.companyId)),
    listContacts: (companyId: number, query: Parameters<typeof listContacts>[2], now: Date) =>
      listContacts(db.lists(companyId), companyId, query, now),
    listBehind: (companyId: number, query: Parameters<typeof listBehind>[2], range: Parameters<typeof listBehind>[3]) =>
      listBehind(db.lists(companyId), companyId, query, range),
    contactsInOrder: (companyId: number, query: Parameters<typeof listContacts>[2], now: Date) =>
      contactsInOrder(db.lists(companyId), companyId, query, now),
    getContact: (companyId: number, id: number) => readContact(db.points(companyId), companyId, id),
    updateContact: async (caller: Caller, id: number, input: ContactInput) =>
      updateContact(db.points(caller.companyId), caller, suppressions, id, input, await countryOf(caller.companyId)),
    mergeContact: (caller: Caller, id: number, input: ContactMergeInput) =>
      mergeContact(db.points(caller.companyId), caller, suppressions, id, input),
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
