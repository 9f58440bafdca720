import { Command } from 'commander';
import { listCompanies } from '../access/service.ts';
import { systemClock } from '../clock.ts';
import { findHome } from '../db/home.ts';
import { findHold, findInstallation, HELD_BECAUSE, type Hold, holdSending } from '../installation.ts';
import { countLost } from '../messaging/ledger/failover-queries.ts';
import { confirmSending, countHeld, type Waiting } from '../messaging/ledger/restore-hold.ts';
import { holdIfMoved } from '../messaging/service.ts';
import { type Workplace, withDatabase } from './database.ts';
import { journalEntries, replayIn } from './erasures.ts';
import { printResult, UsageError, withExample } from './output.ts';

interface Flags {
  dataDir?: string;
  json?: boolean;
  waiting?: string;
}

export function sendingCommand(): Command {
  const sending = new Command('sending').description('Hold and resume outgoing messages and webhooks.');
  sending.addCommand(
    subcommand(
      'status',
      'Show whether sending is held, and how many messages wait.',
      'tradeloom sending status',
      async (place) => {
        // A database that was just restored may not have been started yet.
        const { db, config } = place;
        await holdIfMoved({ db, config, now: await nowOf(place) });
        const hold = await findHold(place.db);
        const waiting = await countHeld(place.db, await companyIds(place));
        const lost = await countLost(place.db);
        return {
          result: { held_since: hold?.since ?? null, because: hold?.because ?? null, waiting, lost },
          text: statusLine(hold, waiting, lost),
        };
      },
    ),
  );
  sending.addCommand(
    subcommand('hold', 'Hold all outgoing messages and webhooks.', 'tradeloom sending hold', async (place) => {
      await holdSending(place.db, await nowOf(place), 'asked');
      return { result: { held: true }, text: 'Sending is held until `tradeloom sending confirm`.' };
    }),
  );
  const confirm = subcommand(
    'confirm',
    'Resume sending.',
    'tradeloom sending confirm --waiting send',
    async (place, { waiting = 'unknown' }) => {
      if (waiting !== 'unknown' && waiting !== 'send') throw new UsageError('--waiting takes unknown or send');
      const { db, config } = place;
      // People erased since the backup must not get messages.
      await replayIn(place, await journalEntries(config));
      const how = { home: await findHome(db, config), waiting: waiting as Waiting, now: await nowOf(place) };
      const confirmed = await confirmSending(db, await companyIds(place), how);
      return { result: confirmed, text: confirmedLine(confirmed) };
    },
  );
  confirm.option(
    '--waiting <what>',
    'messages that a backup still had to send: mark them unknown, or send them (unknown)',
  );
  sending.addCommand(confirm);
  return withExample(sending, 'tradeloom sending status');
}

function subcommand(
  name: string,
  description: string,
  example: string,
  work: (place: Workplace, flags: Flags) => Promise<{ result: object; text: string }>,
): Command {
  const command = new Command(name)
    .description(description)
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (flags: Flags) => {
      const { result, text } = await withDatabase(flags, (place) => work(place, flags));
      printResult(flags.json, result, text);
    });
  return withExample(command, example);
}

async function companyIds({ db }: Workplace): Promise<number[]> {
  return (await listCompanies(db)).map((company) => company.company_id);
}

/** The present time by the shops' own clock. */
async function nowOf({ db }: Workplace): Promise<Date> {
  const { clock_offset_ms: ahead } = await findInstallation(db);
  return new Date(systemClock.now().getTime() + ahead);
}

function statusLine(hold: Hold | null, waiting: number, lost: number | null): string {
  if (hold === null) return `Sending is active; ${waiting} messages wait.`;
  const doubtful = lost === null ? '' : ` Of ${lost} messages it does not know any more that they were sent.`;
  return `Sending has been held since ${hold.since.toISOString()}: ${HELD_BECAUSE[hold.because]}; ${waiting} messages wait.${doubtful}`;
}

function confirmedLine({ unknown, paused }: { unknown: number; paused: number }): string {
  if (unknown + paused === 0) return 'Sending has resumed.';
  return `Sending has resumed. ${unknown} messages have an unknown outcome and ${paused} campaigns are paused: review them in the admin app.`;
}
