import { storable } from '../../lib/storable.ts';
import { type Dns, DnsUnreachable } from './dns.ts';
import {
  type DomainKey,
  dkimFinding,
  dmarcFinding,
  type Finding,
  type Findings,
  spfIncludes,
  spfRecords,
} from './dns-records.ts';

/** Maximum look-ups of a receiver for one SPF record (RFC 7208, 4.6.4). */
const SPF_LOOKUPS = 10;
/** Parent domains queried for a policy, so that a name of a hundred labels costs no more. */
const DMARC_LOOKUPS = 5;
/** All queries about a domain together. */
const TIMEOUT_MS = 5_000;
/** Maximum length of a CNAME chain. */
const CNAME_LOOKUPS = 5;

/**
 * Checks a domain's DNS records in at most 5 seconds; anything without a response by then is unreachable.
 * See docs/design/deliverability.md.
 */
export async function examine(dns: Dns, key: DomainKey, spfInclude: string | null): Promise<Findings> {
  const { domain, selector, publicKey, tracking: wanted } = key;
  const ends = AbortSignal.timeout(TIMEOUT_MS);
  const [dkim, spf, dmarc, tracking] = await Promise.all([
    responded(ends, async () => dkimFinding(await dns.txt(`${selector}._domainkey.${domain}`), publicKey)),
    responded(ends, () => spfFinding(dns, domain, spfInclude, ends)),
    responded(ends, () => dmarcOf(dns, domain, ends)),
    wanted === null || wanted.target === null
      ? undefined
      : responded(ends, () => trackingOf(dns, wanted.host, wanted.target!, ends)),
  ]);
  return tracking === undefined ? { dkim, spf, dmarc } : { dkim, spf, dmarc, tracking };
}

async function responded(ends: AbortSignal, ask: () => Promise<Finding>): Promise<Finding> {
  const late = new Promise<Finding>((resolve) => {
    ends.addEventListener('abort', () => resolve({ state: 'unreachable', found: null }), { once: true });
  });
  try {
    const { state, found } = await Promise.race([ask(), late]);
    return { state, found: found === null ? null : storable(found) };
  } catch (error) {
    if (error instanceof DnsUnreachable) return { state: 'unreachable', found: null };
    throw error;
  }
}

/** If no include is configured, any single SPF record is accepted. */
async function spfFinding(dns: Dns, domain: string, include: string | null, ends: AbortSignal): Promise<Finding> {
  const records = spfRecords(await dns.txt(domain));
  if (records.length === 0) return { state: 'missing', found: null };
  const found = records[0]!.slice(0, 1_000);
  // More than one is an error for receivers (RFC 7208, 4.5).
  if (records.length > 1) return { state: 'wrong', found };
  if (include === null) return { state: 'found', found };
  const seen = new Set<string>();
  const names = spfIncludes(found);
  for (let name = names.shift(); name !== undefined && !ends.aborted; name = names.shift()) {
    if (name === include) return { state: 'found', found };
    if (seen.has(name) || seen.size >= SPF_LOOKUPS) continue;
    seen.add(name);
    const [record] = spfRecords(await dns.txt(name));
    if (record !== undefined) names.push(...spfIncludes(record));
  }
  return { state: 'wrong', found };
}

/** If the domain has no policy of its own, that of its parent domain applies (RFC 7489, 6.6.3). */
async function dmarcOf(dns: Dns, domain: string, ends: AbortSignal): Promise<Finding> {
  const own = dmarcFinding(await dns.txt(`_dmarc.${domain}`));
  if (own.state !== 'missing') return own;
  const labels = domain.split('.');
  for (let i = Math.max(1, labels.length - 1 - DMARC_LOOKUPS); i <= labels.length - 2 && !ends.aborted; i += 1) {
    const above = dmarcFinding(await dns.txt(`_dmarc.${labels.slice(i).join('.')}`));
    if (above.state !== 'missing') return above;
  }
  return own;
}

/** Whether a host points to the target, directly or through others. */
async function trackingOf(dns: Dns, host: string, target: string, ends: AbortSignal): Promise<Finding> {
  let name = await dns.cname(host);
  const found = name;
  for (let asked = 1; name !== null && name !== target && asked < CNAME_LOOKUPS && !ends.aborted; asked += 1) {
    name = await dns.cname(name);
  }
  if (found === null) return { state: 'missing', found };
  return { state: name === target ? 'found' : 'wrong', found };
}
