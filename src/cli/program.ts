import { Command, CommanderError } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { explain } from './output.ts';

/** Each is loaded when it is called: loading all takes several times as long as loading the largest one. */
const COMMANDS: Record<string, () => Promise<() => Command>> = {
  start: async () => (await import('./start/start.ts')).startCommand,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  demo: async () => (await import('./demo.ts')).demoCommand,
  'sign-in': async () => (await import('./sign-in.ts')).signInCommand,
  'sign-out': async () => (await import('./sign-out.ts')).signOutCommand,
  'rotate-master-key': async () => (await import('./rotate-master-key.ts')).rotateMasterKeyCommand,
  admins: async () => (await import('./admins.ts')).adminsCommand,
  companies: async () => (await import('./companies.ts')).companiesCommand,
  keys: async () => (await import('./keys.ts')).keysCommand,
  'store-keys': async () => (await import('./store-keys.ts')).storeKeysCommand,
  'payment-accounts': async () => (await import('./payment-accounts.ts')).paymentAccountsCommand,
  doctor: async () => (await import('./doctor/doctor.ts')).doctorCommand,
  backup: async () => (await import('./backup/backup.ts')).backupCommand,
  restore: async () => (await import('./backup/restore.ts')).restoreCommand,
  sending: async () => (await import('./sending.ts')).sendingCommand,
  outbox: async () => (await import('./outbox.ts')).outboxCommand,
  erasures: async () => (await import('./erasures.ts')).erasuresCommand,
  archive: async () => (await import('./archive.ts')).archiveCommand,
  clock: async () => (await import('./clock.ts')).clockCommand,
  openapi: async () => (await import('./openapi.ts')).openapiCommand,
  webhooks: async () => (await import('./webhooks.ts')).webhooksCommand,
  mcp: async () => (await import('./mcp/mcp.ts')).mcpCommand,
  import: async () => (await import('./files/import.ts')).importCommand,
  imports: async () => (await import('./files/imports.ts')).importsCommand,
  export: async () => (await import('./files/export.ts')).exportCommand,
  load: async () => (await import('./files/load.ts')).loadCommand,
};

/** The command line with all its commands, or with the one that `word` names. */
export async function programCommand(word = ''): Promise<Command> {
  const program = new Command('tradeloom')
    .description('A commerce API and marketing automation in one program.')
    .version(manifest.version);
  const named = Object.hasOwn(COMMANDS, word) ? [COMMANDS[word]!] : Object.values(COMMANDS);
  for (const makes of await Promise.all(named.map((load) => load()))) program.addCommand(makes());
  return program;
}

/** Runs the command line. Returns the exit code: 0 success, 1 failure, 2 usage error. */
export async function run(args: string[]): Promise<number> {
  process.stdout.off('error', outputFailed).on('error', outputFailed);
  process.stderr.off('error', nobodyReads).on('error', nobodyReads);
  explained = undefined;
  const program = await programCommand(args[0]);
  throwInsteadOfExit(program);
  try {
    await program.parseAsync(args, { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    // Commander has already explained what it refuses; its help is not an error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    return error === explained ? 1 : explain(error);
  }
}

/** What standard output has failed with; a command that streams to it fails with the same. */
let explained: unknown;

/** A reader that stops early, such as head, is not a failure. */
function outputFailed(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE' || explained !== undefined) return;
  explained = error;
  process.exitCode = explain(new Error(`Standard output cannot be written: ${error.message}`));
}

/** The terminal was closed, for example: there is nobody to tell, and what is under way must still end in order. */
function nobodyReads(): void {}

function throwInsteadOfExit(command: Command): void {
  command.exitOverride().configureOutput({
    outputError: (text, write) => write(`${text.replace(/^error: /, '').replace(/[.\s]+$/, '')} (see --help).\n`),
  });
  for (const inner of command.commands) throwInsteadOfExit(inner);
}
