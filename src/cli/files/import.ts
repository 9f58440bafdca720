import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { Command, Option } from 'commander';
import type { Caller } from '../../caller.ts';
import { CHUNK_BYTES } from '../../imports/contract.ts';
import { ENCODINGS } from '../../imports/csv/text.ts';
import { DATE_ORDERS } from '../../imports/readings/dates.ts';
import { SEPARATORS } from '../../imports/readings/numbers.ts';
import { FORMAT_NAMES, type Import, type ImportOptions } from '../../imports/schemas.ts';
import { type ImportsService, OPEN_STATUSES } from '../../imports/service.ts';
import { CONSENT_STATES } from '../../recipients/consent.ts';
import { type Workplace, withDatabase } from '../database.ts';
import { wholeNumber } from '../numbers.ts';
import { printResult, UsageError, withExample } from '../output.ts';
import { withImports } from './imports-here.ts';

interface Flags {
  company: number;
  dryRun?: boolean;
  consent?: ImportOptions['email_consent'];
  smsConsent?: ImportOptions['sms_consent'];
  list?: number;
  tag: string[];
  map: string[];
  onlyNew?: boolean;
  encoding?: ImportOptions['encoding'];
  dateOrder?: ImportOptions['date_order'];
  decimalSeparator?: ImportOptions['decimal_separator'];
  timeZone?: string;
  untrackedStock?: number;
  variants?: ImportOptions['variants'];
  dataDir?: string;
  json?: boolean;
}

const SHOWN = 20;

export function importCommand(): Command {
  const several = (value: string, before: string[]): string[] => [...before, value];
  const command = new Command('import')
    .description(
      'Import a file of another service: checked first, then run. Can be undone for seven days (tradeloom imports).',
    )
    .argument('<format>', `one of ${FORMAT_NAMES.join(', ')}`)
    .argument('<file>', 'a CSV file')
    .requiredOption('--company <id>', 'the company that gets the records', wholeNumber)
    .option('--dry-run', 'say what would happen, and import nothing')
    .addOption(new Option('--consent <state>', 'of people for whom the file says nothing').choices([...CONSENT_STATES]))
    .addOption(new Option('--sms-consent <state>', 'the same for SMS').choices([...CONSENT_STATES]))
    .option('--list <id>', 'put the contacts on this list', wholeNumber)
    .option('--tag <tag>', 'add this tag to every contact; can be repeated', several, [])
    .option('--map <column=field>', 'the field of a column; can be repeated', several, [])
    .option('--untracked-stock <n>', 'stock of products whose stock the service does not count', wholeNumber)
    .addOption(
      new Option(
        '--variants <how>',
        'variants of products: of one parent (grouped, the default), or separate products',
      ).choices(['grouped', 'separate']),
    )
    .option('--only-new', 'do not change existing records')
    .addOption(new Option('--encoding <name>', 'encoding of the file (UTF-8)').choices([...ENCODINGS]))
    .addOption(new Option('--date-order <order>', 'of dates such as 03/04/2026').choices([...DATE_ORDERS]))
    .addOption(new Option('--decimal-separator <name>', 'of numbers such as 1.234').choices([...SEPARATORS]))
    .option('--time-zone <name>', "time zone of times without an offset (the company's)")
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (format: string, file: string, flags: Flags) => {
      if (!FORMAT_NAMES.includes(format))
        throw new UsageError(`Unknown format ${format}. Formats: ${FORMAT_NAMES.join(', ')}`);
      const source = await openFile(file);
      const row = await withDatabase(flags, (place) => importFile(place, format, { source, file }, flags)).finally(() =>
        source.close(),
      );
      if (row.status === 'failed') process.exitCode = 1;
      printResult(flags.json, row, textOf(row, flags.company));
    });
  return withExample(command, 'tradeloom import mailchimp audience.csv --company 1 --consent subscribed --dry-run');
}

type Result = Import & { findings: Awaited<ReturnType<ImportsService['listFindings']>>['findings'] };

async function openFile(file: string): Promise<FileHandle> {
  const source = await open(file).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new UsageError(`File not found: ${file}`) : error;
  });
  try {
    const about = await source.stat();
    if (about.isDirectory()) throw new UsageError(`${file} is a folder`);
    if (about.isFile() && about.size === 0) throw new UsageError(`${file} is empty`);
    return source;
  } catch (error) {
    await source.close();
    throw error;
  }
}

async function importFile(
  place: Workplace,
  format: string,
  { source, file }: { source: FileHandle; file: string },
  flags: Flags,
): Promise<Result> {
  const { company } = flags;
  return withImports(place, company, async ({ imports, caller, ended }) => {
    const created = imports.createImport(caller(), { format, file_name: basename(file).slice(0, 255) });
    place.interruption.before(async () => endEarly(imports, caller(), (await created).id));
    const { id } = await created;
    try {
      let n = 0;
      for await (const bytes of source.createReadStream({ highWaterMark: CHUNK_BYTES, autoClose: false })) {
        await imports.uploadChunk(caller(), id, { n, data: (bytes as Buffer).toString('base64') });
        n++;
      }
      await imports.checkImport(caller(), id, await optionsOf(imports, id, flags));
    } catch (error) {
      // Nobody would go on with it, and a company may have three open ones.
      await imports.cancelImport(caller(), id).catch(() => {
        // Where the database is gone, the first error says so.
      });
      throw error;
    }
    let row = await ended(id);
    if (row.status === 'checked' && flags.dryRun) {
      await imports.cancelImport(caller(), id);
      // The counts of the check stay.
      row = { ...row, status: 'checked' };
    } else if (row.status === 'checked') {
      await imports.runImport(caller(), id);
      row = await ended(id);
    }
    const phase = flags.dryRun || row.status === 'failed' ? 'check' : 'run';
    const { findings } = await imports.listFindings(company, id, { phase, per_page: 100 });
    return { ...row, findings };
  });
}

/** Cancels the import of an interrupted command: nobody waits for it any more. */
async function endEarly(imports: ImportsService, caller: Caller, id: number): Promise<void> {
  const { companyId } = caller;
  const { status } = await imports.getImport(companyId, id);
  if (!OPEN_STATUSES.includes(status)) return;
  const { created, updated, undo_until } = await imports.cancelImport(caller, id);
  if (undo_until === null) return;
  process.stderr.write(
    `Import ${id} ended early: ${created} records created, ${updated} updated. To undo it: ` +
      `tradeloom imports undo ${id} --company ${companyId}\n`,
  );
}

async function optionsOf(imports: ImportsService, id: number, flags: Flags): Promise<ImportOptions> {
  const {
    company,
    consent,
    smsConsent,
    list,
    tag,
    map,
    onlyNew,
    encoding,
    dateOrder,
    decimalSeparator,
    timeZone,
    untrackedStock,
    variants,
  } = flags;
  const options: ImportOptions = {
    ...(consent === undefined ? {} : { email_consent: consent }),
    ...(smsConsent === undefined ? {} : { sms_consent: smsConsent }),
    ...(list === undefined ? {} : { list_id: list }),
    ...(tag.length === 0 ? {} : { tags: tag }),
    ...(onlyNew ? { only_new: true } : {}),
    ...(encoding === undefined ? {} : { encoding }),
    ...(dateOrder === undefined ? {} : { date_order: dateOrder }),
    ...(decimalSeparator === undefined ? {} : { decimal_separator: decimalSeparator }),
    ...(timeZone === undefined ? {} : { time_zone: timeZone }),
    ...(untrackedStock === undefined ? {} : { untracked_stock: untrackedStock }),
    ...(variants === undefined ? {} : { variants }),
  };
  if (map.length === 0) return options;
  const { header, mapping } = await imports.previewImport(company, id, encoding);
  for (const pair of map) {
    const [, column = '', field = ''] = /^(.*)=(.*)$/.exec(pair) ?? [];
    const at = header.indexOf(column);
    if (at === -1) throw new UsageError(`The file has no column ${column}. Columns: ${header.join(', ')}`);
    mapping[at] = field === '' ? null : field;
  }
  return { ...options, mapping };
}

function textOf(row: Result, company: number): string {
  const { status, file_name, error, findings } = row;
  if (status === 'failed') return `${file_name} was not imported: ${error}`;
  const counts = ['created', 'updated', 'unchanged', 'skipped', 'refused', 'suppressed'] as const;
  const lines = counts.filter((name) => row[name] > 0).map((name) => `${name.padEnd(10)} ${row[name]}`);
  const reasons = findings
    .slice(0, SHOWN)
    .map(({ row: at, column, reason }) => `row ${at}${column === null ? '' : `, ${column}`}: ${reason}`);
  const readings = row.readings.map(readingText);
  const left = row.header.filter((_, i) => row.mapping[i] === null);
  const notices = row.notices.map((one) => noticeText(one, row.options)).filter((text) => text !== null);
  const isDry = status === 'checked';
  return [
    isDry ? `${file_name} would give:` : `Import ${row.id} of ${file_name}:`,
    ...lines,
    ...(left.length === 0 ? [] : [`left out: ${left.join(', ')} (--map 'column=field' takes a column)`]),
    ...notices,
    ...readings,
    ...reasons,
    ...(findings.length > SHOWN ? ['More rows were refused: --json shows 100 of them, the admin app shows all.'] : []),
    ...(isDry || row.undo_until === null
      ? []
      : [`Until ${row.undo_until} it can be undone: tradeloom imports undo ${row.id} --company ${company}`]),
  ].join('\n');
}

function noticeText({ code, column, count }: Import['notices'][number], options: ImportOptions): string | null {
  if (code === 'column_not_kept') return `not kept: ${count} ${count === 1 ? 'cell' : 'cells'} of ${column}`;
  if (code === 'sku_repeated') return `${count} products have a SKU that another row keeps: imported without it`;
  if (code === 'refunded') return `${count} orders with refunds: full ones are cancelled, others have a lower total`;
  if (code === 'order_without_email') return `${count} orders have no e-mail address: refused`;
  return options.untracked_stock === undefined
    ? `${count} products are sold without a count of their stock, which is not tracked here either: --untracked-stock sets one`
    : null;
}

/** Names the option that parses a column differently, where nothing has decided how. */
function readingText({ column, field, kind, value, decided_by, example }: Import['readings'][number]): string {
  const name = kind.replace('_', ' ');
  const other =
    decided_by === 'default' && example !== null
      ? `, «${example}» could be otherwise: --${name.replace(' ', '-')}`
      : '';
  return `${column ?? field}: ${name} ${value}, by the ${decided_by}${other}`;
}
