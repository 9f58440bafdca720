import { describe, expect, it } from 'vitest';
import { filesUnder, readSource } from './sources.ts';

/** What the program's own code must not use. docs/security-asvs.md names these tests. */
const product = filesUnder('src')
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !/\/testing[-/]|[-/]fixtures\.ts$/.test(path))
  .map(readSource);

/** Returns the places of the code that match, without comments. */
function places(pattern: RegExp, except: string[] = []): string[] {
  return product
    .filter(({ path }) => !except.includes(path))
    .flatMap(({ path, code }) => [...code.matchAll(pattern)].map(([found]) => `${path}: ${found}`));
}

describe('the program', () => {
  it('reads its own sources here', () => {
    expect(product.length).toBeGreaterThan(200);
    expect(places(/createHash\('sha256'\)/g).length).toBeGreaterThan(3);
  });

  it('runs no text as code', () => {
    expect(places(/\beval\(|new Function\(|'node:vm'|setTimeout\(\s*['"`]/g)).toEqual([]);
  });

  it('starts programs without a shell', () => {
    expect(places(/(?<!\.)\bexec(Sync)?\(\s*['"`]|shell:\s*(true|['"`])/g)).toEqual([]);
    expect(places(/import \{[^}]*\b(exec|execSync)\b[^}]*\} from 'node:child_process'/g)).toEqual([]);
  });

  it('takes randomness from the system’s generator alone', () => {
    expect(places(/Math\.random/g)).toEqual([]);
  });

  it('encrypts by AES-256-GCM alone', () => {
    const ciphers = places(/create(?:C|Dec)ipheriv\(\s*[^,]+/g).filter((place) => !place.endsWith("'aes-256-gcm'"));
    expect(ciphers).toEqual([]);
    expect(places(/createCipher\(|publicEncrypt|privateDecrypt/g)).toEqual([]);
  });

  it('hashes by SHA-256 and better, but where Twilio, Amazon and authenticator apps prescribe SHA-1 and for the names of statements', () => {
    const weak = /create(?:Hash|Hmac|Sign|Verify)\(\s*['"`](?!sha256|sha384|sha512)[^'"`]*|'(?:md5|sha1)'/gi;
    expect([...new Set(places(weak).map((place) => place.split(':')[0]))].sort()).toEqual([
      'src/db/sql.ts',
      'src/lib/totp.ts',
      'src/messaging/feedback/sns.ts',
      'src/messaging/sms/twilio.ts',
    ]);
  });

  it('makes no regular expression from input', () => {
    // Built from constants, and from the patterns of its own schemas.
    expect(places(/new RegExp\(/g)).toEqual([
      'src/http/openapi/examples.ts: new RegExp(',
      'src/marketing/rules/fields.ts: new RegExp(',
    ]);
  });

  it('checks certificates wherever it is a client of TLS', () => {
    expect(places(/rejectUnauthorized:\s*(?!true)\w+|NODE_TLS_REJECT_UNAUTHORIZED|checkServerIdentity/g)).toEqual([]);
  });

  it('makes no markup in browsers, and keeps nothing in their storage', () => {
    expect(places(/\.(inner|outer)HTML\b|document\.write|insertAdjacentHTML/g)).toEqual([]);
    expect(places(/localStorage|sessionStorage|indexedDB|document\.cookie/g)).toEqual([]);
    // The preview of an unsaved template: sandboxed, without an origin, and it listens only to the page that contains it.
    expect(places(/addEventListener\('message'/g)).toEqual(["src/admin/admin.ts: addEventListener('message'"]);
  });

  it('writes its log to standard error alone', () => {
    expect(places(/pino\.(destination|transport|multistream)\([^)]*\)/g)).toEqual([
      'src/monitoring/log.ts: pino.destination(2)',
    ]);
  });
});
