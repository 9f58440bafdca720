import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { PROBLEMS, SCHEMA_PROBLEMS } from '../../lib/validation/problems.ts';
import { testServer } from '../harness.ts';
import { testPerson } from '../people.ts';

const textsOf = (language: string): Record<string, string> =>
  JSON.parse(readFileSync(new URL(`../../../admin/src/i18n/${language}/problems.json`, import.meta.url), 'utf8'));
const CODES = [...Object.keys(PROBLEMS), ...SCHEMA_PROBLEMS];

describe.each(['en', 'de'])('in %s', (language) => {
  test('every problem has a text, and every text a problem', () => {
    expect(Object.keys(textsOf(language)).sort()).toEqual(CODES.map((code) => `problem.${code}`).sort());
  });

  test('the values that a text names are those that the problem brings', () => {
    const brings = (text: string) => [...text.matchAll(/\{(\w+)/g)].map(([, name]) => name!);
    for (const [code, text] of Object.entries(PROBLEMS)) {
      const named = brings(textsOf(language)[`problem.${code}`]!);
      expect(brings(text), code).toEqual(expect.arrayContaining(named));
    }
  });
});

describe('the server', () => {
  const server = testServer();

  test('gives people a code with each problem of a product, and programs the fields that they had', async () => {
    const shop = await server.company({ currency: 'EUR' });
    const person = await testPerson(server, { [shop.company_id]: 'manager' });
    const product = { name: '', price: 'twelve', stock_qty: 1.5 };
    const { body } = await person.ask('POST', `/${shop.company_id}/products`, product);
    expect(body.error.details.fields).toEqual([
      { field: 'name', code: 'shortest', params: { limit: 1 }, message: expect.any(String) },
      { field: 'price', code: 'no_number', params: {}, message: 'price must be number' },
      { field: 'stock_qty', code: 'no_whole_number', params: {}, message: 'stock_qty must be integer' },
    ]);
    const precise = await person.ask('POST', `/${shop.company_id}/products`, { name: 'Tea', price: 1.999 });
    expect(precise.body.error.details.fields).toEqual([
      { field: 'price', code: 'decimals', params: { currency: 'EUR' }, message: expect.any(String) },
    ]);
    const refused = await shop.commerce('POST', '/products', { name: 'Tea', price: 1.999 });
    expect(refused.body.error.details.fields).toEqual([
      { field: 'price', code: 'too_many_decimals', message: 'price has more decimal places than EUR' },
    ]);
  });

  test('gives people a code with each problem of a flow, and programs the fields that they had', async () => {
    const shop = await server.company();
    const person = await testPerson(server, { [shop.company_id]: 'marketer' });
    const steps = [
      { step_id: 'a', type: 'send_email', config: {} },
      { step_id: 'b', type: 'webhook', config: { url: 'https://shop.example/', method: 'FETCH' } },
      { step_id: 'c', type: 'delay', config: { value: -1, unit: 'hours' } },
      {
        step_id: 'd',
        type: 'branch',
        config: { paths: [{ key: 'x', conditions: { rules: [{ field: 'a', comparison: 'in', value: 1 }] } }] },
      },
      { step_id: 'd', type: 'send_sms', config: { content: '{{ x' } },
    ];
    const flow = { name: 'F', trigger_type: 'order_placed', steps };
    const problems = async (body: object) => {
      const { status, body: refused } = await person.ask('POST', `/${shop.company_id}/flows`, body);
      expect(status, JSON.stringify(refused)).toBe(400);
      return refused.details.map(({ field, code, params }: Record<string, unknown>) => [field, code, params]);
    };
    expect(await problems(flow)).toEqual([
      ['steps.4.step_id', 'step_id_taken', {}],
      ['steps.1.config.method', 'one_of', { list: 'GET, POST, PUT, PATCH, DELETE' }],
      ['steps.2.config.value', expect.stringMatching(/above|minimum/), { limit: expect.any(Number) }],
      ['steps.3.config.paths.0.conditions.rules.0.value', 'no_choices', { most: 500 }],
    ]);
    expect(await problems({ ...flow, steps: [steps[4]] })).toEqual([
      ['steps.0.config.content', 'liquid_line', { line: 1, reason: expect.any(String) }],
    ]);
    expect(await problems({ ...flow, steps: [], trigger_type: 'never_heard_of' })).toEqual([
      ['trigger_type', 'not_event_type', { name: 'never_heard_of' }],
    ]);
    const { body } = await shop.marketing('POST', '/flows', flow);
    expect(body.details[0]).toEqual({ field: 'steps.4.step_id', message: 'steps.4.step_id is used by another step' });

    const draft = { ...flow, steps: steps.slice(0, 1), connections: [{ from: 'trigger', to: 'nowhere' }] };
    const { flow_id } = (await person.ask('POST', `/${shop.company_id}/flows`, draft)).body;
    const { body: refused } = await person.ask('POST', `/${shop.company_id}/flows/activate/${flow_id}`, {});
    expect(refused.details.map(({ code }: { code: string }) => code)).toEqual(['no_content', 'no_step']);
  });
});
