import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Connection } from '../../db/embedded/server-plan.ts';

export interface PrimaryProxy {
  port: number;
  /** Refuses connections from now on, or accepts them again. */
  setDown(down: boolean): void;
  /** Ends the open connections. */
  cut(): void;
  close(): Promise<void>;
}

/** An address that leads to the server that is the primary at that moment. */
export async function startPrimaryProxy(primary: () => Connection): Promise<PrimaryProxy> {
  const open = new Set<Socket>();
  let isDown = false;
  const proxy = createServer((near) => {
    const { host, port } = primary();
    const far = connect(`${host}/.s.PGSQL.${port}`);
    open.add(near);
    if (isDown) near.destroy();
    near.pipe(far).pipe(near);
    near
      .on('error', () => {})
      .on('close', () => {
        open.delete(near);
        far.destroy();
      });
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const cut = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: (proxy.address() as AddressInfo).port,
    setDown: (down) => {
      isDown = down;
    },
    cut,
    async close() {
      cut();
      await new Promise<void>((closed) => proxy.close(() => closed()));
    },
  };
}
