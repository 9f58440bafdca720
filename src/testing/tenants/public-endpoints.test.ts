import { beforeAll, expect, it } from 'vitest';
import { testServer } from '../harness.ts';
import { ENDPOINTS } from '../records.ts';
import { fingerprints } from './fingerprint.ts';
import { type Named, PUBLIC, SMS_TOKEN, setProviders, smsNumberOf } from './public-requests.ts';
import { type SeededCompany, seedCompany } from './seed.ts';

/** Endpoints that check a signature: a company's signature is valid for no other, and its ids reach no other's records. */
const server = testServer();
const rows = fingerprints(server);
const MARK = 'zebrafinch';
let ours: SeededCompany;
let theirs: SeededCompany;
let phones: Map<SeededCompany, string>;
/** Endpoints with one signature for the whole installation, of an SMS provider. For others the path or a header names the company. */
const OF_INSTALLATION = /\/sms\/(inbound\/twilio|status\/twilio)$/;
/** Signed with Amazon's certificates: tested in src/messaging/feedback/bounce-providers.test.ts. */
const ELSEWHERE = ['POST /bounces/ses/{company_id}'];

beforeAll(async () => {
  server.app.messaging.smsToken = SMS_TOKEN;
  [ours, theirs] = [await seedCompany(server, 'sparrow'), await seedCompany(server, MARK)];
  phones = new Map([
    [ours, '+12133735001'],
    [theirs, '+12133735002'],
  ]);
  for (const [company, phone] of phones) {
    await setProviders(company);
    const contact = { email: company.ids.email, phone, consent: { sms: 'subscribed' } };
    await company.make('marketing', 'POST', '/contacts', contact);
  }
}, 30_000);

const namesOf = (company: SeededCompany): Named => ({
  company: company.shop.company_id,
  email: String(company.ids.email),
  message: Number(company.ids.message),
  phone: phones.get(company)!,
});
const NOBODY = { company: 999_999_999, email: 'contact@nosuchbird.example.com', message: 999_999_999 };
const said = (text: unknown): string => JSON.stringify(text).toLowerCase();

it('every public endpoint has a valid request', () => {
  const all = ENDPOINTS.filter(({ endpoint }) => endpoint.scope === 'public');
  const names = all.map(({ endpoint }) => `${endpoint.method} ${endpoint.path}`);
  expect([...Object.keys(PUBLIC), ...ELSEWHERE].sort()).toEqual(names.sort());
});

it.each(Object.entries(PUBLIC).map(([name, request]) => ({ name, request })))(
  '$name: a company speaks for itself alone',
  async ({ name, request }) => {
    // An address may fail 30 times a minute.
    server.clock.advance(61_000);
    const before = await rows.of(theirs.shop.company_id);
    const own = namesOf(ours);
    if (!OF_INSTALLATION.test(name)) {
      // Another company's id with our signature is treated like one that does not exist.
      const [foreign, unknown] = [
        await request(ours, namesOf(theirs)),
        await request(ours, { ...own, company: NOBODY.company }),
      ];
      expect([foreign.status, foreign.body]).toEqual([401, unknown.body]);
      expect(unknown.status).toBe(401);
      // Our company with the other's data.
      const { email, message } = namesOf(theirs);
      const crossed = await request(ours, { ...own, email, message });
      const absent = await request(ours, { ...own, email: NOBODY.email, message: NOBODY.message });
      expect([crossed.status, crossed.body]).toEqual([200, absent.body]);
      expect(said(crossed.body)).not.toContain(MARK);
    } else {
      const { phone, message } = namesOf(theirs);
      const crossed = await request(ours, { ...own, phone, message });
      expect(crossed.status).toBe(200);
    }
    expect(await rows.of(theirs.shop.company_id)).toEqual(before);
    const ourRows = await rows.of(ours.shop.company_id);
    const { status, body } = await request(ours, own);
    expect([name, status, said(body)]).toEqual([name, 200, expect.any(String)]);
    if (name !== 'POST /sms/status/twilio') expect(await rows.of(ours.shop.company_id)).not.toEqual(ourRows);
    expect(await rows.of(theirs.shop.company_id)).toEqual(before);
  },
);

it('a receipt of an SMS ends the message that it names, and no other company’s', async () => {
  const number = smsNumberOf(ours.shop.company_id);
  expect(number).not.toBe(smsNumberOf(theirs.shop.company_id));
  await server.rows("update messages set channel = 'sms', status = 'unknown' where id = $1", [ours.ids.message]);
  const before = await rows.of(theirs.shop.company_id);
  const mixed = { ...namesOf(ours), message: namesOf(theirs).message };
  const statusOf = async () =>
    (await server.rows<{ status: string }>('select status from messages where id = $1', [ours.ids.message]))[0]!.status;
  await PUBLIC['POST /sms/status/twilio']!(ours, mixed);
  expect([await statusOf(), await rows.of(theirs.shop.company_id)]).toEqual(['unknown', before]);
  await PUBLIC['POST /sms/status/twilio']!(ours, namesOf(ours));
  expect([await statusOf(), await rows.of(theirs.shop.company_id)]).toEqual(['sent', before]);
});
