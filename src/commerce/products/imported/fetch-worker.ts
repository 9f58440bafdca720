import type { Logger } from 'pino';
import { workerCaller } from '../../../caller.ts';
import type { Clock } from '../../../clock.ts';
import type { Db } from '../../../db/pool.ts';
import { AppError } from '../../../errors.ts';
import { RequestRefused } from '../../../net/host-guard.ts';
import type { SafeFetch } from '../../../net/safe-fetch.ts';
import { makeCalls } from '../../../work/fair-calls.ts';
import { createWorker, type Worker } from '../../../work/worker.ts';
import { MAX_PICTURE_BYTES } from '../../pictures/contract.ts';
import { type PicturesService, relinkPictures } from '../../pictures/service.ts';
import * as queries from './fetch-queries.ts';

export interface PictureFetchDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  pictures: Pick<PicturesService, 'upload'>;
  safeFetch: Pick<SafeFetch, 'download'>;
}

const IDLE_MS = 5_000;
/** Longer than the four requests of a fetch, each of which may take 20 seconds, and the storing. */
const AGAIN_MS = 5 * 60_000;
const MAX_ATTEMPTS = 5;
/** After the first attempt, the second, and so on. */
const BACKOFF_MS = [60_000, 10 * 60_000, 3_600_000, 6 * 3_600_000];
/** Each holds a picture of up to 10 MiB. */
const IN_ALL = 4;
const MAX_REDIRECTS = 3;

/** The picture cannot be had: another attempt would not help. */
class Unusable extends Error {}

/**
 * Fetches the pictures that imported products have by URL, one of each company at a time, and stores them. Requests reach public addresses
 * only. The products then show the stored picture; if it cannot be fetched, they keep the URL.
 */
export function createPictureFetchWorker(deps: PictureFetchDeps): Worker {
  const { db, clock, log, pictures, safeFetch } = deps;

  async function download(first: string): Promise<Buffer> {
    let url = first;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const { status, location, bytes } = await safeFetch.download({ url, maxBytes: MAX_PICTURE_BYTES, plain: true });
      if (status >= 300 && status < 400 && location !== null && URL.canParse(location, url)) {
        url = new URL(location, url).href;
      } else if (status === 404 || status === 410) throw new Unusable(`The server responded with ${status}`);
      else if (status !== 200) throw new Error(`The server responded with ${status}`);
      else if (bytes === null) throw new Unusable('The picture is larger than 10 MiB');
      else return bytes;
    }
    throw new Unusable(`More than ${MAX_REDIRECTS} redirects`);
  }

  /** Replaces the URL, unless somebody has removed it in the meantime. */
  async function show(companyId: number, productId: number, url: string, storedUrl: string): Promise<void> {
    await db.tenantTx(companyId, async (tx) => {
      const before = await queries.lockImages(tx, companyId, productId);
      const isThere = before?.some((image) => image.url === url) ?? false;
      if (before !== undefined && isThere) {
        const after = replaced(before, url, storedUrl);
        await queries.replaceImages(tx, companyId, productId, after);
        await relinkPictures(tx, { companyId, now: clock.now() }, [{ productId, before, after }]);
      }
      await queries.settleFetch(tx, companyId, { productId, url, storedUrl: isThere ? storedUrl : null });
    });
  }

  async function fetchPicture(companyId: number, { id, url, attempts }: queries.Fetch): Promise<void> {
    try {
      const bytes = await download(url);
      const picture = await pictures.upload(workerCaller(companyId, 'picture-fetches', clock.now()), bytes);
      for (const productId of await queries.findWaiting(db, companyId, url)) {
        await show(companyId, productId, url, picture.url);
      }
    } catch (error) {
      const isFinal = attempts >= MAX_ATTEMPTS || isUnusable(error);
      const about = { err: error, company_id: companyId, url, attempts };
      log.warn(about, isFinal ? 'a picture of an import stays at its URL' : 'a picture of an import is tried again');
      const delay = BACKOFF_MS[attempts - 1] ?? 0;
      if (isFinal) await queries.failFetches(db, companyId, url);
      else await queries.rescheduleFetch(db, companyId, id, new Date(clock.now().getTime() + delay));
    }
  }

  return createWorker({
    name: 'picture-fetches',
    idleMs: IDLE_MS,
    log,
    nextDue: () => queries.nextDueFetch(db),
    run: (signal) =>
      makeCalls(
        {
          companies: () => queries.companiesWithFetches(db, clock.now()),
          claim: (companyId, limit) => {
            const now = clock.now();
            const again = new Date(now.getTime() + AGAIN_MS);
            return db.tenantTx(companyId, (tx) => queries.claimFetches(tx, companyId, { now, again, limit }));
          },
          call: (companyId, fetch) =>
            fetchPicture(companyId, fetch).catch((error: unknown) =>
              log.error(
                { err: error, company_id: companyId },
                'a fetched picture was not settled: it is fetched again',
              ),
            ),
          share: 1,
          capacity: IN_ALL,
        },
        signal,
      ),
  });
}

/** Two URLs may lead to the same picture, which is shown once then. */
function replaced(images: queries.ProductImage[], url: string, storedUrl: string): queries.ProductImage[] {
  const all = images.map((image) => (image.url === url ? { ...image, url: storedUrl } : image));
  return all.filter((image) => {
    const same = all.filter((other) => other.url === image.url);
    return image === (same.find(({ is_primary }) => is_primary) ?? same[0]);
  });
}

/** Whether the fault is in the URL or the picture. A busy server and a lost connection are not. */
function isUnusable(error: unknown): boolean {
  if (error instanceof AppError) return error.code === 'validation_failed';
  return (
    error instanceof Unusable ||
    error instanceof RequestRefused ||
    (error instanceof Error && error.cause instanceof RequestRefused)
  );
}
