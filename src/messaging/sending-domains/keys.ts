import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

/** Every receiver verifies it, and it is the largest whose record DNS services accept without trouble. */
const BITS = 2_048;
const generate = promisify(generateKeyPair);

export interface NewDomainKey {
  /** A new one each time, because several installations and companies may send from one domain. */
  selector: string;
  /** DER in base64. */
  publicKey: string;
  /** PEM. */
  privateKey: string;
}

/** Generates a key pair outside the main thread. */
export async function newDomainKey(): Promise<NewDomainKey> {
  const { publicKey, privateKey } = await generate('rsa', {
    modulusLength: BITS,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { selector: `tl${randomBytes(4).toString('hex')}`, publicKey: publicKey.toString('base64'), privateKey };
}
