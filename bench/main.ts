import { fork } from 'node:child_process';
import { availableParallelism, cpus } from 'node:os';
import { Command, InvalidArgumentError } from 'commander';
import pg from 'pg';
import { type AdminFigure, measureFirstLoad } from './admin/first-load.ts';
import { ADMIN_HEADING, adminLineOf, measureAdmin } from './admin/measure-admin.ts';
import { messageFrom } from './load/child-process.ts';
import { DRAIN_HEADING, type DrainFigure, drainLineOf, type Figure, HEADING, lineOf } from './load/figures.ts';
import { CONNECTIONS, measure, measureDrainOf } from './load/measure.ts';
import { findPgbench } from './load/pgbench.ts';
import type { Drain } from './scenarios/drain.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { drains, measurableNamed, scenarios } from './scenarios/scenarios.ts';
import type { Need, Target } from './server/target.ts';

/** Measurements of the admin app in a browser: all of them, or those that need no large shop. */
const ADMIN = { admin: measureAdmin, 'first-load': measureFirstLoad };
type Admin = keyof typeof ADMIN;
const isAdmin = (one: string | Scenario | Drain): one is Admin => typeof one === 'string' && Object.hasOwn(ADMIN, one);

interface Options {
  only: (Scenario | Drain | Admin)[];
  small: boolean;
  seconds: number;
  json: boolean;
}

async function bench(options: Options): Promise<void> {
  const say = options.json ? () => {} : (line: string) => process.stdout.write(`${line}\n`);
  const pgbench = await findPgbench();
  if (pgbench === null) {
    say('There is no pgbench on this machine (Debian: apt install postgresql-contrib): figures come without limits.');
  }
  const { small } = options;
  const adminNeeds: Need[] = small ? [] : ['orders', 'contacts'];
  const needsOf = (one: Options['only'][number]): readonly Need[] => {
    if (isAdmin(one)) return one === 'admin' ? adminNeeds : [];
    return one.needs === undefined ? [] : [one.needs].flat();
  };
  const needs = [...new Set(options.only.flatMap(needsOf))];
  const server = fork(new URL('./server/server.ts', import.meta.url), needs);
  try {
    const target = await messageFrom<Target>(server, 'The server');
    const client = new pg.Client(target.database);
    await client.connect();
    const { rows } = await client.query<{ version: string }>("select current_setting('server_version') as version");
    const machine = {
      processors: availableParallelism(),
      model: cpus()[0]?.model ?? '',
      node: process.version,
      postgres: rows[0]!.version,
      connections: CONNECTIONS,
      seconds: options.seconds,
    };
    say(`${machine.processors} × ${machine.model}, Node ${machine.node}, PostgreSQL ${machine.postgres}`);
    say(`${CONNECTIONS} connections where nothing else is said, ${options.seconds} s each, rates per second`);
    const bench = { target, server, client, pgbench, seconds: options.seconds };
    const figures: Figure[] = [];
    const drained: DrainFigure[] = [];
    const admin: AdminFigure[] = [];
    for (const each of options.only) {
      if (isAdmin(each)) {
        say(ADMIN_HEADING);
        admin.push(...(await ADMIN[each](target, (figure) => say(adminLineOf(figure)))));
      } else if ('fill' in each) {
        if (drained.length === 0) say(DRAIN_HEADING);
        const figure = await measureDrainOf(bench, each, figures);
        drained.push(figure);
        say(drainLineOf(figure));
      } else {
        if (figures.length === 0) say(HEADING);
        const figure = await measure(bench, each);
        figures.push(figure);
        say(lineOf(figure));
      }
    }
    if (options.json)
      process.stdout.write(`${JSON.stringify({ machine, figures, drains: drained, admin }, null, 2)}\n`);
    await client.end();
  } finally {
    // The server stops when its channel closes.
    if (server.connected) server.disconnect();
  }
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= 600) return seconds;
  throw new InvalidArgumentError('It takes a whole number from 1 to 600.');
}

await new Command('bench')
  .description('Measure the product under load, each figure beside what the machine can do at most.')
  .option(
    '--only <names>',
    `scenarios, comma-separated: ${[...[...scenarios, ...drains].map((each) => each.name), ...Object.keys(ADMIN)].join(', ')}`,
    (names) => names.split(',').map((name) => (isAdmin(name) ? name : measurableNamed(name))),
  )
  .option('--seconds <n>', 'how long each measurement lasts', parseSeconds, 8)
  .option('--small', 'the admin app with thousands of records in place of millions')
  .option('--json', 'print JSON')
  .action(async ({ only = [...scenarios, ...drains], seconds, small = false, json = false }: Partial<Options>) =>
    bench({ only, seconds: seconds ?? 8, small, json }),
  )
  .parseAsync();
