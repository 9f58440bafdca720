import { recordAuditEntry } from '../access/audit.ts';
import type { MasterKey } from '../access/master-key.ts';
import type { Caller } from '../caller.ts';
import type { ConnectionSettings, Db } from '../db/pool.ts';
import { AppError } from '../errors.ts';
import { StreamedText } from '../lib/streamed.ts';
import { exportedFiles } from './export.ts';
import { zipped } from './zip.ts';

export interface CompanyExportDeps {
  db: Db;
  /** As the command line connects. */
  connection: ConnectionSettings;
  masterKey: MasterKey;
}

export { exportCompany } from './export.ts';

export type CompanyExportService = ReturnType<typeof createCompanyExportService>;

const RETRY_AFTER_SECONDS = 60;

/**
 * Everything of a company for its owner. It is of one moment, for which a connection of its own stays open until the client has taken
 * all: so one runs at a time in a process.
 */
export function createCompanyExportService({ db, connection, masterKey }: CompanyExportDeps) {
  let isRunning = false;

  async function* whileRunning(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      yield* pieces;
    } finally {
      isRunning = false;
    }
  }

  return {
    /** Records it in the audit log. Throws rate_limited while another one runs. */
    async begin({ companyId, actor, now }: Caller): Promise<StreamedText> {
      if (isRunning) {
        const message = 'Another export of a company is under way: try again later';
        throw new AppError('rate_limited', message, { retry_after: RETRY_AFTER_SECONDS });
      }
      isRunning = true;
      const pieces = whileRunning(zipped(exportedFiles(connection, companyId, { masterKey, now }), now));
      try {
        const first = await pieces.next();
        const entry = { at: now, actor, action: 'company.export', target: `company:${companyId}` };
        await db.tx((tx) => recordAuditEntry(tx, companyId, entry));
        const name = `company-${companyId}-${now.toISOString().slice(0, 10)}.zip`;
        return new StreamedText(followed(first, pieces), name);
      } catch (error) {
        await pieces.return(undefined);
        isRunning = false;
        throw error;
      }
    },
  };
}

async function* followed(first: IteratorResult<Buffer, void>, others: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (first.done !== true) yield first.value;
    yield* others;
  } finally {
    await others.return(undefined);
  }
}
