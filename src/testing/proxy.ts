import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';

/** A proxy to a database that can go silent: connections stay open, but no data comes through. */
export interface FreezableProxy {
  connection: pg.ClientConfig;
  url: string;
  /** Silences the connections that are open; with `all`, later ones too. */
  freeze(all?: 'all'): void;
  /** Lets new connections through again; silent ones stay silent. */
  thaw(): void;
  close(): Promise<void>;
}

export async function freezableProxy(settings: pg.ClientConfig): Promise<FreezableProxy> {
  const { host, port, user, password, database } = new pg.Client(settings);
  const open = new Set<Socket>();
  const silent = new Set<Socket>();
  let freezing = false;
  const proxy = createServer((near) => {
    const far = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    open.add(near);
    if (freezing) silent.add(near);
    near.on('data', (data) => silent.has(near) || far.write(data));
    far.on('data', (data) => silent.has(near) || near.write(data));
    near
      .on('error', () => {})
      .on('close', () => {
        open.delete(near);
        far.destroy();
      });
    far.on('error', () => near.destroy()).on('close', () => silent.has(near) || near.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const at = { host: '127.0.0.1', port: (proxy.address() as AddressInfo).port };
  return {
    connection: { ...at, user, password: password ?? undefined, database },
    url: `postgres://${user}${password ? `:${password}` : ''}@${at.host}:${at.port}/${database}`,
    freeze(all) {
      freezing = all === 'all';
      for (const near of open) silent.add(near);
    },
    thaw() {
      freezing = false;
    },
    async close() {
      for (const near of open) near.destroy();
      await new Promise<void>((resolve) => proxy.close(() => resolve()));
    },
  };
}
