import { Command, CommanderError } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { adminsCommand } from './admins.ts';
import { archiveCommand } from './archive.ts';
import { backupCommand } from './backup/backup.ts';
import { restoreCommand } from './backup/restore.ts';
import { clockCommand } from './clock.ts';
import { companiesCommand } from './companies.ts';
import { demoCommand } from './demo.ts';
import { doctorCommand } from './doctor/doctor.ts';
import { erasuresCommand } from './erasures.ts';
import { exportCommand } from './files/export.ts';
import { importCommand } from './files/import.ts';
import { loadCommand } from './files/load.ts';
import { keysCommand } from './keys.ts';
import { mcpCommand } from './mcp/mcp.ts';
import { migrateCommand } from './migrate.ts';
import { openapiCommand } from './openapi.ts';
import { outboxCommand } from './outbox.ts';
import { explain } from './output.ts';
import { sendingCommand } from './sending.ts';
import { signInCommand } from './sign-in.ts';
import { signOutCommand } from './sign-out.ts';
import { startCommand } from './start/start.ts';
import { webhooksCommand } from './webhooks.ts';

const COMMANDS = [
  startCommand,
  migrateCommand,
  demoCommand,
  signInCommand,
  signOutCommand,
  adminsCommand,
  companiesCommand,
  keysCommand,
  doctorCommand,
  backupCommand,
  restoreCommand,
  sendingCommand,
  outboxCommand,
  erasuresCommand,
  archiveCommand,
  clockCommand,
  openapiCommand,
  webhooksCommand,
  mcpCommand,
  importCommand,
  exportCommand,
  loadCommand,
];

/** The command line with all its commands. */
export function programCommand(): Command {
  const program = new Command('tradeloom')
    .description('A commerce API and marketing automation in one program.')
    .version(manifest.version);
  for (const make of COMMANDS) program.addCommand(make());
  return program;
}

/** Runs the command line. Gives the exit code: 0 done, 1 failed, 2 called wrongly. */
export async function run(args: string[]): Promise<number> {
  process.stdout.off('error', readerLeft).on('error', readerLeft);
  const program = programCommand();
  throwInsteadOfExit(program);
  try {
    await program.parseAsync(args, { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    // What commander refuses it has explained itself; its help is no error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    return explain(error);
  }
}

/** A reader that has seen enough, such as head, is no failure. */
function readerLeft(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

function throwInsteadOfExit(command: Command): void {
  command.exitOverride().configureOutput({
    outputError: (text, write) => write(`${text.replace(/^error: /, '').replace(/[.\s]+$/, '')} (see --help).\n`),
  });
  for (const inner of command.commands) throwInsteadOfExit(inner);
}
