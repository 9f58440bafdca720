import type { Db } from '../../../db/pool.ts';
import type { Dns } from '../dns.ts';
import type { DomainKey, Findings } from '../dns-records.ts';
import { examine } from '../examine.ts';
import type { DomainRow } from '../queries.ts';
import { admitHost } from './claim.ts';
import type { HostProbe } from './ready.ts';

export interface CheckDeps {
  db: Db;
  dns: Dns;
  spfInclude: string | null;
  probeHost: HostProbe;
  /** Makes this process see a change at once; other processes see it within a second. */
  refreshSettings(): Promise<void>;
}

/**
 * Checks a domain: its DNS records and, if these prove the tracking host, whether HTTPS to it arrives here. A new host is made known to the
 * request guard and to `/tls/ask` first, since otherwise no proxy could get its certificate.
 */
export async function examineAll(
  { db, dns, spfInclude, probeHost, refreshSettings }: CheckDeps,
  { companyId, row, key, now }: { companyId: number; row: DomainRow; key: DomainKey; now: Date },
): Promise<Findings> {
  const findings = await examine(dns, key, spfInclude);
  const { tracking, dkim } = findings;
  const { tracking_host: host, tracking_active: active } = row;
  if (host === null || tracking?.state !== 'found' || dkim?.state !== 'found') return findings;
  if (active === null) {
    const isAdmitted = await db.tenantTx(companyId, (tx) => admitHost(tx, companyId, host, now));
    if (!isAdmitted) return { ...findings, tracking: { ...tracking, state: 'limited' } };
    await refreshSettings();
  }
  const { state, found } = await probeHost(host);
  if (state === 'reached') return findings;
  const isUnknown = state === 'silent' && active === true;
  return { ...findings, tracking: { state: isUnknown ? 'unreachable' : 'no_https', found } };
}
