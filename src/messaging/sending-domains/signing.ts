import type { MasterKey } from '../../access/master-key.ts';
import type { DkimKey } from '../compose/mime/encode.ts';

/** A stored private key, sealed with the master key. */
export interface SealedSigner {
  domain: string;
  selector: string;
  sealed_key: string;
}

/** How the e-mails of a company are signed. */
export interface Signing {
  /** The key from the sending settings, used for any sender. */
  dkim: SealedSigner | null;
  /** The keys of verified sending domains. */
  signers: readonly (SealedSigner & { failing: boolean })[];
}

/** The domain of an address. */
export function domainOfAddress(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}

function isWithin(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`);
}

/** Returns the sending domain that equals or contains the domain of the sender's address; the longest of several. */
export function sendingDomainOf<Signer extends { domain: string }>(
  signers: readonly Signer[],
  from: string,
): Signer | null {
  const name = domainOfAddress(from);
  const [first] = signers
    .filter(({ domain }) => isWithin(name, domain))
    .sort((a, b) => b.domain.length - a.domain.length);
  return first ?? null;
}

/** Whether the sender's domain publishes a key of the company, so that DMARC accepts the signature. */
export function isAligned({ dkim, signers }: Signing, from: string): boolean {
  const signer = sendingDomainOf(signers, from);
  if (signer !== null) return !signer.failing;
  return dkim !== null && isWithin(domainOfAddress(from), dkim.domain);
}

/** Whether the address is the company's sender, or its domain publishes a key of the company. */
export function isOwnSender(company: Signing & { from_email: string }, address: string): boolean {
  return address === company.from_email.toLowerCase() || isAligned(company, address);
}

/**
 * Returns the key that signs e-mails of this sender; undefined if there is none. A failing domain still signs: if its record is gone, the
 * signature counts as none (RFC 6376, 6.1), and if only the DNS failed nothing changes.
 */
export function createSigning(
  masterKey: Pick<MasterKey, 'open'>,
): (company: Signing, from: string) => DkimKey | undefined {
  // A company is reloaded whenever any of it changes, and its objects are never modified.
  const opened = new WeakMap<SealedSigner, DkimKey>();
  return ({ dkim, signers }, from) => {
    const signer = sendingDomainOf(signers, from) ?? dkim;
    if (signer === null) return undefined;
    const known = opened.get(signer);
    if (known !== undefined) return known;
    const { domain, selector, sealed_key } = signer;
    const key = { domain, selector, privateKey: masterKey.open(Buffer.from(sealed_key, 'base64')) };
    opened.set(signer, key);
    return key;
  };
}
