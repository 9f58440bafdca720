import { Command } from 'commander';
import { findCompany, listCompanies } from '../access/service.ts';
import { found } from '../errors.ts';
import { countRefusals, listRefusals, replayOldest, replayOne } from '../outbox/refusals/service.ts';
import { type Workplace, withDatabase } from './database.ts';
import { wholeNumber } from './numbers.ts';
import { printResult, table, UsageError, withExample } from './output.ts';

interface Flags {
  company?: number;
  id?: number;
  dataDir?: string;
  json?: boolean;
}

/** How many of a company's refused events are shown. */
const SHOWN = 100;

export function outboxCommand(): Command {
  const outbox = new Command('outbox').description('Events of the shop that the marketing side refused.');
  outbox.addCommand(refusedCommand());
  outbox.addCommand(replayCommand());
  return withExample(outbox, 'tradeloom outbox refused');
}

function refusedCommand(): Command {
  const command = new Command('refused')
    .description(`List the refused events with their reasons, up to ${SHOWN} of each company, the oldest first.`)
    .option('--company <id>', 'only those of this company', wholeNumber)
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (flags: Flags) => {
      const companies = await withDatabase(flags, async (place) => {
        const lists = [];
        for (const company_id of await companyIds(place, flags.company)) {
          const { rows, total } = await listRefusals(place.db, company_id, { per_page: SHOWN });
          if (total > 0) lists.push({ company_id, refused: total, refusals: rows });
        }
        return lists;
      });
      const rows = companies.flatMap(({ company_id, refusals }) =>
        refusals.map((one) => [company_id, one.refusal_id, one.event_type, one.refused_at, one.reason]),
      );
      const counts = companies.map(({ company_id, refused }) => `Company ${company_id}: ${refused} refused events.`);
      const text = [...counts, table(['COMPANY', 'ID', 'EVENT', 'REFUSED AT', 'REASON'], rows)].join('\n');
      printResult(flags.json, { companies }, companies.length === 0 ? 'No event is refused.' : text);
    });
  return withExample(command, 'tradeloom outbox refused --company 1');
}

function replayCommand(): Command {
  const command = new Command('replay')
    .description('Put refused events back into the outbox, so that a running server delivers them again.')
    .option('--company <id>', 'only those of this company', wholeNumber)
    .option('--id <id>', 'only this event of the company', wholeNumber)
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (flags: Flags) => {
      if (flags.id !== undefined && flags.company === undefined) throw new UsageError('--id requires --company');
      const replayed = await withDatabase(flags, (place) => replay(place, flags));
      printResult(flags.json, { replayed }, `${replayed} events wait in the outbox again.`);
    });
  return withExample(command, 'tradeloom outbox replay --company 1');
}

async function replay(place: Workplace, { company, id }: Flags): Promise<number> {
  const { db } = place;
  let replayed = 0;
  for (const companyId of await companyIds(place, company)) {
    if (id !== undefined) {
      await db.tenantTx(companyId, (tx) => replayOne(tx, companyId, id));
      return 1;
    }
    // Each once: a running server may refuse some of them again meanwhile.
    for (let left = await countRefusals(db, companyId); left > 0; ) {
      const part = await db.tenantTx(companyId, (tx) => replayOldest(tx, companyId));
      replayed += part.replayed;
      left = Math.min(left - part.replayed, part.remaining);
    }
  }
  return replayed;
}

async function companyIds({ db }: Workplace, only: number | undefined): Promise<number[]> {
  if (only === undefined) return (await listCompanies(db)).map((company) => company.company_id);
  return [found(await findCompany(db, only), `company ${only}`).company_id];
}
