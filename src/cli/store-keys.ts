import { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { createStoreKeyIn } from '../store/keys/service.ts';
import { withDatabase } from './database.ts';
import { wholeNumber } from './numbers.ts';
import { printResult, withExample } from './output.ts';

export function storeKeysCommand(): Command {
  const keys = new Command('store-keys').description("The keys of a company's store interface.");
  keys.addCommand(createCommand());
  return withExample(keys, 'tradeloom store-keys create --company 1 --name website --origin https://shop.example.com');
}

interface CreateFlags {
  company: number;
  name: string;
  origin: string[];
  location?: number;
  dataDir?: string;
  json?: boolean;
}

function createCommand(): Command {
  const command = new Command('create')
    .description('Create a store key. It is public: browsers and apps of shoppers send it.')
    .requiredOption('--company <id>', "the company's id", wholeNumber)
    .requiredOption('--name <name>', 'purpose of the key')
    .option('--origin <origin>', 'a site whose pages may use it; may be repeated', collect, [])
    .option('--location <id>', 'the location that what is bought is taken from', wholeNumber)
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async ({ company, name, origin: origins, location, ...flags }: CreateFlags) => {
      const maker = { companyId: company, now: systemClock.now(), actor: 'cli' };
      const key = await withDatabase(flags, ({ db }) =>
        db.tx((tx) => createStoreKeyIn(tx, maker, { name, origins, location_id: location ?? null })),
      );
      printResult(flags.json, key, `Store key ${key.id} (${key.name}) of company ${company}:\n${key.key}`);
    });
  return withExample(
    command,
    'tradeloom store-keys create --company 1 --name website --origin https://shop.example.com',
  );
}

function collect(origin: string, earlier: string[]): string[] {
  return [...earlier, origin];
}
