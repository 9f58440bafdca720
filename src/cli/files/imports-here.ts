import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { createCompanyCache } from '../../access/company-cache.ts';
import { createCompanyVersions } from '../../access/company-versions.ts';
import { requireMasterKey } from '../../access/sealing/require-key.ts';
import { type Caller, workerCaller } from '../../caller.ts';
import { systemClock } from '../../clock.ts';
import { loadShop } from '../../commerce/shop.ts';
import type { Import } from '../../imports/schemas.ts';
import { createImportsService, createImportWorker, type ImportsService } from '../../imports/service.ts';
import { createRenderer } from '../../messaging/compose/renderer.ts';
import { suppressionsOf } from '../../messaging/service.ts';
import type { Workplace } from '../database.ts';

const POLL_MS = 200;

/** The imports of a company, with a worker in this process: they work beside a running server and without one. */
export interface ImportsHere {
  imports: ImportsService;
  caller(): Caller;
  /** Does the work here, unless a running server has taken it; returns the import when its phase has ended. */
  ended(id: number): Promise<Import>;
}

/** Throws not_found where there is no such company. */
export async function withImports<T>(
  { config, db, masterKey, interruption }: Workplace,
  company: number,
  run: (here: ImportsHere) => Promise<T>,
): Promise<T> {
  // With another key nobody who unsubscribed would be recognised.
  await requireMasterKey(db, masterKey, config);
  const versions = createCompanyVersions(db, () => {});
  const deps = {
    db,
    clock: systemClock,
    log: pino({ level: 'error' }, process.stderr),
    wake: () => {},
    shops: createCompanyCache(db, versions, loadShop),
    suppressions: suppressionsOf(masterKey),
  };
  const renderer = createRenderer({ textThreads: 1 });
  const imports = createImportsService(deps);
  const worker = createImportWorker({ ...deps, db: db.chores, renderer });
  interruption.before(async () => {
    await worker.pause();
    await worker.stop();
  });
  try {
    await deps.shops.get(company);
    return await run({
      imports,
      caller: () => workerCaller(company, 'import', systemClock.now()),
      async ended(id) {
        for (;;) {
          const done = await worker.runOnce();
          const row = await imports.getImport(company, id);
          if (interruption.signal.aborted || !['checking', 'running', 'undoing'].includes(row.status)) return row;
          if (process.stderr.isTTY) process.stderr.write(`\r${row.status}: ${row.position} rows`);
          if (done === 0) await sleep(POLL_MS);
        }
      },
    });
  } finally {
    await worker.stop();
    await renderer.close();
    versions.stop();
  }
}
