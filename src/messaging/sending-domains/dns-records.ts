/** The DNS records of a sending domain, wanted and found. No access to database or network in this file. */

export type Purpose = 'dkim' | 'spf' | 'dmarc' | 'tracking';

/**
 * unreachable: the DNS did not respond, which says nothing about the record. For a tracking host whose record is correct: taken: another
 * company has the host; no_https: HTTPS requests to it do not arrive here; limited: too many new hosts in a day.
 */
export type RecordState =
  | 'unchecked'
  | 'found'
  | 'missing'
  | 'wrong'
  | 'unreachable'
  | 'taken'
  | 'no_https'
  | 'limited';

/** The result for a record; `found` is the current content, if any. */
export interface Finding {
  state: RecordState;
  found: string | null;
}
export type Findings = Partial<Record<Purpose, Finding>>;

export interface DomainKey {
  domain: string;
  selector: string;
  /** DER in base64. */
  publicKey: string;
  /** The host of its links and the name it must point to (null if there is none); null without a host. */
  tracking: { host: string; target: string | null } | null;
}

export interface WantedRecord {
  purpose: Purpose;
  type: 'TXT' | 'CNAME';
  name: string;
  /** null if the required value is not configured. */
  value: string | null;
  /** Whether the domain needs it to be verified. */
  required: boolean;
}

/** Returns the records to set. `spfInclude`: name of the mail server's SPF record, if known. */
export function wantedRecords(key: DomainKey, spfInclude: string | null): WantedRecord[] {
  const { domain, selector, publicKey, tracking } = key;
  const links = tracking && { name: tracking.host, value: tracking.target };
  return [
    {
      purpose: 'dkim',
      type: 'TXT',
      name: `${selector}._domainkey.${domain}`,
      value: `v=DKIM1; k=rsa; p=${publicKey}`,
      required: true,
    },
    {
      purpose: 'spf',
      type: 'TXT',
      name: domain,
      value: spfInclude === null ? null : `v=spf1 include:${spfInclude} ~all`,
      required: false,
    },
    { purpose: 'dmarc', type: 'TXT', name: `_dmarc.${domain}`, value: 'v=DMARC1; p=none', required: false },
    ...(links === null ? [] : [{ purpose: 'tracking', type: 'CNAME', ...links, required: false } as const]),
  ];
}

/** Parses the tags of DKIM and DMARC records: `v=DKIM1; p=…`. */
function tagsOf(record: string): Map<string, string> {
  return new Map(
    record.split(';').flatMap((tag): [string, string][] => {
      const at = tag.indexOf('=');
      return at < 0 ? [] : [[tag.slice(0, at).trim().toLowerCase(), tag.slice(at + 1).replace(/\s+/g, '')]];
    }),
  );
}

const shown = (records: readonly string[]): string | null => records[0]?.slice(0, 1_000) ?? null;

/** Checks the TXT records at the key's name. Another key is wrong, and so is an empty one, which revokes. */
export function dkimFinding(records: readonly string[], publicKey: string): Finding {
  const keys = records.filter((record) => tagsOf(record).has('p'));
  if (keys.length === 0) return { state: records.length === 0 ? 'missing' : 'wrong', found: shown(records) };
  const isOurs = (record: string): boolean => {
    const tags = tagsOf(record);
    return tags.get('p') === publicKey && (tags.get('k') ?? 'rsa') === 'rsa' && (tags.get('v') ?? 'DKIM1') === 'DKIM1';
  };
  // Receivers may take any of several (RFC 6376, 3.6.2.2).
  return { state: keys.length === 1 && isOurs(keys[0]!) ? 'found' : 'wrong', found: shown(keys) };
}

/** Returns the SPF records among the TXT records of a domain. */
export function spfRecords(records: readonly string[]): string[] {
  return records.filter((record) => /^v=spf1(?:\s|$)/i.test(record));
}

/** Returns the domains that an SPF record includes. */
export function spfIncludes(record: string): string[] {
  return record
    .trim()
    .split(/\s+/)
    .flatMap((term) => /^(?:\+?include:|redirect=)(.+)$/i.exec(term)?.[1]?.toLowerCase().replace(/\.$/, '') ?? []);
}

/** Checks the TXT records at `_dmarc.`. */
export function dmarcFinding(records: readonly string[]): Finding {
  const policies = records.filter((record) => /^v\s*=\s*DMARC1\s*(?:;|$)/.test(record));
  if (policies.length === 0) return { state: 'missing', found: shown(records) };
  const policy = tagsOf(policies[0]!).get('p')?.toLowerCase();
  const isValid = policies.length === 1 && policy !== undefined && ['none', 'quarantine', 'reject'].includes(policy);
  return { state: isValid ? 'found' : 'wrong', found: shown(policies) };
}
