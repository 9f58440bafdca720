import { appendFileSync, closeSync, existsSync, fsyncSync, openSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from '../../client/src/client.ts';

/**
 * Accepts deliveries of a webhook endpoint (`POST /marketing/v1/webhook-endpoints`) with a valid signature and time; a repeated
 * one is accepted and ignored. Tradeloom retries other deliveries for a day, so nothing is lost while this is down.
 *
 * WEBHOOK_SECRET is the endpoint's secret; while it is replaced, the old and the new one, separated by a comma.
 */
const { WEBHOOK_SECRET = '', PORT = '8090', SEEN = 'webhook-seen.txt' } = process.env;
const secrets = WEBHOOK_SECRET.split(',').filter((secret) => secret !== '');
if (secrets.length === 0) throw new Error('WEBHOOK_SECRET is missing');

/** Ids of processed events, one per line, kept across restarts. A shop would store them in its database, in the transaction of its work. */
const seen = new Set(existsSync(SEEN) ? readFileSync(SEEN, 'utf8').split('\n').filter(Boolean) : []);
const log = openSync(SEEN, 'a');

/** What your shop does with an event. */
function handle(event: WebhookEvent): void {
  if (event.event_type === 'order_placed') {
    const { order_id, total, currency } = event.event_data;
    process.stdout.write(`order ${order_id}: ${total} ${currency}\n`);
  } else {
    process.stdout.write(`${event.event_type}\n`);
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > 1_000_000) throw new WebhookVerificationError('The body is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The deliveries of one event wait for each other. */
let last: Promise<unknown> = Promise.resolve();

const server = createServer(async (request, response) => {
  try {
    const { id, event } = await verifyWebhook(secrets, { headers: request.headers, body: await bodyOf(request) });
    const work = last.then(() => {
      if (id !== null && seen.has(id)) return 'repeated';
      handle(event);
      if (id !== null) {
        appendFileSync(log, `${id}\n`);
        fsyncSync(log);
        seen.add(id);
      }
      return 'done';
    });
    last = work.catch(() => {});
    response.end(`${await work}\n`);
  } catch (error) {
    // 400 for what is not from Tradeloom. Any other error is our own failure: 500, and the delivery will be retried.
    const isForged = error instanceof WebhookVerificationError;
    process.stderr.write(`${(error as Error).message}\n`);
    response.writeHead(isForged ? 400 : 500).end();
  }
});
server.listen(Number(PORT), '127.0.0.1', () => {
  const { port } = server.address() as { port: number };
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
process.on('SIGTERM', () => {
  server.close(() => closeSync(log));
  server.closeAllConnections();
});
