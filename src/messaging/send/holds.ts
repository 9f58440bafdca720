import type { CompanyCache } from '../../access/company-cache.ts';
import type { Db, Queryable } from '../../db/pool.ts';
import { emptySql, rawSql, sql } from '../../db/sql.ts';
import { isUnsetSender, type SendingCompany } from '../settings/settings.ts';
import { type HeldSetting, type MissingSetting, missingOf, SETTINGS } from './missing-settings.ts';

/**
 * Messages that the gate holds have a due time that never comes, so that they are not claimed again until the setting exists, or the
 * pause has ended.
 */

/** Due time of held messages: never reached, and different for each cause, so that they can be found again. */
export function heldUntil(setting: HeldSetting): Date {
  return new Date(Date.UTC(9998, 0, 1 + SETTINGS.indexOf(setting)));
}

/** The same for marketing e-mail held while the company's is paused. */
export const HELD_WHILE_PAUSED = new Date(Date.UTC(9998, 1, 1));

/** A receipt that waited this long is useless: mail servers also retry no longer than this. */
const RECEIPT_MS = 3 * 24 * 3_600_000;
const RELEASED_AT_ONCE = 5_000;

/**
 * Releases messages held for settings that exist by now and for pauses that have ended; skips those that are too late. Returns how many.
 */
export async function releaseHolds(
  db: Db,
  companies: CompanyCache<SendingCompany>,
  missing: readonly MissingSetting[],
  now: Date,
): Promise<number> {
  let released = 0;
  for (const setting of SETTINGS) {
    const until = heldUntil(setting);
    const own = setting.cause !== 'no_sender' && missing.includes(setting) ? { ownChannel: setting.channel } : {};
    for (const companyId of await companiesWithHeld(db, until, own)) {
      const company = await companies.get(companyId);
      const lacks =
        setting.cause === 'no_sender'
          ? isUnsetSender(company.from_email)
          : missingOf(missing, company).includes(setting);
      if (!lacks) released += await release(db, company, until, now);
    }
  }
  for (const companyId of await companiesWithHeld(db, HELD_WHILE_PAUSED)) {
    const company = await companies.get(companyId);
    if (company.paused === null) released += await release(db, company, HELD_WHILE_PAUSED, now);
  }
  return released;
}

/** Returns how many. */
async function release(db: Db, company: SendingCompany, until: Date, now: Date): Promise<number> {
  const late = {
    marketing: new Date(now.getTime() - company.max_lateness_hours * 3_600_000),
    transactional: new Date(now.getTime() - RECEIPT_MS),
  };
  let released = 0;
  for (let n = RELEASED_AT_ONCE; n === RELEASED_AT_ONCE; released += n) {
    n = await releaseHeld(db, company.companyId, until, { late, now, limit: RELEASED_AT_ONCE });
  }
  return released;
}

/** Condition on messages m, in addition to company and due time, worded like their index. Campaign messages are never held. */
const HELD = rawSql("m.lane in (0, 1) and m.status = 'queued' and m.campaign_id is null");

/**
 * One index probe per company and lane. With `ownChannel`, only companies with an active sending account of their own for that channel;
 * null matches none.
 */
async function companiesWithHeld(
  db: Queryable,
  until: Date,
  { ownChannel }: { ownChannel?: MissingSetting['channel'] } = {},
): Promise<number[]> {
  const own = sql`exists (select 1 from sending_accounts a
      where a.company_id = c.company_id and a.channel = ${ownChannel ?? null} and a.active) and`;
  const rows = await db.query<{ company_id: number }>(sql`
    select c.company_id from companies c where ${ownChannel === undefined ? emptySql : own} exists (
      select 1 from messages m where m.company_id = c.company_id and ${HELD} and m.due_at = ${until})
    order by 1`);
  return rows.map((row) => row.company_id);
}

interface Release {
  /** Messages wanted before these times are skipped. */
  late: { marketing: Date; transactional: Date };
  now: Date;
  limit: number;
}

/** Makes some held messages due at their original times; returns how many. */
async function releaseHeld(
  db: Queryable,
  companyId: number,
  until: Date,
  { late, now, limit }: Release,
): Promise<number> {
  const rows = await db.query<{ n: number }>(sql`
    with held as materialized (
      select m.id, m.wanted_at < case when m.transactional then ${late.transactional}::timestamptz
        else ${late.marketing}::timestamptz end as late
      from messages m
      where m.company_id = ${companyId} and ${HELD} and m.due_at = ${until}
      order by m.lane, m.due_at, m.id limit ${limit} for update skip locked
    ),
    released as (
      update messages m set due_at = m.wanted_at, status = case when held.late then 'skipped' else 'queued' end,
        reason = case when held.late then 'too_late' end, ended_at = case when held.late then ${now}::timestamptz end
      from held where m.company_id = ${companyId} and m.id = held.id returning 1
    )
    select count(*) as n from released`);
  return rows[0]!.n;
}

interface HeldCount {
  company_id: number;
  setting: HeldSetting;
  n: number;
}

/** Counts held messages by company and cause, at most `atMost` per count; of one company or of all. */
export async function countHeldMessages(
  db: Queryable,
  of: { companyId: number | null; atMost: number },
): Promise<HeldCount[]> {
  const rows = await db.query<{ company_id: number; place: number; n: number }>(sql`
    select c.company_id, u.place::int as place, h.n
    from companies c cross join unnest(${SETTINGS.map(heldUntil)}::timestamptz[]) with ordinality as u (until, place),
    lateral (
      select count(*) as n from (
        select 1 from messages m where m.company_id = c.company_id and ${HELD} and m.due_at = u.until limit ${of.atMost}
      ) first
    ) h
    where c.company_id = coalesce(${of.companyId}, c.company_id) and h.n > 0
    order by 1, 2`);
  return rows.map(({ company_id, place, n }) => ({ company_id, setting: SETTINGS[place - 1]!, n }));
}

/** Messages of the installation held for one setting. */
interface HeldSummary {
  held: HeldSetting['cause'];
  setting: HeldSetting['name'];
  /** Counts at most 1,000 per company. */
  messages: number;
}

/** Returns what is held, and the settings missing in this process for which messages would be held. */
export async function heldEverywhere(db: Queryable, missing: readonly MissingSetting[]): Promise<HeldSummary[]> {
  const messages = new Map<HeldSetting, number>(missing.map((setting) => [setting, 0]));
  for (const { setting, n } of await countHeldMessages(db, { companyId: null, atMost: 1_000 })) {
    messages.set(setting, (messages.get(setting) ?? 0) + n);
  }
  return [...messages].map(([{ cause, name }, n]) => ({ held: cause, setting: name, messages: n }));
}
