import type { Logger } from 'pino';
import type { CompanyVersions } from '../../../access/company-versions.ts';
import type { Queryable } from '../../../db/pool.ts';
import { findHosts } from './queries.ts';

export interface TrackingHosts {
  /** The companies whose links the host serves; undefined for none. Only reads memory. */
  holdersOf(host: string): ReadonlySet<number> | undefined;
}

/**
 * All hosts of all companies, kept in memory and updated within a second by the poll for configuration changes. A verified host serves only
 * its company; one that is no longer verified serves those that had it, because their e-mails point there while the DNS does.
 * See docs/design/deliverability.md.
 */
export function createTrackingHosts(
  db: Queryable,
  versions: Pick<CompanyVersions, 'watch'>,
  log: Logger,
): TrackingHosts {
  /** By host: the companies, and whether the host is verified for them. */
  const claims = new Map<string, Map<number, boolean>>();
  const hostsOf = new Map<number, string[]>();
  const holders = new Map<string, ReadonlySet<number>>();
  /** Companies still to read; they stay here if reading failed. */
  const changed = new Set<number>();

  async function read(): Promise<void> {
    const companies = [...changed];
    const rows = await findHosts(db, companies);
    for (const company of companies) changed.delete(company);
    const touched = new Set(rows.map(({ host }) => host));
    for (const company of companies) {
      for (const host of hostsOf.get(company) ?? []) {
        claims.get(host)?.delete(company);
        touched.add(host);
      }
      hostsOf.delete(company);
    }
    for (const { company_id: company, host, active } of rows) {
      hostsOf.set(company, [...(hostsOf.get(company) ?? []), host]);
      claims.set(host, (claims.get(host) ?? new Map<number, boolean>()).set(company, active));
    }
    for (const host of touched) settle(host);
  }

  function settle(host: string): void {
    const all = [...(claims.get(host) ?? [])];
    const verified = all.filter(([, active]) => active);
    const served = (verified.length > 0 ? verified : all).map(([company]) => company);
    if (served.length > 0) {
      holders.set(host, new Set(served));
    } else {
      claims.delete(host);
      holders.delete(host);
    }
  }

  versions.watch(async (companies) => {
    for (const company of companies) changed.add(company);
    if (changed.size > 0) {
      await read().catch((error: unknown) => log.error({ err: error }, 'the tracking hosts could not be read'));
    }
  });

  return { holdersOf: (host) => holders.get(host) };
}
