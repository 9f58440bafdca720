import type { KeyObject } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { Db, Queryable, Tx } from '../../db/pool.ts';
import { purgeByAge } from '../../db/purge.ts';
import { normaliseEmail } from '../../lib/addresses.ts';
import type { Slice } from '../../lib/slice.ts';
import { isStorable } from '../../lib/storable.ts';
import { changeConsents } from '../../marketing/contacts/service.ts';
import { markBounced } from '../ledger/deliveries.ts';
import { noteReported } from '../ledger/delivery-queries.ts';
import { createSuppressions, type Suppressions } from '../suppressions/suppressions.ts';
import { insertActivity } from './activity-queries.ts';
import { type BounceReport, ledgerIdOf } from './notification-forms.ts';
import { lockReported, rememberNotification } from './queries.ts';
import { REMEMBERED_MS } from './signatures.ts';

/**
 * Gives how many of the reports were about a contact that there is: none where they came in a notification, known by its
 * key, that was taken in before.
 */
export async function applyReports(
  db: Db,
  companyId: number,
  tokenKey: KeyObject,
  reports: BounceReport[],
  { now, notification = null }: { now: Date; notification?: Buffer | null },
): Promise<number> {
  const wanted = reports.flatMap(({ kind, email, messageId }) => {
    const address = isStorable(email) ? normaliseEmail(email) : null;
    return address === null ? [] : [{ kind, address, messageId: ledgerIdOf(messageId, companyId) }];
  });
  if (wanted.length === 0 && notification === null) return 0;
  const suppressions = createSuppressions(tokenKey);
  return db.tenantTx(companyId, async (tx) => {
    if (notification !== null && !(await rememberNotification(tx, companyId, notification, now))) return 0;
    if (wanted.length === 0) return 0;
    const found = new Map((await lockReported(tx, companyId, wanted)).map((row) => [row.address, row]));
    const about = wanted.map((report) => ({ ...report, ...found.get(report.address) }));
    const suppressed = about.flatMap(({ kind, address }) => {
      if (kind === 'soft') return [];
      const cause = kind === 'complaint' ? ('complaint' as const) : ('bounce' as const);
      return [{ channel: 'email' as const, address, cause, source: cause === 'complaint' ? cause : null }];
    });
    await suppressions.add(tx, companyId, suppressed, now);
    await moveContacts(tx, companyId, suppressions, about, now);
    const activities = about.flatMap(({ kind, messageId, last_message_id }) => {
      const message = messageId ?? last_message_id ?? null;
      if (message === null || kind === 'soft') return [];
      return [{ messageId: message, type: kind === 'complaint' ? ('complained' as const) : ('bounced' as const) }];
    });
    if (activities.length > 0) await insertActivity(tx, companyId, activities, now);
    return about.filter((report) => report.contact_id !== undefined).length;
  });
}

async function moveContacts(
  tx: Tx,
  companyId: number,
  suppressions: Suppressions,
  about: { kind: BounceReport['kind']; contact_id?: number }[],
  now: Date,
): Promise<void> {
  const of = (kind: BounceReport['kind']): number[] => [
    ...new Set(about.flatMap((report) => (report.kind === kind ? (report.contact_id ?? []) : []))),
  ];
  const complained = of('complaint');
  if (complained.length > 0) {
    const change = { channels: ['email'], state: 'unsubscribed', source: 'complaint', cause: 'complaint' } as const;
    await changeConsents(tx, companyId, suppressions, complained, { ...change, now });
  }
  const soft = of('soft');
  await markBounced(tx, companyId, of('hard'), soft, now);
  if (soft.length > 0) await noteReported(tx, companyId, soft, now);
}

/** Forgets what would be refused for its age if it came again. */
export function purgeOldNotifications(db: Queryable, clock: Clock): Slice<Date> {
  const before = (): Date => new Date(clock.now().getTime() - REMEMBERED_MS);
  return purgeByAge(db, { table: 'bounce_notifications', column: 'received_at', before });
}
