import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The server of somebody who takes webhooks. */
export interface WebhookReceiver {
  url: string;
  /** What it responds with; it begins with 200. */
  status: number;
  /** The `webhook-id` of each request, in the order in which they came. */
  received: string[];
  close(): Promise<void>;
}

export async function startReceiver(): Promise<WebhookReceiver> {
  const server = createServer((request, response) => {
    receiver.received.push(request.headers['webhook-id'] as string);
    response.writeHead(receiver.status).end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    status: 200,
    received: [],
    close() {
      server.closeAllConnections();
      return new Promise((closed) => server.close(() => closed()));
    },
  };
  return receiver;
}
