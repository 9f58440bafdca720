import type { Caller } from '../../caller.ts';
import { constraintOf, type Tx } from '../../db/pool.ts';
import { AppError } from '../../errors.ts';
import type { RawJson } from '../../lib/raw-json.ts';
import { correlationOf } from '../../lib/tracing/correlation.ts';
import { type IfMatch, requireRevision } from '../../lib/validation/revision.ts';
import { changeShopConsent } from '../../marketing/contacts/service.ts';
import type { Suppressions } from '../../messaging/suppressions/suppressions.ts';
import { enqueue } from '../../outbox/service.ts';
import { valueContext } from '../custom-fields/context.ts';
import type { Shop } from '../shop.ts';
import { updatedEvent } from './events.ts';
import { customerValues } from './fields.ts';
import { noticeTo } from './mails.ts';
import * as queries from './queries.ts';
import type { CustomerPatch } from './schemas.ts';

/**
 * Sets the given fields in the caller's transaction. The consent follows `accepts_marketing`, and an event notifies the marketing side of
 * changes to the fields that it keeps. The old address of an account is told by mail. Undefined for an unknown customer. Throws revision_mismatch, validation_failed, duplicate.
 */
export async function changeCustomer(
  tx: Tx,
  suppressions: Suppressions,
  shop: Shop,
  caller: Caller,
  { id, patch, ifMatch = null }: { id: number; patch: CustomerPatch; ifMatch?: IfMatch | null },
): Promise<RawJson | undefined> {
  const { companyId, now } = caller;
  const context = await valueContext(tx, shop, [patch.custom]);
  const old = await queries.lockCustomer(tx, companyId, id);
  if (old === undefined) return undefined;
  requireRevision(ifMatch, old.revision);
  const values = customerValues(patch, old, shop, context);
  const accepts = values.acceptsMarketing;
  if (accepts !== old.accepts_marketing) {
    await changeShopConsent(tx, companyId, suppressions, { id, email: old.email, accepts }, now);
  }
  const before = old.email?.toLowerCase();
  if (old.has_account && before !== undefined && values.email?.toLowerCase() !== before)
    await noticeTo(tx, caller, before, 'account_email_changed');
  const json = await checkUnique(() => queries.updateCustomer(tx, companyId, id, values, now));
  // Enqueued after the update: a customer who takes an address released here waits for this transaction, so its event follows.
  const event = updatedEvent(id, old, values, now);
  if (event !== null) await enqueue(tx, companyId, [event], correlationOf(caller));
  return json;
}

/** Runs an insert or update. Throws duplicate where another customer has this e-mail address. */
export async function checkUnique<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (constraintOf(error) !== 'customers_email') throw error;
    throw new AppError('duplicate', 'Another customer has this e-mail address', { field: 'email' });
  }
}
