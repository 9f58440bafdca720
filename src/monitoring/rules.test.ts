import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { testServer } from '../testing/harness.ts';
import { refuseWithout } from '../testing/needed-programs.ts';

const FOLDER = fileURLToPath(new URL('../../docs/monitoring/', import.meta.url));
const TESTS = fileURLToPath(new URL('./alerts-test.yml', import.meta.url));
const server = testServer();
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

interface Dashboard {
  panels: { title: string; targets?: { expr: string }[] }[];
}

const alerts = readFileSync(`${FOLDER}alerts.yml`, 'utf8');
const dashboard = JSON.parse(readFileSync(`${FOLDER}grafana-dashboard.json`, 'utf8')) as Dashboard;
const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

const METRIC = /\b(?:tradeloom|nodejs|process)_[a-z0-9_]+/g;

/** Returns the names in /metrics: series, and metrics that have none yet. */
async function existing(): Promise<Set<string>> {
  const text = String((await server.request('GET', '/metrics')).body);
  const names = new Set([...text.matchAll(/^([a-z_0-9]+)(?=[{ ])/gm)].map((match) => match[1]!));
  for (const [, name, type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    names.add(name!);
    if (type === 'histogram') for (const end of ['bucket', 'sum', 'count']) names.add(`${name}_${end}`);
  }
  return names;
}

describe('docs/monitoring', () => {
  it('names no metric that does not exist', async () => {
    const names = await existing();
    for (const text of [alerts.replaceAll(/^.*description:.*$/gm, ''), ...expressions]) {
      const missing = [...text.matchAll(METRIC)].map(([name]) => name).filter((name) => !names.has(name));
      expect(missing, text).toEqual([]);
    }
  });

  it('shows or watches every metric of the program', async () => {
    const all = `${alerts}${expressions.join('\n')}`;
    const unused = [...(await existing())]
      .filter((name) => name.startsWith('tradeloom_') && !/_(bucket|sum|count)$/.test(name))
      .filter((name) => !all.includes(name));
    // A related metric of each is shown.
    expect(unused.sort()).toEqual([
      'tradeloom_chore_runs_total',
      'tradeloom_live_streams',
      'tradeloom_wal_archive_last_success_timestamp_seconds',
      'tradeloom_webhook_delivery_duration_seconds',
    ]);
  });

  it('has an alert with a summary and a description each, and queues that exist', async () => {
    const names = [...alerts.matchAll(/^ {6}- alert: (\w+)$/gm)].map((match) => match[1]!);
    expect(new Set(names).size).toBe(names.length);
    for (const part of alerts.split(/^ {6}- alert: /m).slice(1)) {
      expect(part).toMatch(/\n {8}expr: /);
      expect(part).toMatch(/severity: (critical|warning)/);
      expect(part).toMatch(/\n {10}summary: .+\n {10}description: .+/);
    }
    const text = String((await server.request('GET', '/metrics')).body);
    const queues = [...alerts.matchAll(/queue=~?"([^"]+)"/g)].flatMap((match) => match[1]!.split('|'));
    expect(queues.length).toBeGreaterThan(5);
    for (const queue of queues) expect(text).toContain(`tradeloom_queue_items{queue="${queue}"}`);
  });

  it('names documents that exist, and sections that they have', () => {
    const named = [...alerts.matchAll(/\b(docs\/[\w/-]+\.md)(?:, "([^"]+)")?/g)];
    expect(named.length).toBeGreaterThan(0);
    for (const [, path, section] of named) {
      const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
      if (section !== undefined) expect(text).toMatch(new RegExp(`^#+ ${section}$`, 'm'));
    }
  });

  if (!hasPromtool) {
    refuseWithout('promtool');
    process.stderr.write(
      'SKIPPED: promtool is not installed (Debian: prometheus), so its check of the alerts is not made\n',
    );
    return;
  }

  it('passes promtool', () => {
    expect(execFileSync('promtool', ['check', 'rules', `${FOLDER}alerts.yml`], { encoding: 'utf8' })).toContain(
      'SUCCESS',
    );
    const config = ['check', 'config', '--syntax-only', `${FOLDER}prometheus.yml`];
    expect(execFileSync('promtool', config, { encoding: 'utf8' })).toContain('SUCCESS');
  });

  it('fires and stays silent as its tests say', () => {
    const { stdout, stderr, status } = spawnSync('promtool', ['test', 'rules', TESTS], { encoding: 'utf8' });
    expect([status, stdout], stdout + stderr).toEqual([0, expect.stringContaining('SUCCESS')]);
  });
});
