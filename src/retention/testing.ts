import pino from 'pino';
import type { Db } from '../db/pool.ts';
import type { TestServer } from '../testing/harness.ts';
import { createRetention } from './worker.ts';

/** Removes everything that is older than the companies keep, at the server's present moment. */
export async function removeOld(server: TestServer): Promise<void> {
  await server.rows("update retention_progress set next_at = '-infinity'");
  await removeDue(server);
}

/** Removes old data of the kinds whose next check is due. */
export async function removeDue(server: TestServer): Promise<void> {
  const turn = createRetention({ db: server.app.db.chores, clock: server.clock, log: pino({ level: 'silent' }) });
  while ((await turn()) !== undefined);
}

/** The same, but calls `change` once, after the company's first rows were removed. */
export async function removeOldUntil(
  server: TestServer,
  companyId: number,
  change: () => Promise<void>,
): Promise<void> {
  await server.rows("update retention_progress set next_at = '-infinity'");
  const chores = server.app.db.chores;
  let changed = false;
  const tenantTx: Db['tenantTx'] = async (company, work) => {
    const result = await chores.tenantTx(company, work);
    const [row] = await server.rows<{ removed: string }>(
      'select coalesce(sum(removed), 0) as removed from retention_progress where company_id = $1',
      [companyId],
    );
    if (!changed && Number(row!.removed) > 0) {
      changed = true;
      await change();
    }
    return result;
  };
  const db = new Proxy(chores, {
    get: (target, name) => {
      if (name === 'tenantTx') return tenantTx;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const turn = createRetention({ db, clock: server.clock, log: pino({ level: 'silent' }) });
  while ((await turn()) !== undefined);
}
