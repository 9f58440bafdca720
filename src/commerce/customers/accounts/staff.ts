import type { Caller } from '../../../caller.ts';
import { write } from '../../../db/idempotency.ts';
import type { Db } from '../../../db/pool.ts';
import { found, invalidField } from '../../../errors.ts';
import type { RawJson } from '../../../lib/raw-json.ts';
import type { Language } from '../../../messaging/consent/languages.ts';
import type { ShopCache } from '../../shop.ts';
import { findCustomerJson } from '../queries.ts';
import type { CustomerAccount } from '../schemas.ts';
import { queueAccountMail } from '../service.ts';
import { deletePasskeys } from './passkey-queries.ts';
import { lockAccount, setAccount } from './queries.ts';
import { endSessions, findWaysIn } from './sessions.ts';

/** What staff does with the accounts of customers. */
export function createStaffActions({
  db,
  shops,
  languageOf,
  onQueued,
}: {
  db: Db;
  shops: ShopCache;
  languageOf: (companyId: number) => Promise<Language>;
  onQueued: () => void;
}) {
  return {
    /** Throws not_found. */
    async getAccount({ companyId, now }: Caller, id: number): Promise<CustomerAccount> {
      const row = found(await findWaysIn(db.points(companyId), companyId, id, now), 'customer');
      return { ...row, last_seen_at: row.last_seen_at?.toISOString() ?? null };
    },

    /** Invites the customer to open an account, also again and after it was closed. Throws not_found, validation_failed. */
    async inviteCustomer(caller: Caller, id: number): Promise<RawJson> {
      const { companyId, now } = caller;
      const { checkout } = await shops.get(companyId);
      const language = await languageOf(companyId);
      const invited = await write(db, caller, async (tx) => {
        const { email, account } = found(await lockAccount(tx, companyId, { id }), 'customer');
        if (account === 'active') throw invalidField('id', 'The customer has an account', 'not_allowed');
        const data = { language, store_url: checkout.store_url };
        await queueAccountMail(tx, caller, email!, { template: 'account_invite', data });
        return setAccount(tx, companyId, id, { account: 'invited' }, now);
      });
      onQueued();
      return invited;
    },

    /** Closes the account, and ends its sessions and passkeys. The customer and the password stay. Throws not_found. */
    async closeAccount(caller: Caller, id: number): Promise<RawJson> {
      const { companyId, now } = caller;
      return write(db, caller, async (tx) => {
        found(await lockAccount(tx, companyId, { id }), 'customer');
        await endSessions(tx, companyId, id);
        await deletePasskeys(tx, companyId, id);
        return setAccount(tx, companyId, id, { account: 'closed' }, now);
      });
    },

    /** Signs the customer out everywhere. Throws not_found. */
    async endCustomerSessions(caller: Caller, id: number): Promise<RawJson> {
      const { companyId } = caller;
      return write(db, caller, async (tx) => {
        found(await lockAccount(tx, companyId, { id }), 'customer');
        await endSessions(tx, companyId, id);
        return found(await findCustomerJson(tx, companyId, id), 'customer');
      });
    },
  };
}
