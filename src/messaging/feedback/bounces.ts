import type { Clock } from '../../clock.ts';
import type { Db, Queryable, Tx } from '../../db/pool.ts';
import { purgeByAge } from '../../db/purge.ts';
import { normaliseEmail } from '../../lib/addresses.ts';
import type { Slice } from '../../lib/slice.ts';
import { isStorable } from '../../lib/storable.ts';
import { type ContactChanges, countBounces } from '../ledger/deliveries.ts';
import type { Address, Suppressed, Suppressions } from '../suppressions/suppressions.ts';
import { type Activity, insertActivity } from './activity-queries.ts';
import { type BounceReport, ledgerIdOf } from './bounce-report.ts';
import { lockReported, noteReported, type Reported, rememberNotification } from './queries.ts';
import { REMEMBERED_MS } from './signatures.ts';

export interface ReportedIn {
  now: Date;
  /** The key of the notification that contained the reports, if a provider sent it: a repeated notification changes nothing. */
  notification?: Buffer | null;
}

interface BounceDeps {
  db: Db;
  suppressions: Suppressions;
  contacts: ContactChanges;
}

export type BounceService = ReturnType<typeof createBounceService>;

/** Applies reports of bounces and complaints to contacts, suppressions and messages. */
export function createBounceService({ db, suppressions, contacts }: BounceDeps) {
  return {
    /** Returns how many of the reports were about an existing contact; 0 for a repeated notification. */
    async applyReports(
      companyId: number,
      reports: BounceReport[],
      { now, notification = null }: ReportedIn,
    ): Promise<number> {
      const wanted = reports.flatMap(({ kind, email, messageId }) => {
        const address = isStorable(email) ? normaliseEmail(email) : null;
        return address === null ? [] : [{ kind, address, messageId: ledgerIdOf(messageId, companyId) }];
      });
      if (wanted.length === 0 && notification === null) return 0;
      return db.tenantTx(companyId, async (tx) => {
        if (notification !== null && !(await rememberNotification(tx, companyId, notification, now))) return 0;
        if (wanted.length === 0) return 0;
        const found = new Map((await lockReported(tx, companyId, wanted)).map((row) => [row.address, row]));
        const about = wanted.map((report) => ({ ...report, ...found.get(report.address) }));
        await suppressions.add(tx, companyId, about.flatMap(suppressionOf), now);
        await updateContacts(tx, companyId, { suppressions, contacts }, about, now);
        const activities = about.flatMap(activityOf);
        if (activities.length > 0) await insertActivity(tx, companyId, activities, now);
        return about.filter((report) => report.contact_id !== undefined).length;
      });
    },
  };
}

type AppliedReport = { kind: BounceReport['kind']; address: string; messageId: number | null } & Partial<Reported>;

function suppressionOf({ kind, address }: AppliedReport): (Address & Suppressed)[] {
  if (kind === 'soft') return [];
  const why = kind === 'complaint' ? ({ cause: 'complaint', source: 'complaint' } as const) : BOUNCE;
  return [{ channel: 'email', address, ...why }];
}

const BOUNCE = { cause: 'bounce', source: null } as const;

function activityOf({ kind, messageId, last_message_id }: AppliedReport): Activity[] {
  const message = messageId ?? last_message_id ?? null;
  if (message === null || kind === 'soft') return [];
  return [{ messageId: message, type: kind === 'complaint' ? 'complained' : 'bounced' }];
}

async function updateContacts(
  tx: Tx,
  companyId: number,
  { suppressions, contacts }: Pick<BounceDeps, 'suppressions' | 'contacts'>,
  about: { kind: BounceReport['kind']; contact_id?: number }[],
  now: Date,
): Promise<void> {
  const of = (kind: BounceReport['kind']): number[] => [
    ...new Set(about.flatMap((report) => (report.kind === kind ? (report.contact_id ?? []) : []))),
  ];
  const complained = of('complaint');
  if (complained.length > 0) {
    const change = { channels: ['email'], state: 'unsubscribed', source: 'complaint', cause: 'complaint' } as const;
    await contacts.changeConsents(tx, companyId, suppressions, complained, { ...change, now });
  }
  const soft = of('soft');
  await countBounces(tx, companyId, contacts, { hard: of('hard'), soft }, now);
  if (soft.length > 0) await noteReported(tx, companyId, soft, now);
}

/** Deletes keys of notifications so old that a repetition would be refused for its age. */
export function purgeOldNotifications(db: Queryable, clock: Clock): Slice<Date> {
  const before = (): Date => new Date(clock.now().getTime() - REMEMBERED_MS);
  return purgeByAge(db, { table: 'bounce_notifications', column: 'received_at', before });
}
