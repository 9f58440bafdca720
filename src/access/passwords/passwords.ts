import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { AppError } from '../../errors.ts';
import { FairQueue } from '../../lib/fair-queue.ts';

/** OWASP's minimum for argon2id: 19 MiB, two passes, one lane. */
const PARAMETERS = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const SALT_BYTES = 16;
const TAG_BYTES = 32;
/** `$argon2id$v=19$m=…,t=…,p=…$salt$tag`, base64 without padding (the PHC string format). */
const PHC = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/;

interface Derivation {
  message: string;
  nonce: Buffer;
  memory: number;
  passes: number;
  parallelism: number;
  tagLength: number;
}
const argon2id = promisify(argon2);
const deriveKey = (derivation: Derivation): Promise<Buffer> => argon2id('argon2id', derivation);

export interface PasswordHasher {
  /** Returns the PHC string to store. Throws rate_limited if too many of the company's passwords are waiting. */
  hash(companyId: number, password: string): Promise<string>;
  /**
   * `outdated`: hashed with weaker parameters than today's; rehash it while the password is known. Throws rate_limited like `hash`, and an
   * Error for a string that is not an argon2id hash.
   */
  verify(companyId: number, password: string, stored: string): Promise<{ valid: boolean; outdated: boolean }>;
}

export interface PasswordHasherOptions {
  /** Each takes 19 MiB and a core for some 25 ms: more at once would only starve the rest of the process. */
  maxAtOnce?: number;
  /** Per company. */
  maxWaiting?: number;
  maxWaitMs?: number;
  derive?: (derivation: Derivation) => Promise<Buffer>;
}

/** The only hasher of a process. Companies take turns, so that one company's many passwords do not delay another's. */
export function createPasswordHasher(options: PasswordHasherOptions = {}): PasswordHasher {
  const { maxAtOnce = 2, maxWaiting = 100, maxWaitMs = 5_000, derive = deriveKey } = options;
  const queue = new FairQueue({ capacity: maxAtOnce, share: maxAtOnce, maxWaiting, maxWaitMs, refusal: tooBusy });
  return {
    async hash(companyId, password) {
      const nonce = randomBytes(SALT_BYTES);
      const message = normalise(password);
      const tag = await queue.run(companyId, () => derive({ message, nonce, ...PARAMETERS, tagLength: TAG_BYTES }));
      const { memory, passes, parallelism } = PARAMETERS;
      return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(nonce)}$${unpadded(tag)}`;
    },
    async verify(companyId, password, stored) {
      const { expected, ...parameters } = parse(stored);
      const message = normalise(password);
      const tag = await queue.run(companyId, () => derive({ message, ...parameters, tagLength: expected.length }));
      const outdated =
        parameters.memory < PARAMETERS.memory ||
        parameters.passes < PARAMETERS.passes ||
        parameters.parallelism !== PARAMETERS.parallelism;
      return { valid: timingSafeEqual(tag, expected), outdated };
    },
  };
}

/** The same password typed on another keyboard may consist of other code points (NIST SP 800-63B, 3.1.1.2). */
function normalise(password: string): string {
  return password.normalize('NFKC');
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

function parse(stored: string) {
  const match = PHC.exec(stored);
  if (match === null) throw new Error('A stored password is no argon2id hash');
  const [, memory, passes, parallelism, salt, tag] = match;
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    nonce: Buffer.from(salt!, 'base64'),
    expected: Buffer.from(tag!, 'base64'),
  };
}

function tooBusy(): AppError {
  return new AppError('rate_limited', 'Too many passwords of this company are being checked at once', {
    retry_after: 1,
  });
}
