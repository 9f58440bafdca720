import type { Db } from '../../db/pool.ts';
import type { Suppressions } from '../suppressions/suppressions.ts';
import { type Asker, changePreferences } from './change-preferences.ts';
import { type Confirmation, type ConfirmationLink, confirm } from './confirmation-links.ts';
import { findPreferences, type LinkOwner } from './preference-queries.ts';
import type { PreferenceRequest } from './preference-request.ts';

export { askForConsent } from './confirmations.ts';

export type ConsentService = ReturnType<typeof createConsentService>;

/** The operations of the public pages: show and change preferences, confirm memberships of lists. */
export function createConsentService({ db, suppressions }: { db: Db; suppressions: Suppressions }) {
  return {
    /** The contact's preferences, or null for a deleted contact. */
    preferencesOf: (companyId: number, owner: LinkOwner) => findPreferences(db.points(companyId), companyId, owner),

    /** Applies one change. Does nothing for a deleted contact. */
    changePreferences: (companyId: number, owner: LinkOwner, request: PreferenceRequest, by: Asker, now: Date) =>
      changePreferences(db, suppressions, companyId, owner, request, by, now),

    /** Confirms a membership. Returns false if there is nothing to confirm. */
    confirm: (link: ConfirmationLink, confirmation: Confirmation) => confirm(db, suppressions, link, confirmation),
  };
}
