import { type KeysetPage, keysetPages } from '../../../db/keyset-pages.ts';
import type { Queryable } from '../../../db/pool.ts';
import type { Statement } from '../../../db/sql.ts';
import { JsonPages, Streamed } from '../../../lib/streamed.ts';
import { getConsentHistory } from '../consent/history.ts';
import { getContact } from '../load.ts';
import { eventEntries, messageEntries } from '../timeline/queries.ts';
import type { ContactExport } from './contract.ts';
import * as queries from './queries.ts';

/** Everything that is stored about the contact, read while it is being sent. Throws not_found. */
export async function exportContact(
  db: Queryable,
  companyId: number,
  contactId: number,
): Promise<Streamed<ContactExport>> {
  const [contact, { consents }] = await Promise.all([
    getContact(db, companyId, contactId),
    getConsentHistory(db, companyId, contactId),
  ]);
  type PageOf = (companyId: number, contactId: number, page: KeysetPage) => Statement;
  const pages = (pageOf: PageOf, order: 'asc' | 'desc' = 'desc'): JsonPages =>
    new JsonPages(keysetPages(db, order, (page) => pageOf(companyId, contactId, page)));
  const before = ({ after, limit }: KeysetPage) => ({ before: after, limit });
  return new Streamed<ContactExport>({
    contact,
    consents,
    memberships: pages(queries.memberships, 'asc'),
    events: pages((company, id, page) => eventEntries(company, id, before(page))),
    messages: pages((company, id, page) => messageEntries(company, id, before(page))),
    activity: pages(queries.activity),
    flow_runs: pages(queries.runs),
    notifications: pages(queries.notifications),
    mails: pages(queries.mails),
    form_submissions: pages(queries.submissions),
    hold_outs: pages(queries.holdOuts),
  });
}
