import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../clock.ts';
import { certificateOf } from '../../messaging/feedback/testing-certificate.ts';
import { freePort } from '../free-port.ts';

/** The name that the example files use. */
export const SHOP = 'shop.example';

export type ProxyName = 'nginx' | 'caddy';

/** A reverse proxy configured by an example file of docs/proxies, in front of a program. */
export interface ReverseProxy {
  /** Where it listens with TLS, on 127.0.0.1. */
  port: number;
  /** Where it listens without TLS. */
  plainPort: number;
  /** Its self-signed certificate. */
  ca: string;
  stop(): Promise<void>;
}

const START_MS = 15_000;

/** Returns the path of the program, or null if it is not installed. */
export function installed(name: ProxyName): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  for (const path of folders.map((folder) => join(folder, name))) {
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch (error) {
      if (!['ENOENT', 'EACCES', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
  return null;
}

/** Starts the proxy in front of `programOrigin` and waits until it accepts connections. */
export async function startReverseProxy(name: ProxyName, programOrigin: string): Promise<ReverseProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'tradeloom-proxy-'));
  const ca = writeCertificate(folder);
  const setup: Setup = {
    folder,
    program: new URL(programOrigin).host,
    port: await freePort(),
    plainPort: await freePort(),
  };
  const child = name === 'nginx' ? spawnNginx(setup) : spawnCaddy(setup);
  let output = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = once(child, 'close');
  const deadline = monotonicMs() + START_MS;
  while (!(await accepts(setup.port))) {
    if (child.exitCode !== null || monotonicMs() > deadline) {
      child.kill('SIGKILL');
      await ended;
      throw new Error(`${name} did not start: ${output}`);
    }
    await sleep(20);
  }
  return {
    port: setup.port,
    plainPort: setup.plainPort,
    ca,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Setup {
  folder: string;
  /** host:port */
  program: string;
  port: number;
  plainPort: number;
}

const inFolder = ({ folder }: Setup, name: string): string => join(folder, name);

function writeCertificate(folder: string): string {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const certificate = certificateOf({ keys, name: SHOP, hosts: [SHOP], ca: true });
  writeFileSync(join(folder, 'fullchain.pem'), certificate);
  writeFileSync(join(folder, 'privkey.pem'), keys.privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
  return certificate;
}

/** Returns the example with ports and paths replaced. Throws if there is nothing to replace: then the file is not the one tested. */
function exampleWith(file: string, replacements: [RegExp, string][]): string {
  let text = readFileSync(new URL(`../../../docs/proxies/${file}`, import.meta.url), 'utf8');
  for (const [pattern, replacement] of replacements) {
    const next = text.replaceAll(pattern, () => replacement);
    if (next === text) throw new Error(`docs/proxies/${file} has nothing like ${pattern}`);
    text = next;
  }
  return text;
}

function spawnNginx(setup: Setup): ChildProcess {
  const { program, port, plainPort } = setup;
  const site = exampleWith('nginx.conf', [
    [/^ *listen \[::\]:.*\n/gm, ''],
    [/listen 443/g, `listen 127.0.0.1:${port}`],
    [/listen 80/g, `listen 127.0.0.1:${plainPort}`],
    [/127\.0\.0\.1:3000/g, program],
    [/\/etc\/ssl\/shop\.example\/fullchain\.pem/g, inFolder(setup, 'fullchain.pem')],
    [/\/etc\/ssl\/shop\.example\/privkey\.pem/g, inFolder(setup, 'privkey.pem')],
  ]);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${inFolder(setup, name)};`)
    .join('\n');
  // Workers of root would switch to a user who may not enter the folder.
  const user = process.geteuid!() === 0 ? 'user root;' : '';
  const whole = `${user}
    daemon off;
    worker_processes 1;
    pid ${inFolder(setup, 'nginx.pid')};
    error_log stderr error;
    events { worker_connections 256; }
    http {
      access_log off;
      ${temporary}
      ${site}
    }`;
  writeFileSync(inFolder(setup, 'nginx.conf'), whole);
  const args = ['-c', inFolder(setup, 'nginx.conf'), '-p', setup.folder, '-e', 'stderr'];
  return spawn(installed('nginx')!, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

function spawnCaddy(setup: Setup): ChildProcess {
  const { program, port, plainPort } = setup;
  const certificate = `tls ${inFolder(setup, 'fullchain.pem')} ${inFolder(setup, 'privkey.pem')}`;
  const ports = `http_port ${plainPort}\n\thttps_port ${port}\n\tdefault_bind 127.0.0.1\n\tadmin off`;
  const file = exampleWith('Caddyfile', [
    [/^\{\n/gm, `{\n\t${ports}\n`],
    [/^shop\.example \{\n/gm, `shop.example {\n\t${certificate}\n`],
    [/127\.0\.0\.1:3000/g, program],
  ]);
  writeFileSync(inFolder(setup, 'Caddyfile'), file);
  const args = ['run', '--config', inFolder(setup, 'Caddyfile'), '--adapter', 'caddyfile'];
  const env = { HOME: setup.folder, XDG_DATA_HOME: setup.folder, XDG_CONFIG_HOME: setup.folder };
  return spawn(installed('caddy')!, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
