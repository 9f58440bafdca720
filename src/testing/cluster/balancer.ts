import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** One address for several servers of this machine, as a load balancer gives it. */
export interface Balancer {
  url: string;
  /** Takes part from now on, until its port is removed. */
  add(port: number): void;
  remove(port: number): void;
  close(): Promise<void>;
}

/** Each connection goes to the next server that accepts it. If that dies, so does the connection; without one, it is refused. */
export async function startBalancer(): Promise<Balancer> {
  let ports: number[] = [];
  const open = new Set<Socket>();

  function pass(near: Socket, left: readonly number[]): void {
    const [port, ...others] = left;
    if (port === undefined || near.destroyed) {
      near.destroy();
      return;
    }
    const far = connect(port, '127.0.0.1');
    let connected = false;
    far.once('connect', () => {
      connected = true;
      near.pipe(far).pipe(near);
    });
    far.on('error', () => {}).once('close', () => (connected ? near.destroy() : pass(near, others)));
    near.once('close', () => far.destroy());
  }

  const server = createServer((near) => {
    open.add(near);
    near.on('error', () => {}).once('close', () => open.delete(near));
    ports = [...ports.slice(1), ...ports.slice(0, 1)];
    pass(near, ports);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (port) => void ports.push(port),
    remove: (port) => {
      ports = ports.filter((one) => one !== port);
    },
    async close() {
      for (const near of open) near.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
