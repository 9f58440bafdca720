import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as received. */
export interface ReceivedRequest {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface TestingProvider {
  /** Base URL of its API. */
  url: string;
  received: ReceivedRequest[];
  /** Sets the response to the next requests. `hang` withholds it until the next call. */
  respond(next: { status: number; body?: object | string; headers?: Record<string, string> } | 'hang' | 'drop'): void;
  close(): Promise<void>;
}

/** For tests: an HTTP server on 127.0.0.1 that stores requests and responds as told, at first with 200 and `{}`. */
export async function startTestingProvider(): Promise<TestingProvider> {
  const received: ReceivedRequest[] = [];
  let response: Parameters<TestingProvider['respond']>[0] = { status: 200, body: {} };
  const hanging: (() => void)[] = [];
  const server = createServer((request, reply) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ path: request.url!, headers: request.headers, body: Buffer.concat(chunks).toString('utf8') });
      const respond = (): void => {
        if (response === 'hang') return void hanging.push(respond);
        if (response === 'drop') return void request.socket.destroy();
        const { status, body = {}, headers = {} } = response;
        reply.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
      };
      respond();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    respond(next) {
      response = next;
      for (const respond of hanging.splice(0)) respond();
    },
    close() {
      server.closeAllConnections();
      return new Promise((closed) => server.close(() => closed()));
    },
  };
}
