import { type KeyObject, X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';

/** A certificate with a verified chain to a root. */
export interface Trusted {
  key: KeyObject;
  /** When the first certificate of the chain expires. */
  until: Date;
}

/** How the issuers of a certificate are found. */
export interface Known {
  roots(): readonly X509Certificate[];
  /** Fetches the issuer certificate from the URL in a certificate. */
  issuerAt(url: string): Promise<Buffer | null>;
}

/** Maximum number of certificates between a certificate and its root; Amazon has one. */
const MOST_ISSUERS = 4;
const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Verifies that the first certificate belongs to one of the hosts, is valid now and chains to one of the roots, through the other
 * certificates or through those fetched from the issuer URLs; null if not. Revocation is not checked.
 */
export async function followToRoot(
  pem: string,
  hosts: readonly string[],
  now: Date,
  { roots, issuerAt }: Known,
): Promise<Trusted | null> {
  const [leaf, ...others] = (pem.match(PEM) ?? []).map(read);
  if (leaf == null || leaf.ca || !isValid(leaf, now)) return null;
  if (!hosts.some((host) => leaf.checkHost(host, { wildcards: false }) !== undefined)) return null;
  let until = leaf.validToDate;
  let current = leaf;
  for (let n = 0; n <= MOST_ISSUERS; n++) {
    if (roots().some((root) => issued(root, current, now))) return { key: leaf.publicKey, until };
    const issuer =
      others.find((one) => one !== null && issued(one, current, now)) ?? (await fetched(current, now, issuerAt));
    if (issuer === null) return null;
    if (issuer.validToDate < until) until = issuer.validToDate;
    current = issuer;
  }
  return null;
}

async function fetched(of: X509Certificate, now: Date, issuerAt: Known['issuerAt']): Promise<X509Certificate | null> {
  const url = /^CA Issuers - URI:(\S+)$/m.exec(of.infoAccess ?? '')?.[1];
  const bytes = url === undefined ? null : await issuerAt(url);
  const issuer = bytes === null ? null : read(bytes);
  return issuer !== null && issued(issuer, of, now) ? issuer : null;
}

function issued(issuer: X509Certificate, of: X509Certificate, now: Date): boolean {
  return issuer.ca && isValid(issuer, now) && of.checkIssued(issuer) && of.verify(issuer.publicKey);
}

function isValid({ validFromDate, validToDate }: X509Certificate, now: Date): boolean {
  return validFromDate <= now && now <= validToDate;
}

function read(certificate: string | Buffer): X509Certificate | null {
  try {
    return new X509Certificate(certificate);
  } catch {
    return null;
  }
}

let parsed: X509Certificate[] | null = null;

/** The roots that Node trusts. Parsing all of them takes 10 ms, so it happens on first use. */
export function nodesRoots(): readonly X509Certificate[] {
  parsed ??= rootCertificates.map((pem) => new X509Certificate(pem));
  return parsed;
}
