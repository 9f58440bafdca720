import { describe, expect, test } from 'vitest';
import { annotate } from '../../../messaging/compose/thread/previews.ts';
import { contactOf } from '../../../messaging/testing/sending.ts';
import { testServer } from '../../../testing/harness.ts';

const server = testServer({ described: true });
const worker = (name: string) => server.app.workers.find((one) => one.name === name)!;

describe('the mail with its clicks', () => {
  test('has each number on its link, and no address that leads anywhere', () => {
    const html =
      '<body><a href="https://a.example/?x=1&amp;y=2">A</a><a href="//a.example/?x=1&amp;y=2">A again</a>' +
      '<a href="https://b.example/p/ann?k=1">B</a><a href="https://c.example/">C</a>' +
      '<a href="mailto:me@a.example">Mail</a><img src="https://a.example/i.png"></body>';
    const shown = annotate(html, [
      { url: 'https://a.example/?x=1&y=2', clicks: 12 },
      { url: 'https://b.example/p/{{ contact.first_name }}?k=1', clicks: 3 },
      { url: 'https://gone.example/', clicks: 1 },
    ]);
    expect(shown.places).toEqual([2, 1, 0]);
    expect(shown.html).toContain('<a href="#clicks-0">A</a><a href="#clicks-0">A again</a><a href="#clicks-1">B</a>');
    expect(shown.html).toContain('<a href="#clicks-none">C</a><a href="#">Mail</a>');
    expect(shown.html).toContain('a[href="#clicks-0"]::after{content:"12"!important}');
    expect(shown.html).toContain('a[href="#clicks-1"]::after{content:"3"!important}');
    expect(shown.html).toContain('<img src="https://a.example/i.png">');
    expect(shown.html.match(/href="[^#]/)).toBeNull();
  });

  test('the longest beginning of a personal link counts', () => {
    const { places } = annotate('<a href="https://a.example/p/7">x</a>', [
      { url: 'https://a.example/{{ x }}', clicks: 1 },
      { url: 'https://a.example/p/{{ y }}', clicks: 1 },
    ]);
    expect(places).toEqual([0, 1]);
  });
});

test('a campaign is shown with who clicked what, and looking at it counts as nothing', async () => {
  const shop = await server.company();
  const contacts = [await contactOf(server, shop), await contactOf(server, shop)];
  const { body: list } = await shop.marketing('POST', '/lists', { name: 'News' });
  await shop.marketing('POST', `/lists/${list.list_id}/contacts`, { contact_ids: contacts });
  const content =
    '<p onclick="x()">Hi</p><script>alert(1)</script><a href="https://shop.example/a">A</a>' +
    '<a href="https://shop.example/{{ contact.first_name }}">Yours</a>';
  const mail = { name: 'C', type: 'email', subject: 'Hi', content, list_id: list.list_id };
  const variants = [{ key: 'b', weight: 1, subject: 'B' }];
  const { body: made } = await shop.marketing('POST', '/campaigns', { ...mail, variants });
  const id = made.campaign_id;
  await shop.marketing('POST', `/campaigns/send/${id}`);
  while ((await worker('campaigns').runOnce()) + (await worker('sender').runOnce()) > 0);
  const { body: box } = await shop.marketing('GET', '/mailbox?per_page=100');
  const { body: full } = await shop.marketing('GET', `/mailbox/${box.messages[0].id}`);
  for (const link of full.html.match(/http[^"]+\/t\/c\/[^"]+/g)) {
    await server.request('GET', link.replace(server.origin, ''));
  }
  const report = async () => (await shop.marketing('GET', `/campaigns/${id}/report`)).body;
  const before = await report();
  const { status, body } = await shop.marketing('GET', `/campaigns/${id}/link-map`);
  expect(status).toBe(200);
  expect(body.links).toEqual(
    expect.arrayContaining([
      { url: 'https://shop.example/a', clicks: 1, places: 1 },
      { url: 'https://shop.example/{{ contact.first_name }}', clicks: 1, places: 1 },
    ]),
  );
  expect(body.html).toContain('::after{content:"1"');
  expect(body.html).not.toContain('<script');
  expect(body.html).not.toContain('/t/o/');
  expect(body.html).not.toContain('/t/c/');
  expect(await report()).toEqual(before);
  const { body: other } = await shop.marketing('GET', `/campaigns/${id}/link-map?variant=b`);
  expect(other).toMatchObject({ variant: 'b' });
  expect((await shop.marketing('GET', `/campaigns/${id}/link-map?variant=z`)).status).toBe(400);
  const foreign = await server.company();
  expect((await foreign.marketing('GET', `/campaigns/${id}/link-map`)).status).toBe(404);
});
