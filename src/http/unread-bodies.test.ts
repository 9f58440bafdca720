import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { testServer } from '../testing/harness.ts';

const MIB = 2 ** 20;

describe('the body of a request that is refused before it is read', () => {
  const server = testServer();
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  /** Opens a connection that sends a body of `bytes` to a path that needs a key; returns what it received, and when. */
  function refused(bytes: number, next = ''): { text: () => string; at: (part: string) => Promise<number> } {
    const { hostname, port } = new URL(server.origin);
    const socket = connect({ host: hostname, port: Number(port) });
    sockets.push(socket);
    let text = '';
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
    });
    socket.on('error', () => {});
    socket.write(
      `POST /marketing/v1/contacts HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`,
    );
    socket.write(Buffer.alloc(bytes, 0x20));
    socket.write(next);
    const began = performance.now();
    const at = async (part: string): Promise<number> => {
      await expect.poll(() => text, { interval: 5 }).toContain(part);
      return performance.now() - began;
    };
    return { text: () => text, at };
  }

  it.each([
    ['/nothing', '404'],
    ['/admin/sign-in', '400'],
    ['/tls/ask', '404'],
    ['/u/confirm/x', '413'],
  ])('is not waited for at %s, which takes none or a short one: %s', async (path, status) => {
    const { hostname, port } = new URL(server.origin);
    const socket = connect({ host: hostname, port: Number(port) });
    sockets.push(socket);
    const type =
      path.startsWith('/u/') || path.includes('sign-in') ? 'application/x-www-form-urlencoded' : 'application/json';
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: ${type}\r\nContent-Length: ${MIB}\r\n\r\n`,
    );
    socket.write(Buffer.alloc(10_000, 0x20));
    const [first] = await once(socket, 'data', { signal: AbortSignal.timeout(10_000) });
    expect(String(first)).toContain(`HTTP/1.1 ${status} `);
  });

  it('delays neither its response nor the connection’s next request for long', async () => {
    const next = `GET /health/live HTTP/1.1\r\nHost: ${new URL(server.origin).host}\r\n\r\n`;
    const { at, text } = refused(MIB, next);
    const responded = await at('401');
    const went = await at('200 OK');
    expect(responded).toBeLessThan(went);
    expect(text().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200']);
  });

  it('ends with a client that goes away', async () => {
    const gone = refused(MIB);
    await gone.at('401');
    for (const socket of sockets.splice(0)) socket.destroy();
    await sleep(50);
    expect((await server.request('GET', '/health/live')).status).toBe(200);
  });
});
