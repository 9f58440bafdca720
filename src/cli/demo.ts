import { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { originOf } from '../origin.ts';
import { type Workplace, withDatabase } from './database.ts';
import { printResult, withExample } from './output.ts';
import { timestampLine } from './webhooks.ts';

export function demoCommand(): Command {
  const command = new Command('demo')
    .description('Create the demo shop, if the first start did not.')
    .option('--data-dir <folder>', 'data folder (TRADELOOM_DATA_DIR, ./data)')
    .option('--json', 'print the result as JSON')
    .action(async (flags: { dataDir?: string; json?: boolean }) => {
      const make = async ({ config, connection }: Workplace) => {
        const [{ createApp }, { makeDemoShop }] = await Promise.all([
          import('../app.ts'),
          import('../demo/service.ts'),
        ]);
        const running = await createApp({ config, clock: systemClock, connection });
        try {
          return await makeDemoShop(running.app, originOf(config));
        } finally {
          await running.stop();
        }
      };
      const made = await withDatabase(flags, make, { begins: true });
      if (made === null) throw new Error('The demo shop already exists; see tradeloom companies list');
      const { ids, key, webhookSecret } = made;
      printResult(
        flags.json,
        { ...ids, key, webhook_secret: webhookSecret, require_timestamp: false },
        `The demo shop is company ${ids.company_id}. Shown only once:\nAPI key          ${key}\nwebhook secret   ${webhookSecret}\n${timestampLine(ids.company_id, false)}`,
      );
    });
  return withExample(command, 'tradeloom demo');
}
