import type { MasterKey } from '../access/master-key.ts';
import type { Caller } from '../caller.ts';
import type { ConnectionSettings } from '../db/pool.ts';
import { AppError } from '../errors.ts';
import { FairQueue } from '../lib/fair-queue.ts';
import { begun, StreamedText } from '../lib/streamed.ts';
import { exportedFiles } from './export.ts';
import { zipped } from './zip.ts';

export interface CompanyExportDeps {
  /** The same settings as the command line uses. */
  connection: ConnectionSettings;
  masterKey: MasterKey;
}

export { exportCompany } from './export.ts';

export type CompanyExportService = ReturnType<typeof createCompanyExportService>;

const RETRY_AFTER_SECONDS = 60;
/** While the snapshot is open, no table of the database can be vacuumed of rows that have died since: half an hour of them is little. */
const LIMIT_MS = 30 * 60_000;
/**
 * Lets the database end a connection that this program did not end. Longer than the 30 s for which a client may stop reading, because a
 * client may pause at each piece of a page of long rows.
 */
const IDLE_MS = 120_000;

/**
 * Exports everything of a company for its owner. The export is one snapshot, which keeps a connection of its own open until the client has
 * read everything or half an hour has passed. Therefore each process runs only one export at a time.
 */
export function createCompanyExportService({ connection, masterKey }: CompanyExportDeps) {
  const refusal = (): AppError =>
    new AppError('rate_limited', 'Another export of a company is under way: try again later', {
      retry_after: RETRY_AFTER_SECONDS,
    });
  const queue = new FairQueue({ capacity: 1, refusal });

  return {
    /** Throws rate_limited while another export runs. */
    async begin({ companyId, now }: Caller): Promise<StreamedText> {
      const hold = queue.takeNow(companyId);
      const ending = new AbortController();
      const options = { masterKey, now, idleMs: IDLE_MS, signal: ending.signal };
      const archive = zipped(exportedFiles(connection, companyId, options), now);
      let closed: Promise<unknown> | undefined;
      const close = async (): Promise<void> => {
        ending.abort();
        closed ??= archive.return(undefined).finally(hold.release);
        await closed;
      };
      try {
        const pieces = await begun(archive);
        const name = `company-${companyId}-${now.toISOString().slice(0, 10)}.zip`;
        return new StreamedText(pieces, name, { close, limitMs: LIMIT_MS });
      } catch (error) {
        await close();
        throw error;
      }
    },
  };
}
