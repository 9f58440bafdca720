import { recordAuditEntry } from '../../../access/audit.ts';
import type { Caller } from '../../../caller.ts';
import { write } from '../../../db/idempotency.ts';
import type { Db, Queryable } from '../../../db/pool.ts';
import type { PageLook } from '../../../messaging/consent/page.ts';
import { type CompileDesign, rebrandOrderTemplates } from '../order-emails/service.ts';
import type { BrandKit, BrandKitPatch } from './contract.ts';
import { pageLook } from './page-look.ts';
import * as queries from './queries.ts';

const NOTHING: BrandKit = {
  logo_url: null,
  website_url: null,
  product_url: null,
  address: null,
  style: {},
  social_links: [],
};

interface BrandKitDeps {
  db: Db;
  renderer: { compileDesign: CompileDesign };
}

export type BrandKitService = ReturnType<typeof createBrandKitService>;

/** The appearance of a company's e-mails. */
export function createBrandKitService({ db, renderer }: BrandKitDeps) {
  return {
    getBrandKit: (companyId: number) => readBrandKit(db.points(companyId), companyId),

    /** What the company's pages look like. */
    lookOf: async (companyId: number): Promise<PageLook> =>
      pageLook(await readBrandKit(db.points(companyId), companyId)),

    /** Sets the given fields. Ready-made e-mails that nobody has edited follow. */
    async updateBrandKit(caller: Caller, patch: BrandKitPatch): Promise<BrandKit> {
      const { companyId, now, actor } = caller;
      return write(db, caller, async (tx) => {
        const brands = await queries.mergeBrand(tx, companyId, patch);
        const [before, after] = [kitOf(brands.before), kitOf(brands.after)];
        await rebrandOrderTemplates(tx, companyId, { before, after, compile: renderer.compileDesign, now });
        const entry = { action: 'brand_kit.update', target: 'brand_kit', details: patch };
        await recordAuditEntry(tx, companyId, { at: now, actor, ...entry });
        return after;
      });
    },
  };
}

/** The brand kit, with defaults for fields that are not set. */
export async function readBrandKit(db: Queryable, companyId: number): Promise<BrandKit> {
  return kitOf(await queries.findBrand(db, companyId));
}

function kitOf(brand: Partial<BrandKit> | null): BrandKit {
  return { ...NOTHING, ...brand };
}
