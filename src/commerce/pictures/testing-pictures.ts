import sharp from 'sharp';
import type { TestResponse, TestServer } from '../../testing/harness.ts';
import type { TestPerson } from '../../testing/people.ts';
import { FROM_THE_APP } from '../../testing/people.ts';

/** Returns a picture of one colour. */
export function drawn(
  width: number,
  height: number,
  options: { format?: 'png' | 'jpeg' | 'webp' | 'gif' | 'avif'; colour?: string } = {},
): Promise<Buffer> {
  const { format = 'png', colour = '#236048' } = options;
  return sharp({ create: { width, height, channels: 3, background: colour } })
    .toFormat(format)
    .toBuffer();
}

/** Uploads bytes as the admin app does. */
export async function upload(
  server: TestServer,
  person: TestPerson,
  company: number,
  bytes: Buffer,
  type = 'image/png',
): Promise<TestResponse> {
  return server.request('POST', `/admin/api/${company}/pictures`, {
    headers: { ...FROM_THE_APP, cookie: person.cookie, 'content-type': type },
    raw: bytes,
  });
}
