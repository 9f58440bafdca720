import { recordAuditEntry } from '../../../access/audit.ts';
import type { Caller } from '../../../caller.ts';
import { write } from '../../../db/idempotency.ts';
import type { Db, Queryable } from '../../../db/pool.ts';
import type { BrandKit, BrandKitPatch } from './contract.ts';
import * as queries from './queries.ts';

const NOTHING: BrandKit = {
  logo_url: null,
  website_url: null,
  product_url: null,
  address: null,
  style: {},
  social_links: [],
};

export type BrandKitService = ReturnType<typeof createBrandKitService>;

/** The appearance of a company's e-mails. */
export function createBrandKitService({ db }: { db: Db }) {
  return {
    getBrandKit: (companyId: number) => readBrandKit(db.points(companyId), companyId),

    /** Sets the given fields. */
    async updateBrandKit(caller: Caller, patch: BrandKitPatch): Promise<BrandKit> {
      const { companyId, now, actor } = caller;
      return write(db, caller, async (tx) => {
        await queries.mergeBrand(tx, companyId, patch);
        const entry = { action: 'brand_kit.update', target: 'brand_kit', details: patch };
        await recordAuditEntry(tx, companyId, { at: now, actor, ...entry });
        return readBrandKit(tx, companyId);
      });
    },
  };
}

/** The brand kit, with defaults for fields that are not set. */
export async function readBrandKit(db: Queryable, companyId: number): Promise<BrandKit> {
  return { ...NOTHING, ...(await queries.findBrand(db, companyId)) };
}
