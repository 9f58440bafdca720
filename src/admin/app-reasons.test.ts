import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import de from '../../admin/src/i18n/de/reasons.json' with { type: 'json' };
import en from '../../admin/src/i18n/en/reasons.json' with { type: 'json' };
import { SKIP_REASONS } from '../messaging/send/gate.ts';
import { SETTINGS } from '../messaging/send/missing-settings.ts';
import type { Fault } from '../messaging/send/transports/port.ts';
import { FREQUENCIES } from '../recipients/preferences.ts';

const FAULTS = Object.keys({ recipient: 0, message: 0, domain: 0, service: 0 } satisfies Record<Fault, 0>);
/** Patterns for reason codes in the source: of messages, campaigns and runs. */
const WRITTEN = [
  /\breason(?:: | = )'([a-z]+(?:_[a-z]+)*)'/g,
  /return '([a-z]+_deleted)'|\? '([a-z]+_deleted|incomplete)'/g,
  /\.end\('[a-z]+', '([a-z_]+)'|endRun\(graph, run, '[a-z]+', '([a-z_]+)'|config\.reason \?\? '([a-z]+)'/g,
];

/** Returns every code in the source of messages, campaigns and flows. */
function writtenReasons(): string[] {
  const cwd = fileURLToPath(new URL('../', import.meta.url));
  const folders = '{messaging,marketing/campaigns,marketing/contacts/merge,marketing/flows}';
  const files = globSync(`${folders}/**/*.ts`, { cwd }).filter((file) => !/test/.test(file));
  const texts = files.map((file) => readFileSync(join(cwd, file), 'utf8'));
  return texts.flatMap((text) =>
    WRITTEN.flatMap((pattern) =>
      [...text.matchAll(pattern)].map((match) => match.slice(1).find((code) => code !== undefined)!),
    ),
  );
}

test('the admin app has a text in each language for every reason that the server gives', () => {
  const codes = [
    ...SKIP_REASONS,
    ...SETTINGS.map(({ cause }) => cause),
    ...FAULTS.flatMap((fault) => [`refused_${fault}`, `gave_up_${fault}`, `retry_${fault}`]),
    ...writtenReasons(),
  ];
  expect(codes).toEqual(expect.arrayContaining(['missed_schedule', 'template_deleted', 'migrated', 'contact_gone']));
  for (const texts of [en, de]) {
    expect(codes.filter((code) => !(`reason.${code}` in texts))).toEqual([]);
    expect(FREQUENCIES.filter((one) => !(`contact.frequency.${one}` in texts))).toEqual([]);
  }
});
