import { createKeyFinder, type KeyFinder } from '../../access/authenticator.ts';
import type { CompanyVersions } from '../../access/company-versions.ts';
import type { StoreHolder } from '../../access/store-holder.ts';
import type { Queryable } from '../../db/pool.ts';
import { findStoreKeyByText } from './queries.ts';
import { isStoreKey } from './service.ts';

/** A ceiling for all visitors together. Each network has limits of its own, which are much lower. */
const REQUESTS_PER_HOUR = 10_000_000;
/** Ids of API keys are positive and lie below; those of others are negative. */
const STORE_KEYS = 2 ** 52;
const NO_SCOPES: ReadonlySet<string> = new Set();

export function createStoreKeyFinder(db: Queryable, versions: CompanyVersions): KeyFinder<StoreHolder> {
  return createKeyFinder<StoreHolder>(versions, {
    isWellFormed: isStoreKey,
    async find(key) {
      const row = await findStoreKeyByText(db, key);
      if (row === undefined) return null;
      const holder = {
        companyId: row.company_id,
        keyId: STORE_KEYS + row.id,
        actor: 'store',
        scopes: NO_SCOPES,
        requestsPerHour: REQUESTS_PER_HOUR,
        origins: row.origins,
        isPublic: true as const,
        locationId: row.location_id,
        revokedAt: row.revoked_at,
      };
      return { holder, version: row.version };
    },
    isLive: ({ revokedAt }) => revokedAt === null,
  });
}
