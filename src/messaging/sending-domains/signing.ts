import type { MasterKey } from '../../access/master-key.ts';
import type { DkimKey } from '../compose/mime/dkim.ts';

/** A private key as it is stored, sealed with the master key. */
export interface SealedSigner {
  domain: string;
  selector: string;
  sealed_key: string;
}

/** How the e-mails of a company are signed. */
export interface Signing {
  /** The key of the sending settings, whoever the sender is. */
  dkim: SealedSigner | null;
  /** The keys of the sending domains that were verified. */
  signers: readonly (SealedSigner & { failing: boolean })[];
}

/** The domain of an address. */
export function domainOfAddress(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}

function isWithin(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`);
}

/** The sending domain that the sender's address is of, or below; the longest of several. */
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

/** Whether a key of the company is published in the domain of the sender, so that DMARC counts the signature. */
export function isAligned({ dkim, signers }: Signing, from: string): boolean {
  const signer = sendingDomainOf(signers, from);
  if (signer !== null) return !signer.failing;
  return dkim !== null && isWithin(domainOfAddress(from), dkim.domain);
}

/**
 * Opens the key by which an e-mail of that sender is signed; undefined for none. A domain that fails goes on signing: where its
 * record is gone the signature counts as none (RFC 6376, 6.1), and where only the DNS failed nothing changes.
 */
export function createSigning(
  masterKey: Pick<MasterKey, 'open'>,
): (company: Signing, from: string) => DkimKey | undefined {
  // Companies are loaded anew when anything of them changes; what they hold is not changed.
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
