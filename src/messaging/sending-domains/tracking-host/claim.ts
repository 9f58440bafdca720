import { constraintOf, type Tx } from '../../../db/pool.ts';
import { invalidField } from '../../../errors.ts';
import type { Findings, RecordState } from '../dns-records.ts';
import type { DomainRow } from '../queries.ts';
import { firstCheck, type Standing } from '../state.ts';
import * as queries from './queries.ts';

/** Former hosts that keep working here, for e-mails already sent. */
const MOST_BEFORE = 50;
/**
 * New hosts of a company per day: as many as it may have domains. A proxy may order a certificate for each, and certificate authorities
 * limit the orders of an account, which all companies of the installation share.
 */
const MOST_A_DAY = 20;
/** Record states that mean that the host does not point here. */
const LOST: ReadonlySet<RecordState> = new Set(['missing', 'wrong', 'no_https']);
const DAY_MS = 24 * 60 * 60_000;

/** Sets or removes the host for the links of a domain that the transaction has locked. Throws validation_failed. */
export async function nameHost(
  tx: Tx,
  companyId: number,
  row: Pick<DomainRow, 'id' | 'tracking_host'>,
  host: string | null,
  now: Date,
): Promise<void> {
  if (host === row.tracking_host) return;
  if (row.tracking_host !== null) await queries.deactivateHost(tx, companyId, row.tracking_host);
  try {
    await tx.savepoint(() => queries.setHost(tx, companyId, row.id, { host, now, dueAt: firstCheck(now) }));
  } catch (error) {
    if (constraintOf(error) !== queries.ONE_DOMAIN) throw error;
    throw invalidField('tracking_host', `Another sending domain of the company has the host ${host}`, 'taken');
  }
}

/** The domain no longer has the host. */
export async function releaseHost(tx: Tx, companyId: number, host: string | null): Promise<void> {
  if (host !== null) await queries.deactivateHost(tx, companyId, host);
}

/** Serves a host whose records were found before it is verified. Returns false if the company had too many new hosts lately. */
export async function admitHost(tx: Tx, companyId: number, host: string, now: Date): Promise<boolean> {
  await queries.lockHosts(tx, companyId);
  const since = new Date(now.getTime() - DAY_MS);
  if ((await queries.countHostsSince(tx, companyId, host, since)) >= MOST_A_DAY) return false;
  await queries.admitHost(tx, companyId, host, now);
  // Includes this one.
  await queries.dropOldest(tx, companyId, MOST_BEFORE + 1);
  return true;
}

/**
 * Verifies a host or ends its verification. Its record only says that it points here, which anyone could claim; the domain's own key in the
 * DNS proves whose it is. Returns the findings and since when the host has been in its state.
 */
export async function settleHost(
  tx: Tx,
  companyId: number,
  row: DomainRow,
  { findings, standing, now }: { findings: Findings; standing: Standing; now: Date },
): Promise<{ findings: Findings; active: boolean; since: Date | null }> {
  const { tracking, dkim } = findings;
  const { tracking_host: host, tracking_since: since } = row;
  const active = row.tracking_active === true;
  if (host === null || tracking === undefined) return { findings, active, since };
  const isLost = LOST.has(tracking.state) || standing.state !== 'verified';
  const isProven = tracking.state === 'found' && dkim?.state === 'found' && standing.state === 'verified';
  if (active ? !isLost : !isProven) return { findings, active, since };
  if (active) {
    await queries.deactivateHost(tx, companyId, host);
  } else if (!(await activate(tx, companyId, host, now))) {
    return { findings: { ...findings, tracking: { ...tracking, state: 'taken' } }, active: false, since };
  }
  await queries.setSince(tx, companyId, row.id, now);
  return { findings, active: !active, since: now };
}

/** Returns false if another company has the host; of two concurrent requests one wins. */
async function activate(tx: Tx, companyId: number, host: string, now: Date): Promise<boolean> {
  try {
    await tx.savepoint(() => queries.activateHost(tx, companyId, host, now));
  } catch (error) {
    if (constraintOf(error) === queries.ONE_HOLDER) return false;
    throw error;
  }
  await queries.dropOldest(tx, companyId, MOST_BEFORE);
  return true;
}
