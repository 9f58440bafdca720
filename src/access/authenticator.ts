import type { Clock } from '../clock.ts';
import { visitorsOf } from '../db/lanes/lane.ts';
import type { Queryable } from '../db/pool.ts';
import { findApiKeyByHash } from './api-key-queries.ts';
import { hashApiKey, isWellFormed } from './api-keys.ts';
import type { CompanyVersions } from './company-versions.ts';

/** Who makes a request, as far as the pipeline needs to know. */
export interface Holder {
  /** 0 if the request concerns no company. */
  companyId: number;
  /** Id of the API key; negative for other holders. Requests and Idempotency-Keys are counted under it. */
  keyId: number;
  /** For histories and the audit log: `key:till`, `admin:7`. */
  actor: string;
  scopes: ReadonlySet<string>;
  /** 0 means unlimited. */
  requestsPerHour: number;
  /** Whether anybody may be it, such as a visitor of the shop. */
  isPublic?: true;
}

/**
 * Returns the number under which the limits on a process's memory and connections count a holder: the company's, or one of its own for the visitors of
 * its shop, so that they leave the shares of its programs and staff alone.
 */
export function shareOf({ companyId, isPublic }: Pick<Holder, 'companyId' | 'isPublic'>): number {
  return isPublic ? visitorsOf(companyId) : companyId;
}

/** The holder of an API key. */
export interface KeyHolder extends Holder {
  name: string;
  expiresAt: Date | null;
  revokedAt: Date | null;
}

/** Finds whose a key is. */
export interface KeyFinder<H extends Holder> {
  /**
   * Returns the holder of a live key, or null for a malformed, unknown, revoked or expired one. Returns no promise if the key is known and
   * its company unchanged, which is true for nearly every request.
   */
  authenticate(key: string): H | null | Promise<H | null>;
  /** Whether this process has seen the key live: then at most a check for changes is needed. */
  isKnown(key: string): boolean;
}

export type Authenticator = KeyFinder<KeyHolder>;

/** One kind of keys. */
interface KeyKind<H extends Holder> {
  isWellFormed(key: string): boolean;
  /** Returns the holder, with the version of the company's configuration from the same snapshot. */
  find(key: string): Promise<{ holder: H; version: number } | null>;
  isLive(holder: H): boolean;
}

/** Maximum keys in memory; beyond it the oldest are evicted. */
const MAX_KEPT = 50_000;

export function createKeyFinder<H extends Holder>(versions: CompanyVersions, kind: KeyKind<H>): KeyFinder<H> {
  const kept = new Map<string, { holder: H; version: number }>();
  const live = (holder: H): H | null => (kind.isLive(holder) ? holder : null);

  async function lookUp(key: string): Promise<H | null> {
    if (!versions.isFresh()) await versions.refresh();
    const found = await kind.find(key);
    if (found === null) return null;
    if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value!);
    kept.set(key, found);
    return live(found.holder);
  }

  return {
    authenticate(key) {
      const entry = kept.get(key);
      if (entry !== undefined && versions.isFresh() && entry.version === versions.version(entry.holder.companyId)) {
        return live(entry.holder);
      }
      if (!kind.isWellFormed(key)) return null;
      return lookUp(key);
    },
    isKnown(key) {
      const entry = kept.get(key);
      return entry !== undefined && kind.isLive(entry.holder);
    },
  };
}

/** Finds the holders of API keys. */
export function createAuthenticator(db: Queryable, versions: CompanyVersions, clock: Clock): Authenticator {
  return createKeyFinder<KeyHolder>(versions, {
    isWellFormed,
    async find(key) {
      const row = await findApiKeyByHash(db, hashApiKey(key));
      if (row === undefined) return null;
      const holder = {
        companyId: row.company_id,
        keyId: row.id,
        name: row.name,
        actor: `key:${row.name}`,
        scopes: new Set(row.scopes),
        requestsPerHour: row.requests_per_hour,
        expiresAt: row.expires_at,
        revokedAt: row.revoked_at,
      };
      return { holder, version: row.version };
    },
    isLive: ({ revokedAt, expiresAt }) => revokedAt === null && (expiresAt === null || expiresAt > clock.now()),
  });
}
