import { createSecretKey, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import { readRest, targetOf, writeRest } from '../../consent/tokens.ts';
import { contactOf, flowMessages, ledgerOf } from '../../testing/sending.ts';
import { addressesOf } from './track.ts';

const server = testServer();
const sender = () => server.app.workers.find((worker) => worker.name === 'sender')!;
const linksOf = (shop: TestCompany) =>
  server.rows<{ url: string; prefix: string | null }>(
    'select url, prefix from tracked_links where company_id = $1 order by url',
    [shop.company_id],
  );

/** Sends mails of one step to each of the contacts; returns them with the paths of their links. */
async function mailed(shop: TestCompany, content: string, contacts: object[]) {
  const ids: number[] = [];
  for (const fields of contacts) ids.push(await contactOf(server, shop, fields));
  const sent = await flowMessages(server, shop, ids, { step: { subject: 'Hi', content } });
  while ((await sender().runOnce()) > 0);
  expect(await ledgerOf(server, sent.ids)).toMatchObject(sent.ids.map(() => ({ status: 'sent' })));
  return Promise.all(
    sent.ids.map(async (id) => {
      const { body } = await shop.marketing('GET', `/mailbox/${id}`);
      const found: string[] = body.html.match(/http[^"]+\/t\/c\/[^"]+/g) ?? [];
      return { id, html: body.html as string, links: found.map((link) => link.replace(server.origin, '')) };
    }),
  );
}
const leadsTo = async (path: string) => {
  const { status, headers } = await server.request('GET', path);
  return status === 302 ? headers.get('location') : status;
};

describe('a link that differs by recipient', () => {
  test('makes one row for all, and leads each to their own address', async () => {
    const shop = await server.company();
    const people = ['Ann & Co', 'Bob', 'Zoë/?#'].map((first_name) => ({ first_name }));
    const content =
      '<a href="https://shop.example/p/{{ contact.first_name | url_encode }}?a=1&amp;n={{ contact.id }}">x</a>' +
      '<a href="https://shop.example/same?a=1&amp;b=2">y</a>';
    const mails = await mailed(shop, content, people);
    expect(await linksOf(shop)).toEqual([
      {
        url: 'https://shop.example/p/{{ contact.first_name | url_encode }}?a=1&n={{ contact.id }}',
        prefix: 'https://shop.example/p/',
      },
      { url: 'https://shop.example/same?a=1&b=2', prefix: null },
    ]);
    const targets = await Promise.all(mails.map(({ links }) => leadsTo(links[0]!)));
    for (const [i, encoded] of ['Ann+%26+Co', 'Bob', 'Zo%C3%AB%2F%3F%23'].entries()) {
      expect(targets[i]).toMatch(new RegExp(`^https://shop\\.example/p/${encoded.replace(/\+/g, '\\+')}\\?a=1&n=`));
    }
    expect(await leadsTo(mails[0]!.links[1]!)).toBe('https://shop.example/same?a=1&b=2');
    const clicked = await server.rows(
      "select 1 from message_activity where type = 'link_clicked' and message_id = any($1)",
      [mails.map(({ id }) => id)],
    );
    expect(clicked).toHaveLength(4);
  });

  test('may be personal from its beginning: its server is stored, once', async () => {
    const shop = await server.company();
    const people = [1, 2, 3].map((n) => ({ properties: { cart: `https://carts.example/c/${n}?k=${n}` } }));
    const mails = await mailed(shop, '<a href="{{ contact.properties.cart }}">Cart</a>', people);
    expect(await linksOf(shop)).toEqual([
      { url: 'https://carts.example{{ contact.properties.cart }}', prefix: 'https://carts.example' },
    ]);
    expect(await Promise.all(mails.map(({ links }) => leadsTo(links[0]!)))).toEqual(
      [1, 2, 3].map((n) => `https://carts.example/c/${n}?k=${n}`),
    );
  });

  test('leads nowhere when anything of it is changed or taken to another mail', async () => {
    const shop = await server.company();
    const [ann, bob] = await mailed(shop, '<a href="https://shop.example/{{ contact.first_name }}">x</a>', [
      { first_name: 'Ann' },
      { first_name: 'Bob' },
    ]);
    const [start, rest] = [ann!.links[0]!.slice(0, ann!.links[0]!.lastIndexOf('/')), ann!.links[0]!.split('/').at(-1)!];
    const tag = rest.split('.')[1]!;
    const evil = Buffer.from('@evil.example/').toString('base64url');
    const theirs = bob!.links[0]!.split('/').at(-1)!;
    for (const other of [`${evil}.${tag}`, theirs, rest.slice(0, -1), `.${tag}`, '.', 'x', `${rest}A`]) {
      expect(await leadsTo(`${start}/${other}`), other).toBe(404);
    }
    expect(await leadsTo(`${start}/${rest}?url=https://evil.example`)).toBe('https://shop.example/Ann');
    expect(await leadsTo(start)).toBe('https://shop.example/');
  });

  test('is left as it is where it would be too long to be a link', async () => {
    const shop = await server.company();
    const site = `https://shop.example/${'x'.repeat(3_000)}`;
    const [mail] = await mailed(shop, '<a href="{{ contact.properties.site }}">x</a>', [{ properties: { site } }]);
    expect([mail!.links, mail!.html.includes(site)]).toEqual([[], true]);
    expect(await linksOf(shop)).toEqual([]);
  });

  test('by telephone or SMS survives', async () => {
    const shop = await server.company();
    const content = '<a href="tel:+4930123456">Call</a><a href="sms:+4930123456?body=Hi">Text</a>';
    const [mail] = await mailed(shop, content, [{}]);
    expect(mail!.html).toContain(content);
  });
});

describe('addresses of a template', () => {
  test.each([
    ['https://a.example/x', 'https://a.example/x', null],
    ['https://a.example/{{ x }}', 'https://a.example/1', ['https://a.example/', '1']],
    ['https://a.example?q={{ x }}', 'https://a.example?q=1', ['https://a.example?q=', '1']],
    // If a value could be part of the host name, the whole host is stored.
    ['https://a.example{{ x }}', 'https://a.example.evil/1', ['https://a.example.evil', '/1']],
    ['https://{{ x }}.example/', 'https://me.example/', ['https://me.example', '/']],
    ['https://a.example\\{{ x }}', 'https://a.example\\@evil.example', ['https://a.example', '\\@evil.example']],
    ['{{ x }}', 'mailto:a@example.com', null],
    ['{{ x }}', 'HTTPS://a.example', ['HTTPS://a.example', '']],
  ])('%s gives for %s', (template, address, expected) => {
    const personal = addressesOf(`<a href="${template}">x</a>`).personal(address);
    expect(personal && [personal.prefix, personal.rest]).toEqual(expected);
  });

  test('the longest beginning counts', () => {
    const html = '<a href="https://a.example/{{ x }}">1</a><a href="https://a.example/p/{{ y }}">2</a>';
    expect(addressesOf(html).personal('https://a.example/p/7')).toMatchObject({
      prefix: 'https://a.example/p/',
      rest: '7',
    });
  });
});

describe('the signed part of a link', () => {
  const key = createSecretKey(randomBytes(32));

  test('is read back unchanged, only for its own link', () => {
    const ids = fc.record({ companyId: fc.maxSafeNat(), messageId: fc.maxSafeNat(), linkId: fc.maxSafeNat() });
    fc.assert(
      fc.property(ids, fc.string({ unit: 'grapheme' }), (owner, rest) => {
        const text = writeRest(key, owner, rest);
        expect(readRest(key, owner, text)).toBe(rest);
        expect(readRest(key, { ...owner, messageId: owner.messageId + 1 }, text)).toBeNull();
        expect(readRest(key, { ...owner, linkId: owner.linkId + 1 }, text)).toBeNull();
        expect(readRest(createSecretKey(randomBytes(32)), owner, text)).toBeNull();
      }),
    );
  });

  test('cannot lead to another server, even signed', () => {
    expect(targetOf('https://a.example/', 'x')).toBe('https://a.example/x');
    expect(targetOf('https://a.example', '.evil.example/')).toBeNull();
    expect(targetOf('https://a.example', '@evil.example/')).toBeNull();
    expect(targetOf('https://a.example', ':8080/')).toBeNull();
    expect(targetOf('https://a.example', '\\@evil.example')).toBe('https://a.example\\@evil.example');
  });
});
