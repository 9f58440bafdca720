import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

/** What every receiver verifies, and the largest whose record DNS services take without trouble. */
const BITS = 2_048;
const generate = promisify(generateKeyPair);

export interface NewDomainKey {
  /** Its own each time: several installations and companies may send from one domain. */
  selector: string;
  /** DER in base64. */
  publicKey: string;
  /** PEM. */
  privateKey: string;
}

/** Makes a pair of keys, outside of the main thread. */
export async function newDomainKey(): Promise<NewDomainKey> {
  const { publicKey, privateKey } = await generate('rsa', {
    modulusLength: BITS,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { selector: `tl${randomBytes(4).toString('hex')}`, publicKey: publicKey.toString('base64'), privateKey };
}
