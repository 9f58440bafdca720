import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { AppError } from '../../errors.ts';
import { FairQueue } from '../../lib/fair-queue.ts';

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

/** Makes a key of a company. Throws rate_limited. */
export type DomainKeyMaker = (companyId: number) => Promise<NewDomainKey>;

/** Generates key pairs outside the main thread, one at a time, companies in turn: each takes a processor for some 100 ms. */
export function createDomainKeyMaker(): DomainKeyMaker {
  const refusal = (): AppError =>
    new AppError('rate_limited', 'Too many sending domains are being added at once', { retry_after: 2 });
  const queue = new FairQueue({ capacity: 1, maxWaiting: 5, maxWaitMs: 5_000, refusal });
  return (companyId) => queue.run(companyId, newDomainKey);
}

async function newDomainKey(): Promise<NewDomainKey> {
  const { publicKey, privateKey } = await generate('rsa', {
    modulusLength: BITS,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { selector: `tl${randomBytes(4).toString('hex')}`, publicKey: publicKey.toString('base64'), privateKey };
}
