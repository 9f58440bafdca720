import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AwsV4Signer } from 'aws4fetch';
import type { BucketSettings } from '../../../config.ts';

export interface TestBucket {
  settings: BucketSettings;
  /** Stored objects, by path. */
  objects: Map<string, Buffer>;
  /** While set, every response has this status. */
  failing: { status: number | null };
  close(): void;
}

const KEY = { keyId: 'AKIATEST', secret: 'a secret/with+signs', region: 'eu-central-1' };

/** Starts a server that supports as much of the S3 protocol as pictures need, and checks every signature. */
export async function startTestBucket(): Promise<TestBucket> {
  const objects = new Map<string, Buffer>();
  const failing: TestBucket['failing'] = { status: null };
  const server = createServer((request, response) => {
    void respond(request, response).catch(() => response.writeHead(500).end());
  });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { method = '', url = '' } = request;
    if (failing.status !== null) return void response.writeHead(failing.status).end();
    if (!(await isSigned(request, body))) return void response.writeHead(403).end();
    const there = objects.get(url);
    if (method === 'PUT') objects.set(url, body);
    if (method === 'DELETE') objects.delete(url);
    if (method === 'GET' && there === undefined) return void response.writeHead(404).end('<Error/>');
    response.statusCode = method === 'DELETE' ? 204 : 200;
    response.end(method === 'GET' ? there : undefined);
  }

  async function isSigned({ method, url, headers }: IncomingMessage, body: Buffer): Promise<boolean> {
    const datetime = String(headers['x-amz-date'] ?? '');
    const signer = new AwsV4Signer({
      url: `http://${headers.host}${url}`,
      method: method ?? '',
      accessKeyId: KEY.keyId,
      secretAccessKey: KEY.secret,
      datetime,
      service: 's3',
      region: KEY.region,
      body: body.length === 0 ? null : new Uint8Array(body),
      headers: {
        'X-Amz-Content-Sha256': String(headers['x-amz-content-sha256'] ?? ''),
        ...(method === 'PUT' ? { 'Content-Type': String(headers['content-type']) } : {}),
      },
    });
    const signed = await signer.sign();
    return signed.headers.get('authorization') === headers.authorization;
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    settings: { url: `http://127.0.0.1:${port}/shop-pictures`, ...KEY },
    objects,
    failing,
    close: () => void server.close(),
  };
}
